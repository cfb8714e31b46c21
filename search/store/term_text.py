"""Prepares text for the tokenizer, and restores it.

The tokenizer splits at characters that are neither letters nor digits. This is fast (a regular expression with the
rules below took three times as long), but by itself it would turn a Chinese sentence into one word, C++ into C, and
.NET into "net".
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
_WITH_PLUS: Final = re.compile(r"\+\+(?<=(?<![A-Za-z0-9])[CcGg]\+\+)")
_WITH_SHARP: Final = re.compile(r"#(?<=(?<![A-Za-z0-9])[CcFfJjQq]#)(?![A-Za-z_])")
"""Names of languages that a sign tells from single letters: C++, g++, C#, F#. What follows them, as in C++17, is a word
of its own. `C#member` is a member of a class. The expressions begin with the sign, which is searched faster than what
stands before it.
"""
_DOTTED: Final = re.compile(r"\.(?<![\w.)\]}]\.)(NET|Net|net)(?![A-Za-z_])")
"""The name .NET."""

_SPACE: Final = "\u200b"  # zero-width, and neither letter nor digit
_PLUS, _SHARP, _DOT = (
    "\U00010600",
    "\U00010601",
    "\U00010602",
)  # Linear A: letters for the tokenizer that do not occur in texts
_SOFT_HYPHEN: Final = "\u00ad"


def prepared(text: str) -> str:
    """Bring letters to one form, separate the characters of scripts without spaces, and turn C++ and C# into words.

    .NET becomes two words in a row, so that "net" finds it, too, but not the reverse.
    """
    if not text.isascii():
        text = plain_letters(text)
        if _SIGNS.is_in(text):
            text = _SIGN_BY_SIGN.sub(_parted, text)
    for names, replacement in ((_WITH_PLUS, _plus), (_WITH_SHARP, _sharp), (_DOTTED, _after_dot)):
        text = names.sub(replacement, text)
    return text


def composed(text: str) -> str:
    """Return the text with letters and their accents composed, and without soft hyphens, which would split words."""
    return text if text.isascii() else unicodedata.normalize("NFC", text.replace(_SOFT_HYPHEN, ""))


def _parted(signs: re.Match[str]) -> str:
    return f"{_SPACE}{_SPACE.join(signs[0])}{_SPACE}"


def restored(text: str) -> str:
    """Undo what `prepared` did to names such as C++ and to texts in scripts without spaces."""
    return text.replace(_SPACE, "").replace(_PLUS, "+").replace(_SHARP, "#").replace(_DOT, ".")


def _plus(signs: re.Match[str]) -> str:
    return f"{_PLUS}{_PLUS}{_space_behind(signs)}"


def _sharp(sign: re.Match[str]) -> str:
    return f"{_SHARP}{_space_behind(sign)}"


def _after_dot(name: re.Match[str]) -> str:
    return f"{_DOT}{_SPACE}{name[1]}{_space_behind(name)}"


def _space_behind(name: re.Match[str]) -> str:
    return _SPACE if name.string[name.end() : name.end() + 1].isalnum() else ""
