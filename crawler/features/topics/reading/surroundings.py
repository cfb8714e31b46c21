"""The words around links, found again in the text of their page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_WITHIN: Final = 20_000
"""Characters after the last anchor in which the next one is searched: no page can make the search quadratic."""
_CHARACTERS: Final = 60
"""Characters on each side; about ten words together."""


def surroundings(content: bytes, anchors: Sequence[str], wanted: Sequence[int]) -> list[str]:
    """Return the text before and after the anchors at the places `wanted`, ascending.

    It is "" for anchors without text and for those not found. `anchors` are all of the page, in document order. Words
    cut at the ends are left out. White space is that of the text: collapsing it takes longer than all the rest, and
    without it three anchors in a hundred are not found.
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
