"""Columns that deduplication needs: a number for each page, read from the store and the digests."""

from __future__ import annotations

import re
import zlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, chunks
from hinterland.analysis.ordering import numbered
from hinterland.search.deduplication import places_in
from hinterland.search.store.document_store import DocumentStore
from hinterland.search.store.values.arrays import LongArray
from hinterland.search.store.values.documents import Redirects
from hinterland.search.url_languages import language_number

_DIFFERING: Final = re.compile(r"[\d\s.]+")
_MOST_OF_ONE_TITLE: Final = 50
_ROWS: Final = 10_000

T = TypeVar("T")


class PageColumns:
    """Reads columns of numbers about some pages, in ascending order of the pages; each has shape (n,)."""

    def __init__(self, store: DocumentStore, pages: LongArray, zeros: Allocator) -> None:
        """Start with these pages; `zeros` allocates each column."""
        self._store = store
        self._pages = pages
        self._zeros = zeros

    def titles(self) -> NDArray[np.uint64]:
        """Return a hash of each title without digits and dots, which differ between versions of a manual.

        Pages without a title, or with a title that very many pages share ("Member List"), get a unique number. Such
        pages are like forms: they differ in a few words only, but these words matter.
        """
        titles: NDArray[np.uint64] = self._zeros(len(self._pages), np.uint64)
        for part in chunks(len(titles)):
            titles[part] = _alone(part)
        for rows in _chunks(self._store.crawled.titles()):
            of_title, hashes = array("q"), array("Q")
            for page, title in rows:
                if words := _DIFFERING.sub("", title.lower()):
                    of_title.append(page)
                    hashes.append(_crc(words))
            places, is_there = places_in(self._pages, np.frombuffer(of_title, np.int64))
            titles[places[is_there]] = np.frombuffer(hashes, np.uint64)[is_there]
        group, count = numbered(titles, self._zeros)
        sizes = self._zeros(count, np.int32)
        for part in chunks(len(titles)):
            np.add.at(sizes, group[part], 1)
        for part in chunks(len(titles)):
            titles[part] = np.where(sizes[group[part]] > _MOST_OF_ONE_TITLE, _alone(part), titles[part])
        return titles

    def languages(self) -> NDArray[np.uint16]:
        """Return the language of each page's content as a number."""
        languages: NDArray[np.uint16] = self._zeros(len(self._pages), np.uint16)
        for rows in _chunks(self._store.page_languages()):
            places, is_there = places_in(self._pages, np.array([page for page, _ in rows], np.int64))
            numbers = np.array([language_number(language) for _, language in rows], np.uint16)
            languages[places[is_there]] = numbers[is_there]
        return languages

    def anchors(self, redirects: Redirects) -> tuple[LongArray, NDArray[np.uint64]]:
        """Return two columns about the links to each page that have a text: their number, and a hash of their texts.

        The hash does not depend on the order of the links. A link to a URL that redirects to the page counts, too.
        `redirects` are the redirects that end at these pages, with ascending sources.
        """
        inlinks: LongArray = self._zeros(len(self._pages), np.int64)
        prints: NDArray[np.uint64] = self._zeros(len(self._pages), np.uint64)
        for rows in _chunks(self._store.all_anchors()):
            targets = np.array([target for target, _, _, _ in rows], np.int64)
            counts = np.array([count for _, _, _, count in rows], np.int64)
            is_inside = np.array([inside for _, inside, _, _ in rows], np.int64)
            hashes = np.array([_crc(words) for _, _, words, _ in rows], np.uint64)
            hops, moves = places_in(redirects.sources, targets)
            targets[moves] = redirects.ends[hops[moves]]
            places, is_there = places_in(self._pages, targets)
            np.add.at(inlinks, places[is_there], counts[is_there])
            values = hashes * (2 * counts + is_inside).astype(np.uint64) + np.uint64(1)
            np.add.at(prints, places[is_there], values[is_there])
        return inlinks, prints


def _alone(part: slice) -> NDArray[np.uint64]:
    """Return a unique number for each page, larger than any hash."""
    return (np.arange(part.start, part.stop) + (1 << 32)).astype(np.uint64)


def _chunks(rows: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, _ROWS)):
        yield chunk


def _crc(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))
