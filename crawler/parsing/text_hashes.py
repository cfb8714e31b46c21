"""Hashes a page's text, so that pages without anything new can be recognised. Pure."""

from __future__ import annotations

from array import array
from enum import IntEnum
from hashlib import blake2b, sha1
from typing import Final
from zlib import crc32

import msgspec

_NO_LETTERS: Final = bytes(code for code in range(128) if not chr(code).isalpha())
_FEW_LETTERS = 24
_SLICE = 3_000  # bytes


class Interest(IntEnum):
    """How much of a page's text to hash."""

    NOTHING = 0
    TEXT = 1
    """The whole text: enough to see whether it equals the text of another page."""
    WORDS = 2
    """Also letters and words: enough to see whether the text says anything new."""


class TextHashes(msgspec.Struct, frozen=True, array_like=True):
    """The requested hashes of a page's text.

    `text` is a 64-bit hash of the visible text. `letters` is a hash of the letters alone in a sample, so that dates and
    counters make no difference. `words` holds the 32-bit hashes of the distinct words in the sample.
    """

    text: int | None = None
    letters: int | None = None
    words: bytes | None = None


NO_HASHES: Final = TextHashes()


def text_hashes(text: bytes, body: bytes, interest: int) -> TextHashes:
    """Return the hashes that `interest`, an Interest, requests.

    `text` is the visible text in UTF-8. If it is empty, `body` is hashed instead.
    """
    if interest == Interest.NOTHING:
        return NO_HASHES
    told = text.strip() or body
    whole = int.from_bytes(sha1(told, usedforsecurity=False).digest()[:8], "big", signed=True)
    if interest == Interest.TEXT:
        return TextHashes(whole)
    sample = _sample(told)
    letters = sample.translate(None, _NO_LETTERS)
    if len(letters) < _FEW_LETTERS:
        letters = told
    shown = int.from_bytes(blake2b(letters, digest_size=8).digest(), "big", signed=True)
    return TextHashes(whole, shown, _word_hashes(sample))


def _sample(text: bytes) -> bytes:
    """Return the beginning, the middle and the end of a long text."""
    if len(text) <= 4 * _SLICE:
        return text
    middle = len(text) // 2
    return b" ".join((text[:_SLICE], text[middle : middle + _SLICE], text[-_SLICE:]))


def _word_hashes(text: bytes) -> bytes:
    """Return the hashes of the words; tokens with digits or signs are not words."""
    words = {word for word in text.decode("utf-8", "ignore").lower().split() if word.isalpha()}
    return array("I", [crc32(word.encode()) for word in words]).tobytes()
