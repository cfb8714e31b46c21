"""Compares the texts of a store's pages: which are nearly the same, and in which language each is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.analysis.graph import BoolArray, IntArray
from hinterland.crawler.parsing.blocks.main_blocks import BETWEEN_BLOCKS, main_blocks
from hinterland.search.near_duplicates import BINS, EMPTY, BandsInMemory, Signatures, near_pairs, signature
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.compression import unpacked

_ALIKE: Final = 0.95
_LENGTH: Final = 0.05
"""The share by which the lengths of two near-duplicates may differ, since only their beginnings are compared."""
_MOST_CHARACTERS: Final = 10_000
"""How many characters of a text are compared, from its beginning."""
_SHOWS_LANGUAGE: Final = 3_000
"""How many of these characters are used to guess the language."""
_TEXTS: Final = (
    "SELECT content.page, text, main FROM content JOIN page ON page.id = content.page"
    " WHERE page.is_local AND text IS NOT NULL ORDER BY content.page"
)


@dataclass(frozen=True, slots=True, eq=False)
class TextColumns:
    """The signatures of the texts of m pages, shape (m, 128), their languages and their lengths.

    A language is "" if it is the declared one.
    """

    signatures: Signatures
    languages: Sequence[str]
    lengths: IntArray
    """The number of characters of each text."""


def read_texts(reader: StoreReader, pages: IntArray, declared: Sequence[str], *, with_languages: bool) -> TextColumns:
    """Return the signatures, languages and lengths of the main texts of these pages, which are ascending.

    `declared` are the languages that the pages declare. A different language is returned only if it is certain. Takes
    about 100 µs per page.
    """
    unlike: Callable[[str, str], str] = _not_known
    if with_languages:
        from hinterland.library.audit.languages import language_unlike as unlike  # only now: it brings packages

    signatures = np.full((len(pages), BINS), EMPTY, np.uint16)
    languages, lengths = [""] * len(pages), np.zeros(len(pages), np.int32)
    place_of = {page: place for place, page in enumerate(pages.tolist())}
    for page, text, main in reader.connection.execute(_TEXTS):
        if (place := place_of.get(page)) is None:
            continue
        whole = unpacked(text)
        words, lengths[place] = _main_part(whole[:_MOST_CHARACTERS], main), len(whole)
        signatures[place] = signature(words)
        if declared[place]:
            languages[place] = unlike(declared[place], words[:_SHOWS_LANGUAGE])
    return TextColumns(signatures, languages, lengths)


def main_texts(reader: StoreReader) -> Iterator[tuple[int, str]]:
    """Yield each local page with its main text."""
    for page, text, main in reader.connection.execute(_TEXTS):
        yield page, _main_part(unpacked(text), main)


def _main_part(text: str, main: bytes) -> str:
    """Return the main content of a text, or the whole text if its main content is unknown."""
    return (BETWEEN_BLOCKS.join(main_blocks(text, main)) if main else "") or text


def near_groups(texts: TextColumns, pages: IntArray, hosts: IntArray, among: BoolArray) -> list[list[int]]:
    """Return groups of pages of the same host with nearly the same text, each ascending; all arrays have m entries."""
    lengths = texts.lengths
    parents = list(range(len(pages)))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    for firsts, seconds in near_pairs(BandsInMemory(texts.signatures), _ALIKE, hosts.astype(np.uint64), among):
        for first, second in zip(firsts.tolist(), seconds.tolist(), strict=True):
            if abs(int(lengths[first]) - int(lengths[second])) <= _LENGTH * max(lengths[first], lengths[second]):
                one, other = sorted((root(first), root(second)))
                parents[other] = one
    groups: dict[int, list[int]] = {}
    for place in np.flatnonzero(among).tolist():
        groups.setdefault(root(place), []).append(int(pages[place]))
    return [group for group in groups.values() if len(group) > 1]


def _not_known(_declared: str, _text: str) -> str:
    return ""
