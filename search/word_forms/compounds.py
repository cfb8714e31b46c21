"""The compounds of an index by their parts, so that `Behandlung` finds `Fehlerbehandlung`. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.search.arranged_phrases import ArraySink
from hinterland.search.word_forms.splitting import LEAST_COMPOUND, Splitter

MOST_TERMS: Final = 1 << 19
"""Maximum number of terms of a language that are split, the most frequent first. Each takes about 200 bytes of memory
while the index is built.
"""
MOST_OF_PART: Final = 30
"""Maximum number of compounds that are kept for each part, the most frequent first."""
_SHORTENED: Final = ("ung", "heit", "keit")
"""Endings that the German stemmer removes from long words only: `Zeitung` stays, `Tageszeitung` becomes `tageszeit`."""
_BY_PART: Final = "_of_parts"
_CUT: Final = (1, 2, 3)
"""How many letters a stemmer removes from short words that it leaves at the end of long ones, as in Swedish `plats`."""
_BEFORE: Final = "baba"
"""Letters that make a word long for the stemmer."""


def compounds_in(terms: Mapping[str, int], splitter: Splitter) -> dict[str, list[str]]:
    """Return the compounds among the terms of a language by their parts, the most frequent first.

    `terms` holds each term with its number of documents; `splitter` has to use the same numbers. A part of a part of a
    compound counts as a part of the compound.
    """
    lasts = _Lasts(terms, splitter.stem)
    parts = dict[str, frozenset[str]]()
    for term in sorted(terms, key=len):
        if len(term) >= LEAST_COMPOUND and term.isalpha():
            found = splitter.parts(term, term, lasts)
            if found:
                parts[term] = frozenset(found).union(*(parts.get(part, ()) for part in found))
    compounds = defaultdict[str, list[str]](list)
    for term in sorted(parts, key=lambda term: (-terms[term], term)):
        for part in parts[term]:
            if len(compounds[part]) < MOST_OF_PART:
                compounds[part].append(term)
    return compounds


class _Lasts:
    """Finds the terms of which the last part of a compound may be a form.

    The stemmer changes long words more than short ones. So the end of a compound's stem may differ from the stem of its
    last part.
    """

    def __init__(self, terms: Mapping[str, int], stem: Callable[[str], str]) -> None:
        self._terms = terms
        self._stem = stem
        self._of_end = dict[str, list[str]]()
        for term in terms:
            if term.endswith(_SHORTENED):
                end = stem(_BEFORE + term).removeprefix(_BEFORE)
                if end != term:
                    self._of_end.setdefault(end, []).append(term)

    def __call__(self, end: str) -> Sequence[str]:
        found = self._of_end.get(end, ())
        if end in self._terms:
            return (end, *found)
        if any(end[:-cut] in self._terms for cut in _CUT):
            return (self._stem(end), *found)
        return found


def arrange_compounds(language: str, compounds: Mapping[str, Sequence[str]], put: ArraySink) -> None:
    """Build the arrays of a `Compounds` from what `compounds_in` returns."""
    parts = sorted(compounds)
    every = sorted({compound for part in parts for compound in compounds[part]})
    places = {compound: place for place, compound in enumerate(every)}
    _put_words(f"{language}_parts", parts, put)
    _put_words(f"{language}_compounds", every, put)
    put(f"{language}_begins", np.cumsum([0, *(len(compounds[part]) for part in parts)], dtype=np.uint32))
    put(f"{language}{_BY_PART}", np.array([places[each] for part in parts for each in compounds[part]], np.uint32))


def _put_words(name: str, words: Sequence[str], put: ArraySink) -> None:
    encoded = [word.encode() for word in words]
    put(name, np.frombuffer(b"".join(encoded), np.uint8))
    put(f"{name}_begins", np.cumsum([0, *map(len, encoded)], dtype=np.uint32))


class Compounds:
    """The compounds of one language of an index, found by their parts."""

    def __init__(self, language: str, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Wrap the arrays that `arrange_compounds` builds."""
        self._parts = _Words(arrays[f"{language}_parts"], arrays[f"{language}_parts_begins"])
        self._compounds = _Words(arrays[f"{language}_compounds"], arrays[f"{language}_compounds_begins"])
        self._begins = arrays[f"{language}_begins"]
        self._of_parts = arrays[f"{language}{_BY_PART}"]

    def with_part(self, part: str) -> Iterator[str]:
        """Yield the terms of compounds with a part, the most frequent first."""
        place = bisect_left(self._parts, part)
        if place < len(self._parts) and self._parts[place] == part:
            for compound in self._of_parts[self._begins[place] : self._begins[place + 1]].tolist():
                yield self._compounds[compound]


def compounds_by_language(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Compounds]:
    """Return the compounds of each language in the arrays."""
    languages = [name.removesuffix(_BY_PART) for name in arrays if name.endswith(_BY_PART)]
    return {language: Compounds(language, arrays) for language in languages}


class _Words(Sequence[str]):
    """Words in ascending order, which are decoded when they are accessed."""

    def __init__(self, letters: NDArray[np.uint8], begins: NDArray[np.uint32]) -> None:
        self._letters = letters
        self._begins = begins

    def __len__(self) -> int:
        return len(self._begins) - 1

    def __getitem__(self, place: Any) -> Any:
        return self._letters[self._begins[place] : self._begins[place + 1]].tobytes().decode()
