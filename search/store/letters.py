"""One form for letters that are written in several ways, for texts and queries alike. Pure.

The analyzer folds accents, but only after stemming. This module handles letters for which that is too late or not
enough: marks that would split a word, letters of other keyboards, and capitals with two letters in lower case. The
table in docs/search.md lists them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

import numpy as np

_MARKS: Final = (
    ("\u0300", "\u036f"),  # what is left after composing: stress marks in Cyrillic, the points of Greek
    ("\u0591", "\u05bd"), ("\u05bf", "\u05bf"), ("\u05c1", "\u05c2"), ("\u05c4", "\u05c5"), ("\u05c7", "\u05c7"),
    ("\u0610", "\u061a"), ("\u0640", "\u0640"), ("\u064b", "\u065f"), ("\u0670", "\u0670"), ("\u06d6", "\u06dc"),
    ("\u06df", "\u06e4"), ("\u06e7", "\u06e8"), ("\u06ea", "\u06ed"),
    ("\u200c", "\u200d"),
    ("\u00ad", "\u00ad"),
)  # fmt: skip
"""Points of Hebrew, vowel signs and lengthening of Arabic, joiners and soft hyphens: left out."""

_ONE_FOR_ANOTHER: Final = {
    "İ": "i",
    "ё": "е", "Ё": "Е", "ѐ": "е", "Ѐ": "Е", "ѝ": "и", "Ѝ": "И",
    "ς": "σ",
    "ى": "ي", "ی": "ي", "ک": "ك", "آ": "ا", "أ": "ا", "إ": "ا", "ٱ": "ا",
    **dict.fromkeys("\u02b9\u02ba\u02bb\u02bc\u02bd\u02be\u02bf\u02c8\ua78b\ua78c", "'"),
}  # fmt: skip
"""Letters that are replaced. The last row are apostrophes that count as letters, which would join two words."""

_GREEK: Final = (("\u0370", "\u03ff"), ("\u1f00", "\u1fff"))
_WIDE: Final = ("\uff00", "\uffef")
"""Letters, digits and signs of full width, and kana of half width."""
_DIGITS: Final = (("\u0660", "\u0669"), ("\u06f0", "\u06f9"))
_VOICED: Final = "\uff9e\uff9f\u3099\u309a"
"""Marks that change the kana before them."""


class CharacterSet:
    """A set of characters; it finds out whether a text has any of them ten times as fast as a regular expression."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Take ranges of code points, (first, last)."""
        self._has = np.zeros(1 << 16, np.bool_)
        for first, last in ranges:
            codes = np.frombuffer(f"{chr(first)}{chr(last)}".encode("utf-16-le"), np.uint16)
            self._has[codes[0] : codes[len(codes) // 2] + 1] = True
        self._least = int(self._has.argmax())

    def is_in(self, text: str) -> bool:
        """Return False if a text has none of the characters, True if it may have one.

        For characters beyond U+FFFF, only the first halves of their surrogate pairs are compared.
        """
        codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
        return bool(self._has[codes[codes >= self._least]].any())


def plain_letters(text: str) -> str:
    """Return the composed text, with letters that have several forms in one form."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    if not _OTHER.is_in(text):
        return text
    return unicodedata.normalize("NFC", text.translate(_TABLE))


def plain_letters_with_places(text: str) -> tuple[str, list[int]]:
    """Return the result of `plain_letters`, and the index in `text` from which each of its letters comes.

    One more index, the length of `text`, is appended. `text` must be composed.
    """
    found, places = list[str](), list[int]()
    for signs in _LETTER.finditer(text):
        plain = plain_letters(signs[0])
        found.append(plain)
        places += [signs.start()] * len(plain)
    return "".join(found), [*places, len(text)]


def _between(first: str, last: str) -> list[str]:
    return [chr(code) for code in range(ord(first), ord(last) + 1)]


def _table() -> dict[str, str]:
    table = {sign: "" for first, last in _MARKS for sign in _between(first, last)}
    for first, last in _GREEK:
        for letter in _between(first, last):
            base = unicodedata.normalize("NFD", letter)[0]
            if base != letter and base.isalpha():
                table[letter] = base
    for sign in _between(*_WIDE):
        plain = unicodedata.normalize("NFKC", sign)
        if plain != sign:
            table[sign] = "\u3099" if sign == "\uff9e" else "\u309a" if sign == "\uff9f" else plain
    for first, last in _DIGITS:
        table |= {digit: str(unicodedata.digit(digit)) for digit in _between(first, last)}
    return table | _ONE_FOR_ANOTHER


_BY_SIGN: Final = _table()
_TABLE: Final = str.maketrans(_BY_SIGN)
_OTHER: Final = CharacterSet((ord(sign), ord(sign)) for sign in _BY_SIGN)
_LETTER: Final = re.compile(f"[^{_VOICED}][{_VOICED}]*|[{_VOICED}]+", re.DOTALL)
