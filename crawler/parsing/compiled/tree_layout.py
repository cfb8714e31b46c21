"""The trees of a `Model` in the order in which `text_blocks.h` walks down several of them at a time. Pure.

A step down a tree has to wait for the step before it, so the steps of LANES trees are taken in turn. All of them take
as many steps as the deepest of them needs: a leaf leads to itself.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from hinterland.crawler.parsing.blocks.main_blocks import Model

LANES: Final = 6
"""How many trees are walked down together, as in text_blocks.h."""


class TreeLayout(NamedTuple):
    """Trees in groups of LANES.

    Each of the `nodes` has the threshold, the number of a block that is compared with it, and the next node for numbers
    up to the threshold; for larger numbers, it is the node after that. A leaf compares the number after all others,
    which is less than every threshold, and leads to itself; its score is in the place of the threshold. `roots` holds
    the first node of each tree, and `steps` how many steps each group takes.
    """

    nodes: list[tuple[int, int, int]]
    roots: list[int]
    steps: list[int]


def laid_out(model: Model, numbers: int) -> TreeLayout:
    """Return the trees of a model, the deepest first, so that those of a group are about as deep.

    `numbers` is how many numbers a block has.
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
