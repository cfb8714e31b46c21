"""Tells pages whose elements are nested so deeply that reading their tree takes too long. Pure."""

from __future__ import annotations

import re
from typing import Final

_DEEPEST: Final = 1000
"""Maximum depth of nested elements. A page of this depth takes 0.2 s; one that is four times as deep takes 3 s."""
_NESTING: Final = re.compile(
    rb"<(/?)(?!(?:p|li|t[rdh]|tbody|thead|tfoot|colgroup|d[td]|option|br|img|input|meta|link|hr|col|wbr|area|source"
    rb"|track|embed|param|base|a|b|i|u|s|em|strong|font|small|big|code|tt|nobr|strike)\b(?!-))[a-z]",
    re.IGNORECASE,
)


def is_too_deep(html: bytes) -> bool:
    """Return whether elements are nested too deeply to walk over the tree, or extract from it, in bounded time.

    The time grows with the square of the depth. Elements whose end tags are optional do not nest and are not counted.
    """
    if html.count(b"<") <= _DEEPEST:
        return False
    depth = 0
    for closing in _NESTING.findall(html):
        depth = max(depth - 1, 0) if closing else depth + 1
        if depth > _DEEPEST:
            return True
    return False
