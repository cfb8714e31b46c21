"""Text as the tokenizer of an index takes it, and back.

The tokenizer splits where a character is neither letter nor digit. That is its fastest way (with a regular expression
that does by itself what follows it took three times as long), but it would make one word of a sentence in Chinese,
and of C++ a C.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_SIGN_BY_SIGN: Final = re.compile(
    "[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Thai, Lao, Khmer, Kana, Han: written without spaces."""
_NAMES: Final = re.compile(r"(?<![A-Za-z0-9])([CcGg])\+\+|(?<![A-Za-z0-9])([CcFf])#(?![A-Za-z0-9])")

_WRITTEN: Final = ("C++", "c++", "G++", "g++", "C#", "c#", "F#", "f#")
"""Looked for first, because most texts have none."""

_SPACE: Final = "\u200b"  # of no width, and neither letter nor digit
_PLUS, _SHARP = "\U00010600", "\U00010601"  # Linear A: letters to a tokenizer, and nobody writes them
_SOFT_HYPHEN: Final = "\u00ad"


def prepared(text: str) -> str:
    """Signs of scripts without spaces become words of their own, C++ and C# names of letters.

    A letter and its accent become one sign, and soft hyphens go: either would end a word.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.replace(_SOFT_HYPHEN, ""))
        text = _SIGN_BY_SIGN.sub(_parted, text)
    if ("+" in text or "#" in text) and any(name in text for name in _WRITTEN):
        text = _NAMES.sub(_as_letters, text)
    return text


def _parted(signs: re.Match[str]) -> str:
    return _SPACE.join(signs[0]) + _SPACE


def restored(text: str) -> str:
    """What was made of C++ and of text without spaces as it was."""
    return text.replace(_SPACE, "").replace(_PLUS, "+").replace(_SHARP, "#")


def _as_letters(name: re.Match[str]) -> str:
    return f"{name[1]}{_PLUS}{_PLUS}" if name[1] else f"{name[2]}{_SHARP}"
