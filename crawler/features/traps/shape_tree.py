"""The shapes of one host's URLs as a tree that stays small. Pure.

A node that has FAN_OUT children gets no more of them: every further step goes to a wildcard. So a folder with many
names becomes one shape. The same happens to an endless space whose URLs contain words instead of numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hinterland.crawler.features.traps.shape import Shape
from hinterland.crawler.features.traps.url_shapes import ANY, CLASSES

FAN_OUT: Final = 24
MAX_SHAPES: Final = 400
"""The most shapes of a host. A shape takes about 400 bytes."""


class ShapeTree:
    """The shapes of one host. Mutable: looking up URLs adds shapes, up to MAX_SHAPES."""

    def __init__(self) -> None:
        """Start with the root alone."""
        self.root = Shape("", None)
        self.size = 1

    def find(self, steps: Sequence[str]) -> Shape:
        """Return the shape of a URL, given its steps. A new shape is created unless there are MAX_SHAPES."""
        node = self.root
        for step in steps:
            children = node.children
            child = children.get(step) if children is not None else None
            if child is None and (child := self._new_child(node, step)) is None:
                return node
            node = child
        return node

    def __iter__(self) -> Iterator[Shape]:
        """Iterate over all shapes, parents first."""
        waiting = [self.root]
        while waiting:
            shape = waiting.pop()
            yield shape
            if shape.children:
                waiting += shape.children.values()

    def _new_child(self, node: Shape, step: str) -> Shape | None:
        """Return a child for a step that has none yet, new or a wildcard; None if there is no room for a new child."""
        children = node.children
        if children is None:
            children = node.children = {}
        if len(children) >= FAN_OUT and step not in CLASSES:
            dot = step.rfind(".")
            step = ANY + step[dot:] if 0 <= len(step) - dot <= 6 and dot > 0 else ANY
            child = children.get(step)
            if child is not None:
                return child
            if len(children) >= 2 * FAN_OUT:
                step = ANY
                child = children.get(step)
                if child is not None:
                    return child
        if self.size >= MAX_SHAPES:
            return children.get(ANY)
        child = children[step] = Shape(step, node)
        self.size += 1
        return child
