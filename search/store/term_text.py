"""Prepares text for the tokenizer, and restores it.

The tokenizer splits at characters that are neither letters nor digits. This is fast (a regular expression with the
rules below took three times as long), but by itself it would turn a Chinese sentence into one word, and C++ into C.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from hinterland.search.store.letters import CharacterSet, plain_letters

_WITHOUT_SPACES: Final = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)),
    *((0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
)
"""Thai, Lao, Burmese, Khmer, Kana, Han: written without spaces."""
_SIGN_BY_SIGN: Final = re.compile(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _WITHOUT_SPACES)}]+")
_SIGNS: Final = CharacterSet(_WITHOUT_SPACES)
_NAMES: Final = re.compile(r"(?<![A-Za-z0-9])([CcGg])\+\+|(?<![A-Za-z0-9])([CcFf])#(?![A-Za-z0-9])")

_WRITTEN: Final = ("C++", "c++", "G++", "g++", "C#", "c#", "F#", "f#")
"""The spellings of C++ and C# that occur in texts. They are looked for first, because most texts contain none."""

_SPACE: Final = "\u200b"  # zero-width, and neither letter nor digit
_PLUS, _SHARP = "\U00010600", "\U00010601"  # Linear A: letters for the tokenizer that do not occur in texts
_SOFT_HYPHEN: Final = "\u00ad"


def prepared(text: str) -> str:
    """Bring letters to one form, separate the characters of scripts without spaces, and turn C++ and C# into words."""
    if not text.isascii():
        text = plain_letters(text)
        if _SIGNS.is_in(text):
            text = _SIGN_BY_SIGN.sub(_parted, text)
    if ("+" in text or "#" in text) and any(name in text for name in _WRITTEN):
        text = _NAMES.sub(_as_letters, text)
    return text


def composed(text: str) -> str:
    """Return the text with letters and their accents composed, and without soft hyphens, which would split words."""
    return text if text.isascii() else unicodedata.normalize("NFC", text.replace(_SOFT_HYPHEN, ""))


def _parted(signs: re.Match[str]) -> str:
    return f"{_SPACE}{_SPACE.join(signs[0])}{_SPACE}"


def restored(text: str) -> str:
    """Undo `prepared` for C++ and for scripts without spaces."""
    return text.replace(_SPACE, "").replace(_PLUS, "+").replace(_SHARP, "#")


def _as_letters(name: re.Match[str]) -> str:
    return f"{name[1]}{_PLUS}{_PLUS}" if name[1] else f"{name[2]}{_SHARP}"
