"""A page as counts of hashed words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

FIELD_BITS: Final = 16
FIELD_BUCKETS: Final = 1 << FIELD_BITS
BUCKETS: Final = 2 * FIELD_BUCKETS
"""The number of buckets. The first half is for words of the text, the second for words of title and headings, and for
pairs of these.
"""

MAX_TEXT_CHARACTERS: Final = 12_000
"""The length of the beginning of the visible text that counts, which is enough to show what a page is about."""
MAX_HEAD_CHARACTERS: Final = 1_000
"""The length of the beginning of title and headings together that counts."""
MAX_LINK_CHARACTERS: Final = 12_000
HEAD_WORDS_COUNT: Final = 2
"""How often a word of title or headings also counts as a word of the text, so that what is learnt from one helps in the
other.
"""

_MAX_REMEMBERED: Final = 200_000
_NO_WORD: Final = -1
_MOST_LETTERS: Final = 40
_MOST_HEADINGS: Final = 30
_PLAIN: Final = bytes(
    byte if byte >= 0x80 else ord(chr(byte).lower()) if chr(byte).isalnum() or chr(byte) == "_" else 0x20
    for byte in range(256)
)
"""A translation table: ASCII letters become lower case, and ASCII characters outside of words become spaces."""
_LEADS_OF_UNSPACED: Final = bytes((0xE0, 0xE1, *range(0xE3, 0xEA), 0xEF))
"""The first UTF-8 bytes of everything that _UNSPACED matches: searching for them first takes a tenth of the time."""
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
"""Scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

_BETWEEN: Final = b"\xff"
"""A byte that UTF-8 never contains."""

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PageWordCounts:
    """A page as a sparse row.

    `buckets`, int32, shape (k,), are distinct; the buckets of words of the text come first. `counts`, float32, shape
    (k,), is how often each occurs. `text_words` is how many of the buckets belong to the text.
    """

    buckets: IntArray
    counts: FloatArray
    text_words: int


class _Memory(dict[bytes, int]):
    """A cache of the bucket of each word, as a word of the text; it is emptied when it is full."""

    def __missing__(self, word: bytes) -> int:
        """Compute and keep the bucket of a word."""
        if len(self) >= _MAX_REMEMBERED:
            self.clear()
        bucket = self[word] = _bucket(word)
        return bucket


_bucket_of: Final = _Memory()


def word_counts(
    title: str, headings: Sequence[str], text: str | bytes, link_texts: Sequence[str] = ()
) -> PageWordCounts:
    """Return the words of a page, with how often each occurs; occurrences in the texts of links do not count."""
    remembered = _bucket_of.__getitem__
    words = Counter(map(remembered, words_of(text, MAX_TEXT_CHARACTERS)))
    if link_texts:
        in_links = Counter(map(remembered, words_of(" ".join(link_texts), MAX_LINK_CHARACTERS)))
        words = words - in_links
    head = [
        bucket for bucket in map(remembered, words_of(head_of(title, headings), MAX_HEAD_CHARACTERS)) if bucket >= 0
    ]
    for bucket in head:
        words[bucket] += HEAD_WORDS_COUNT
    words.pop(_NO_WORD, None)
    heads = Counter(head_buckets(head))
    text_words, head_words = len(words), len(heads)
    buckets = np.fromiter(words.keys(), np.int32, text_words)
    counts = np.fromiter(words.values(), np.float32, text_words)
    if head_words:
        buckets = np.concatenate((buckets, np.fromiter(heads.keys(), np.int32, head_words)))
        counts = np.concatenate((counts, np.fromiter(heads.values(), np.float32, head_words)))
    return PageWordCounts(buckets, counts, text_words)


def head_of(title: str, headings: Sequence[str]) -> str:
    """Return the title and the first headings as one text."""
    return " ".join((title, *islice(headings, _MOST_HEADINGS)))


def head_buckets(head: Sequence[int]) -> list[int]:
    """Return the buckets of the words of title and headings, and of pairs of adjacent words, in the second half of all.

    `head` holds the words in order, by their buckets as words of the text.
    """
    alone = [FIELD_BUCKETS + (bucket * 0x9E37 + 0x79B9 & FIELD_BUCKETS - 1) for bucket in head]
    pairs = [
        FIELD_BUCKETS + ((first * 0x6C07 + second * 0x85EB + 0x1B56) >> 3 & FIELD_BUCKETS - 1)
        for first, second in pairwise(head)
    ]
    return alone + pairs


def words_of(text: str | bytes, most_characters: int) -> list[bytes]:
    """Return the words of a text (str or UTF-8), split at spaces and ASCII punctuation.

    They are UTF-8, with ASCII letters in lower case.
    """
    data = text[:most_characters]
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if not data.isascii() and len(data.translate(None, _LEADS_OF_UNSPACED)) < len(data):
        data = _UNSPACED.sub(_in_pairs, data.decode("utf-8", "replace")).encode("utf-8", "replace")
    return data.translate(_PLAIN).split()


def words_of_each(texts: Sequence[str]) -> list[list[bytes]]:
    """Return the words of each text, as `words_of` does, but in half the time for many short texts."""
    if not texts:
        return []
    data = _BETWEEN.join([text.encode("utf-8", "replace") for text in texts])
    if len(data.translate(None, _LEADS_OF_UNSPACED)) < len(data):
        return [words_of(text, len(text)) for text in texts]
    return [text.split() for text in data.translate(_PLAIN).split(_BETWEEN)]


def buckets_of(words: Iterable[bytes]) -> list[int]:
    """Return the bucket of each word, as `bucket_of` does."""
    return list(map(_bucket_of.__getitem__, words))


def bucket_of(word: bytes) -> int:
    """Return the bucket of a word from `words_of`, as a word of the text.

    It is -1 for digits, single letters and overlong words, which do not count.
    """
    return _bucket_of[word]


def _bucket(word: bytes) -> int:
    """Return the bucket of a word; non-ASCII punctuation is stripped and letters are put into lower case."""
    if not word.isascii():
        text = word.decode("utf-8", "replace").lower()
        begin, end = 0, len(text)
        while begin < end and not text[begin].isalnum():
            begin += 1
        while begin < end and not text[end - 1].isalnum():
            end -= 1
        word = text[begin:end].encode("utf-8", "replace")
    word = word.strip(b"_")
    if len(word) < 2 or len(word) > _MOST_LETTERS or word.isdigit():
        return _NO_WORD
    return crc32(word) & FIELD_BUCKETS - 1


def _in_pairs(run: re.Match[str]) -> str:
    """Return overlapping pairs of letters, which stand for words in scripts without spaces."""
    letters = run[0]
    return " " + " ".join(map("".join, pairwise(letters))) + " " if letters[1:] else f" {letters} "
