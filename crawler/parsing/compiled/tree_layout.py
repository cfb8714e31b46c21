"""Arranges the trees of a `Model` in the order in which `text_blocks.h` walks down several trees at a time. Pure.

A step down a tree has to wait for the previous step, so LANES trees take their steps in turn. All of these trees take
as many steps as the deepest one needs; a tree that ends earlier stays at its leaf, because a leaf leads to itself.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hinterland.crawler.parsing.blocks.main_blocks import Model

LANES: Final = 6
"""How many trees are walked down together, as in text_blocks.h."""


class TreeLayout(NamedTuple):
    """Trees in groups of LANES.

    `nodes` has three values for each node: a threshold, the index of the number that is compared with it, and the next
    node for numbers up to the threshold. The next node for greater numbers comes right after that one. A leaf has its
    score instead of a threshold, compares a number that is less than every threshold, and leads to itself. `roots`
    holds the first node of each tree, and `steps` the number of steps of each group.
    """

    nodes: list[tuple[int, int, int]]
    roots: list[int]
    steps: list[int]


def laid_out(model: Model, numbers: int) -> TreeLayout:
    """Return the trees of a model, the deepest first, so that the trees of a group have similar depths.

    `numbers` is how many numbers describe a block.
    """
    by_depth = sorted(((_depth(model, root), root) for root in model.roots), reverse=True)
    layout = TreeLayout([], [], [depth for depth, _ in by_depth[::LANES]])
    for _, root in by_depth:
        layout.roots.append(len(layout.nodes))
        layout.nodes.append(_NOT_PUT)
        _put(layout.nodes, layout.roots[-1], model, root, numbers)
    while len(layout.roots) % LANES:  # leaves that add nothing
        layout.roots.append(len(layout.nodes))
        layout.nodes.append((0, numbers, layout.roots[-1]))
    return layout


def _put(nodes: list[tuple[int, int, int]], place: int, model: Model, node: int, numbers: int) -> None:
    number, value, low, high = model.nodes[4 * node : 4 * node + 4]
    if number < 0:
        nodes[place] = value, numbers, place
        return
    below = len(nodes)
    nodes[place] = value, number, below
    nodes += (_NOT_PUT, _NOT_PUT)
    _put(nodes, below, model, low, numbers)
    _put(nodes, below + 1, model, high, numbers)


def _depth(model: Model, node: int) -> int:
    number, _, low, high = model.nodes[4 * node : 4 * node + 4]
    return 0 if number < 0 else 1 + max(_depth(model, low), _depth(model, high))


_NOT_PUT: Final = (0, 0, 0)
