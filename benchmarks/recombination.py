"""More documents than there are, made of real ones: vocabulary and document frequencies keep their shape. Pure.

A copy of a document keeps its words in their order, with two exceptions. A word in less than COMMON of the documents
has another name in each copy of the collection with a probability q that depends only on the word and the copy, so
within a copy its document frequency is unchanged. Words that keep their name become more frequent with every copy. And
a tenth of the lines, drawn at random, is left out, so that copies differ in length.

q follows from Heaps' law, V(n) = K n^β: m copies together should have m^β times as many different words as one of them.
β is measured on the real documents.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Final
from zlib import crc32

from hinterland.search.store.indexed_text import IndexedText

COMMON: Final = 0.01
"""Words in so large a share of the documents are the same everywhere."""
_DROPPED: Final = 0.1
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Growth:
    """How the vocabulary of a collection grows: Heaps' exponent β, and the q of m copies."""

    exponent: float
    chance: float


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(text.lower())


def heaps_exponent(documents: Iterable[str]) -> float:
    """β by least squares over the logarithms, at each doubling of the documents from the 64th on."""
    seen = set[str]()
    words, points, next_point = 0, list[tuple[float, float]](), 64
    for number, text in enumerate(documents, 1):
        found = words_of(text)
        words += len(found)
        seen.update(found)
        if number == next_point:
            points.append((log(words), log(len(seen))))
            next_point *= 2
    if len(points) < 2:
        raise ValueError("fewer than 128 documents: their vocabulary says nothing of its growth")
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def chance_of(exponent: float, copies: int, rare: int, vocabulary: int) -> float:
    """q, so that `copies` copies have copies^β times the vocabulary, of which `rare` words can have other names."""
    if copies <= 1 or not rare:
        return 0.0
    wanted = float(copies**exponent - 1.0) * vocabulary
    return min(1.0, wanted / ((copies - 1) * rare))


class Recombination:
    """Makes copies. common: words that keep their name."""

    def __init__(self, common: Collection[str], chance: float) -> None:
        """Keep common words, and rename the others with this probability."""
        self._common = frozenset(common)
        self._limit = int(chance * 0xFFFFFFFF)

    def copy(self, document: IndexedText, number: int, page: int) -> IndexedText:
        """Return copy `number` of a document, from 1, as `page`; number 0 is the document itself."""
        if not number:
            return replace(document, page=page)
        names: dict[str, str] = {}
        texts = [(field, self._text(text, number, page, names), weight) for field, text, weight in document.texts]
        url = f"{document.url}?copy={number}"
        return replace(document, page=page, fingerprint=page, url=url, texts=texts)

    def _text(self, text: str, number: int, page: int, names: dict[str, str]) -> str:
        lines: Sequence[str] = text.split("\n")
        if len(lines) > 2:
            lines = [
                line for place, line in enumerate(lines) if _random_number(f"{page} {place}") >= _DROPPED * 0xFFFFFFFF
            ]
        return _WORD.sub(lambda word: self._named(word[0], number, names), "\n".join(lines))

    def _named(self, word: str, number: int, names: dict[str, str]) -> str:
        known = names.get(word)
        if known is None:
            plain = word.lower()
            renamed = plain not in self._common and _random_number(f"{number} {plain}") < self._limit
            known = names[word] = f"{word}{_letters(number)}" if renamed else word
        return known


def _random_number(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def _letters(number: int) -> str:
    """Return a suffix of letters that no stemmer removes."""
    return "q" + "".join("zxjvwkpb"[int(digit, 8)] for digit in f"{number:o}")
