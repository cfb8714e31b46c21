"""Estimates into how many tokens a language model divides a text, without the model's vocabulary. Pure.

One token is up to six Latin letters of a word, up to two letters of another script, one letter of a script without
spaces, or up to three digits. Every other sign is one token, and so is every run of line ends and indentation.
"""

from __future__ import annotations

import re
from typing import Final

_PIECE: Final = re.compile(
    r"(?P<latin>[A-Za-z]+)|(?P<digits>\d+)|(?P<dense>[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff])"
    r"|(?P<other>[^\W\d_A-Za-z\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff]+)|(?P<space>\n\s*)|(?P<sign>[^\w\s]|_)"
)
_LETTERS: Final = {"latin": 6, "digits": 3, "other": 2}


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a language model would make of a text."""
    count = 0
    for piece in _PIECE.finditer(text):
        size = _LETTERS.get(piece.lastgroup or "")
        count += 1 if size is None else -(-(piece.end() - piece.start()) // size)
    return count
