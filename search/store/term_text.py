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
_SIGNED: Final = re.compile(r"(?<![A-Za-z0-9])(?:([CcGg])\+\+|([CcFfJjQq])#(?![A-Za-z_]))")
"""Names of languages that a sign tells from single letters: C++, g++, C#, F#. What follows them, as in C++17, is a word
of its own. `C#member` is a member of a class.
"""
_DOTTED: Final = re.compile(r"\.(?<![\w.)\]}]\.)(NET|Net|net)(?![A-Za-z_])")
"""The name .NET; it begins with the dot itself, and not with what stands before it, since that is searched faster."""
_SHARPS: Final = tuple(f"{letter}#" for letter in "CcFfJjQq")
"""How names with this sign are spelt. They are looked for first, because most texts contain none."""

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
    if "++" in text or ("#" in text and any(name in text for name in _SHARPS)):
        text = _SIGNED.sub(_as_letters, text)
    if ".NET" in text or ".net" in text or ".Net" in text:
        text = _DOTTED.sub(_after_dot, text)
    return text


def composed(text: str) -> str:
    """Return the text with letters and their accents composed, and without soft hyphens, which would split words."""
    return text if text.isascii() else unicodedata.normalize("NFC", text.replace(_SOFT_HYPHEN, ""))


def _parted(signs: re.Match[str]) -> str:
    return f"{_SPACE}{_SPACE.join(signs[0])}{_SPACE}"


def restored(text: str) -> str:
    """Undo `prepared` for names such as C++ and for scripts without spaces."""
    return text.replace(_SPACE, "").replace(_PLUS, "+").replace(_SHARP, "#").replace(_DOT, ".")


def _as_letters(name: re.Match[str]) -> str:
    word = f"{name[1]}{_PLUS}{_PLUS}" if name[1] else f"{name[2]}{_SHARP}"
    return f"{word}{_space_behind(name)}"


def _after_dot(name: re.Match[str]) -> str:
    return f"{_DOT}{_SPACE}{name[1]}{_space_behind(name)}"


def _space_behind(name: re.Match[str]) -> str:
    return _SPACE if name.string[name.end() : name.end() + 1].isalnum() else ""
