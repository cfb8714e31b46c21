"""Records which text nodes of a page are shown, and which elements contain text but no shown text. Pure."""

from __future__ import annotations

from collections.abc import Set

from selectolax.lexbor import LexborNode


class ShownText:
    """The shown text nodes of a body, and the elements around them. All are known by their addresses."""

    def __init__(self, body: LexborNode, shown: Set[int], hidden: Set[int]) -> None:
        """Take the addresses of text nodes; a node in neither set has no text, or is part of a script or the like."""
        self._shown = shown
        around_shown, around_hidden = set[int](), set[int]()
        for node in body.traverse(include_text=True):
            address = node.mem_id
            if address in shown:
                _add_elements_around(node, around_shown)
            elif address in hidden:
                _add_elements_around(node, around_hidden)
        self._only_hidden = around_hidden - around_shown

    def has(self, text: LexborNode) -> bool:
        """Return whether a text node is shown."""
        return text.mem_id in self._shown

    def has_nothing_of(self, element: LexborNode) -> bool:
        """Return whether an element has text, but none that is shown."""
        return element.mem_id in self._only_hidden


def _add_elements_around(node: LexborNode, known: set[int]) -> None:
    """Add the elements around a node to `known`; stop at a known one, because all elements around it are known, too."""
    around = node.parent
    while around is not None and around.mem_id not in known:
        known.add(around.mem_id)
        around = around.parent
