"""Bounds how much of a page is parsed: the tree of ten megabytes of tags would take more than a gigabyte. Pure.

The size of a tree is estimated from the page's bytes before it is built: each "<" counts as an element or its end, each
"=" as an attribute, and the text is added.
"""

from __future__ import annotations

from typing import Final

MAX_TREE_BYTES: Final = 64_000_000
"""The default bound of the size of a tree."""
_TAG_BYTES: Final = 180
"""The estimate for each "<". Lexbor takes 184 bytes for a <br>, and 320 for an element with an end tag and a text."""
_ATTRIBUTE_BYTES: Final = 270
_STEP: Final = 1 << 14


def readable_bytes(html: bytes, max_tree_bytes: int) -> int:
    """Return how many bytes of a page to read, so that their tree takes about `max_tree_bytes`.

    The part to read ends before a tag.
    """
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
