"""Arrays of an index as they are made a part at a time, in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hinterland.search.arranged_phrases import MOST_PHRASES, ArraySink, Weighed, arrange
from hinterland.search.document_frequencies import CountedWord, DocumentFrequencies, arrange_words
from hinterland.search.suggestions import Suggestions, folded
from hinterland.search.vocabulary import Vocabulary


def arrays_of(make: Callable[[ArraySink], None]) -> dict[str, NDArray[Any]]:
    parts: defaultdict[str, list[NDArray[Any]]] = defaultdict(list)
    make(lambda name, part: parts[name].append(part))
    return {name: np.concatenate(of_array) for name, of_array in parts.items()}


def suggestions_of(phrases: Iterable[Weighed], most: int = MOST_PHRASES) -> Suggestions:
    return Suggestions(arrays_of(lambda put: arrange(phrases, sorted, put, most)))


def suggestions(phrases: Mapping[str, float]) -> Suggestions:
    """Of phrases with their weights."""
    rows = enumerate(phrases.items())
    return suggestions_of([(folded(phrase), phrase, number, weight, False) for number, (phrase, weight) in rows])


class Rows:
    """Counted words, all of them in memory."""

    def __init__(self) -> None:
        self._rows: list[CountedWord] = []

    def extend(self, items: Iterable[CountedWord], /) -> None:
        self._rows += items

    def __iter__(self) -> Iterator[CountedWord]:
        return iter(sorted(self._rows))


def vocabulary(counts: Mapping[str, int]) -> Vocabulary:
    """Of words with the numbers of documents that have them."""
    words = DocumentFrequencies(Rows(), counts.items())
    return Vocabulary(arrays_of(lambda put: arrange_words(words, put)))
