"""What somebody who typed a few letters may be about to type: titles, headings, words of links, names of code. Pure.

Every phrase stands in one array once for each of its words, by the first eight bytes from that word on, in their order:
what begins with the letters typed is a run of the array, found by two searches. Of a run that is long the heaviest are
found by the heaviest of each block of 64: no more than `n` blocks can hold the `n` heaviest.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.search.store.values.arrays import LongArray

KEY: Final = 8
"""Bytes of an entry that it is found by."""

_MOST_WORDS: Final = 8
"""Of a phrase that it is found by."""
_BLOCK: Final = 64
_TRIES: Final = (64, 2_048)
"""So many of the heaviest that agree with what was typed as far as keys go are looked at, then so many."""
_MOST_ENTRIES: Final = 200_000
"""Of the word with the fewest that are looked at for other words."""

_WORD: Final = re.compile(r"(?<![^\W_])[^\W_]")
_SPACE: Final = re.compile(r"\s+")


def folded(text: str) -> str:
    """As it is compared: in small letters, without accents, with single spaces."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text.casefold())
        text = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return _SPACE.sub(" ", text.lower()).lstrip()


class Suggestions:
    """Phrases by their words. Safe to be asked by many threads."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """arrays: as `arranged_phrases.arrange` makes them."""
        self._text = arrays["text"]
        self._begins = arrays["begins"]
        self._keys = arrays["keys"]
        self._phrases = arrays["phrases"]
        self._weights = arrays["weights"]
        blocks = np.arange(0, len(self._weights), _BLOCK)
        self._heaviest = np.maximum.reduceat(self._weights, blocks) if len(blocks) else self._weights

    def __len__(self) -> int:
        return len(self._begins) - 1

    def starting_with(self, typed: str, most: int) -> list[str]:
        """The heaviest phrases with words that begin as typed: all of it in a row; if these are few, then those in
        which each typed word begins a word.
        """
        asked = folded(typed)
        words = asked.split()
        if not words:
            return []
        found = self._in_a_row(asked, most)
        if len(found) < most and len(words) > 1:
            others = self._with_all(words, most)
            found += [phrase for phrase in others if phrase not in found]
        return [self._phrase(phrase) for phrase in found[:most]]

    def _in_a_row(self, asked: str, most: int) -> list[int]:
        begin, end = self._run(asked)
        if len(asked.encode("utf-8", "replace")) <= KEY:
            return self._distinct(self._heaviest_in(begin, end, _MOST_WORDS * most))[:most]
        found: list[int] = []
        for tries in _TRIES:  # longer than the keys are
            phrases = self._distinct(self._heaviest_in(begin, end, tries))
            found = [each for each in phrases if _has_word_beginning(folded(self._phrase(each)), asked)][:most]
            if len(found) == most or end - begin <= tries:
                break
        return found

    def _with_all(self, words: Sequence[str], most: int) -> list[int]:
        """Phrases in which each of these begins a word."""
        runs = sorted((self._run(word) for word in words), key=lambda run: run[1] - run[0])
        (begin, end), *others = runs
        entries = np.arange(begin, min(end, begin + _MOST_ENTRIES))
        for run_begin, run_end in others:
            is_there = np.zeros(len(self), np.bool_)
            is_there[self._phrases[run_begin:run_end]] = True
            entries = entries[is_there[self._phrases[entries]]]
        entries = entries[np.argsort(-self._weights[entries], kind="stable")]
        long = [word for word in words if len(word.encode("utf-8", "replace")) > KEY]
        phrases = self._distinct(entries[: _TRIES[0]])
        if long:
            keys = {each: folded(self._phrase(each)) for each in phrases}
            phrases = [each for each in phrases if all(_has_word_beginning(keys[each], word) for word in long)]
        return phrases[:most]

    def _run(self, asked: str) -> tuple[int, int]:
        """Of the entries that begin so, as far as keys go."""
        key = asked.encode("utf-8", "replace")[:KEY]
        first, last = (int.from_bytes(key.ljust(KEY, filling), "big") for filling in (b"\0", b"\xff"))
        begin = np.searchsorted(self._keys, np.uint64(first))
        return int(begin), int(np.searchsorted(self._keys, np.uint64(last), "right"))

    def _heaviest_in(self, begin: int, end: int, count: int) -> LongArray:
        """Entries from begin to below end, the heaviest first; of those of one weight the first."""
        if end - begin > 4 * _BLOCK * count:
            first, last = -(-begin // _BLOCK), end // _BLOCK
            blocks = first + np.argpartition(-self._heaviest[first:last], count)[:count]
            within = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
            edges = np.r_[begin : first * _BLOCK, last * _BLOCK : end]
            entries = np.sort(np.concatenate((within, edges)))
        else:
            entries = np.arange(begin, end)
        if len(entries) > count:
            least = -np.partition(-self._weights[entries], count - 1)[count - 1]
            entries = entries[self._weights[entries] >= least]
        return np.asarray(entries[np.argsort(-self._weights[entries], kind="stable")][:count], np.int64)

    def _distinct(self, entries: LongArray) -> list[int]:
        return list(dict.fromkeys(self._phrases[entries].tolist()))

    def _phrase(self, place: int) -> str:
        return str(self._text[self._begins[place] : self._begins[place + 1]].tobytes().decode())


def starts(key: str) -> Iterator[int]:
    """Where the first words of a folded phrase begin; the first of all at its first sign."""
    if key:
        yield 0
    for match in islice(_WORD.finditer(key, 1), _MOST_WORDS - 1):
        yield match.start()


def _has_word_beginning(key: str, asked: str) -> bool:
    return any(key.startswith(asked, start) for start in starts(key))
