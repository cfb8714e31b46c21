"""How much of a page is made a tree: ten megabytes of tags would take more than a gigabyte. Pure.

What a tree takes is estimated from the bytes of its page, before anything is built: an element or an end of one for
each "<", an attribute for each "=", and the text.
"""

from __future__ import annotations

from typing import Final

MAX_TREE_BYTES: Final = 64_000_000
"""Where no setting says otherwise."""
_TAG_BYTES: Final = 180
"""Lexbor takes 184 for a <br>, 320 for an element with an end and a text."""
_ATTRIBUTE_BYTES: Final = 270
_STEP: Final = 1 << 14


def readable_bytes(html: bytes, max_tree_bytes: int) -> int:
    """How many bytes of a page, from its begin to before a tag, have a tree that is no larger, or hardly."""
    if len(html) * (_ATTRIBUTE_BYTES + 1) <= max_tree_bytes or _tree_bytes(html, 0, len(html)) <= max_tree_bytes:
        return len(html)
    room, end = max_tree_bytes, 0
    while room > 0:
        start, end = end, end + _STEP
        room -= _tree_bytes(html, start, end)
    return max(html.rfind(b"<", 0, end), 0)


def _tree_bytes(html: bytes, start: int, end: int) -> int:
    tags, attributes = html.count(b"<", start, end), html.count(b"=", start, end)
    return min(end, len(html)) - start + _TAG_BYTES * tags + _ATTRIBUTE_BYTES * attributes
