"""Finds the words around links in the text of their page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_WITHIN: Final = 20_000
"""The next anchor is searched only in this many characters after the last one, so that the search cannot become
quadratic.
"""
_CHARACTERS: Final = 60
"""Characters on each side of an anchor; both sides together are about ten words."""


def surroundings(content: bytes, anchors: Sequence[str], wanted: Sequence[int]) -> list[str]:
    """Return the text before and after the anchors at the indices `wanted`, which are ascending.

    The text is "" for an anchor that is empty or not found. `anchors` holds all anchors of the page in document order.
    Words that are cut at the ends are left out. White space in the text is not collapsed, since that would take longer
    than everything else here. As a result, three anchors in a hundred are not found.
    """
    if not wanted:
        return []
    text = content.decode()
    found = []
    position, want = 0, iter((*wanted, -1))
    next_wanted = next(want)
    for number, anchor in enumerate(anchors):
        if next_wanted < 0:
            break
        place = text.find(anchor, position, position + _WITHIN) if anchor else -1
        position = position if place < 0 else place + len(anchor)
        if number == next_wanted:
            found.append("" if place < 0 else _around(text, place, position))
            next_wanted = next(want)
    return found


def _around(text: str, begin: int, end: int) -> str:
    before = text[max(0, begin - _CHARACTERS) : begin]
    after = text[end : end + _CHARACTERS]
    if begin > _CHARACTERS:
        before = "".join(before.split(None, 1)[1:])
    if end + _CHARACTERS < len(text):
        after = "".join(after.rsplit(None, 1)[:-1])
    return f"{before} {after}"
