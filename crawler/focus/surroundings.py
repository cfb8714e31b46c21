"""The words around links, found again in the text of their page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_WITHIN: Final = 20_000
"""So far after the last anchor the next one is looked for: no page can make the search quadratic."""
_CHARACTERS: Final = 60
"""On each side; about ten words together."""


def surroundings(content: bytes, anchors: Sequence[str]) -> list[str]:
    """What stands before and after each anchor text, in the order of the document, white space collapsed; "" for
    anchors without text and for those not found. Words cut at the ends are left out."""
    if not anchors:
        return []
    text = " ".join(content.decode().split())
    found = []
    position = 0
    for anchor in anchors:
        place = text.find(anchor, position, position + _WITHIN) if anchor else -1
        if place < 0:
            found.append("")
            continue
        position = place + len(anchor)
        before = text[max(0, place - _CHARACTERS) : place]
        after = text[position : position + _CHARACTERS]
        if place > _CHARACTERS:
            before = before.partition(" ")[2]
        if position + _CHARACTERS < len(text):
            after = after.rpartition(" ")[0]
        found.append(f"{before} {after}")
    return found
