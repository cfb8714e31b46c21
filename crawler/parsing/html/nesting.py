"""Detects pages whose elements are nested so deeply that reading their tree takes too long. Pure."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

_DEEPEST: Final = 1000
"""Maximum depth of nested elements. A page of this depth takes 0.2 s; one that is four times as deep takes 3 s."""
_NESTING: Final = re.compile(
    rb"<(/?)(?!(?:p|li|t[rdh]|tbody|thead|tfoot|colgroup|d[td]|option|br|img|input|meta|link|hr|col|wbr|area|source"
    rb"|track|embed|param|base|a|b|i|u|s|em|strong|font|small|big|code|tt|nobr|strike)\b(?!-))[a-z]",
    re.IGNORECASE,
)

_NO_NESTING: Final = ("a", "b", "i", "p", "s", "u", "br", "dd", "dt", "em", "hr", "li", "td", "th", "tr", "tt")
"""Some tags that do not count as nested."""
_SURELY_NESTING: Final = ("di", "dl", "fi", "h1", "h2", "h3", "h4", "na", "ol", "pr", "se", "sp", "ta", "ul", "va")
"""The first letters of some tags that do: div, span, section, table and so on."""


def is_too_deep(html: bytes) -> bool:
    """Return whether elements are nested too deeply to walk over the tree, or extract from it, in bounded time.

    The time grows with the square of the depth. Elements whose end tags are optional do not nest and are not counted.
    """
    if html.count(b"<") <= _DEEPEST or _most_depth(html) <= _DEEPEST:
        return False
    depth = 0
    for closing in _NESTING.findall(html):
        depth = max(depth - 1, 0) if closing else depth + 1
        if depth > _DEEPEST:
            return True
    return False


def _most_depth(html: bytes) -> int:
    """Return an upper bound of the depth, in a quarter of the time that counting takes.

    The true depth may be lower: some tags that do not nest count as nested, and some end tags are overlooked.
    """
    letters = np.frombuffer(html + b"   ", np.uint8)
    at = np.flatnonzero(letters == ord("<"))
    first, second, third = (letters[at + place] | _LOWER for place in (1, 2, 3))
    is_end = letters[at + 1] == ord("/")
    is_short = ((second == ord(" ")) | (second == ord(">"))) & _is_one_of(_NO_NESTING, 1)[first]
    is_two = (third == ord(" ")) | (third == ord(">"))
    names = first.astype(np.uint16) << 8 | second
    steps = (~(is_end | is_short | is_two & _is_one_of(_NO_NESTING, 2)[names])).astype(np.int32)
    steps -= is_end & _is_one_of(_SURELY_NESTING, 2)[second.astype(np.uint16) << 8 | third]
    depths = np.cumsum(steps)
    lowest = np.minimum(np.minimum.accumulate(depths), 0)
    return int((depths - lowest).max(initial=0))


_LOWER: Final = 0x20
"""Combined with a letter by OR, this makes it a small one; digits, spaces and ">" stay as they are."""


@cache
def _is_one_of(names: tuple[str, ...], length: int) -> NDArray[np.bool_]:
    """Return a table that says whether a name of `length` letters is one of `names`.

    A name is looked up by its number, which has one byte for each letter.
    """
    found = np.zeros(1 << 8 * length, np.bool_)
    found[[int.from_bytes(name.encode()) for name in names if len(name) == length]] = True
    return found
