"""What a page says as numbers, by which pages that bring nothing new are noticed. Pure."""

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
    """What is wanted of what a page says."""

    NOTHING = 0
    TEXT = 1
    """Whether it is the same as another's."""
    WORDS = 2
    """Whether there is anything new in it."""


class TextHashes(msgspec.Struct, frozen=True, array_like=True):
    """What a page says, as far as somebody wants to know. text: 64 bits of its visible text. letters: of the letters
    alone of a sample, so that dates and counters make no difference. words: 32-bit hashes of distinct words in it.
    """

    text: int | None = None
    letters: int | None = None
    words: bytes | None = None


NO_HASHES: Final = TextHashes()


def text_hashes(text: bytes, body: bytes, interest: int) -> TextHashes:
    """text: the visible text, UTF-8. A page without any says what its body says."""
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
    """The begin, the middle and the end of a long text."""
    if len(text) <= 4 * _SLICE:
        return text
    middle = len(text) // 2
    return b" ".join((text[:_SLICE], text[middle : middle + _SLICE], text[-_SLICE:]))


def _word_hashes(text: bytes) -> bytes:
    """What has digits or signs is not a word."""
    words = {word for word in text.decode("utf-8", "ignore").lower().split() if word.isalpha()}
    return array("I", [crc32(word.encode()) for word in words]).tobytes()
