"""Collects the suggestions of an index from its documents and their ranks, once both are written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Any, Final, TypeVar

import numpy as np

from hinterland.analysis.chunked import Allocator
from hinterland.analysis.mmap_graph import zeros_in
from hinterland.analysis.ordering import sorted_pairs
from hinterland.search.arranged_phrases import Item, arrange
from hinterland.search.deduplication import places_in
from hinterland.search.index.array_files import growing_arrays
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.index_plan import IndexPlan
from hinterland.search.phrases import HEADING, LINK, NAME, TITLE, common_parts, own_title, weighed
from hinterland.search.ranking import IndexedRanks
from hinterland.search.store.document_store import DocumentStore
from hinterland.search.store.values.arrays import FloatArray, LongArray
from hinterland.storage.sorted_runs import in_order

Row = TypeVar("Row", bound=tuple[Any, ...])

_HIGHEST: Final = 2
"""The deepest level of headings that are suggested. Deeper headings are too many and too vague."""
_AT_ONCE: Final = 10_000

_Named = tuple[str, float, float, int]
"""A name of a page, in the form of `phrases.weighed`."""


def write_suggestions(
    folder: IndexFolder, documents: DocumentStore, plan: IndexPlan, ranks: IndexedRanks | None
) -> None:
    """Write the suggestions of all documents of the plan.

    `ranks` are the ranks in the web. About ten thousand names are in memory at a time, in addition to the site names
    that many titles contain.
    """

    def on_disk(items: Iterable[Item]) -> Iterator[Item]:
        return in_order(items, folder.path)

    names = _Names(
        documents,
        plan,
        (lambda pages: np.zeros(len(pages))) if ranks is None else ranks.of,
        partial(zeros_in, folder.path),
    )
    common = common_parts(((host, title) for _, host, title in documents.titles()), on_disk)
    called = chain(names.titles(common), names.links(), names.of_code(), names.headings())
    with growing_arrays(folder.suggestions) as put:
        arrange(weighed(called), on_disk, put)


class _Names:
    """The names of the pages of a plan, by kind."""

    def __init__(
        self,
        documents: DocumentStore,
        plan: IndexPlan,
        ranks_of: Callable[[LongArray], FloatArray],
        zeros: Allocator,
    ) -> None:
        """Start with the documents of a plan; `ranks_of` returns the ranks of pages."""
        self._documents = documents
        self._pages = plan.pages
        self._members, self._owners = sorted_pairs(plan.members.members, plan.members.owners, zeros)
        self._ranks_of = ranks_of

    def titles(self, common: set[tuple[str, str]]) -> Iterator[_Named]:
        """Yield the titles without the site names in `common`."""
        for (_, host, title), rank in self._ranked(self._documents.titles()):
            yield own_title(host, title, common), TITLE, rank, 1

    def links(self) -> Iterator[_Named]:
        """Yield the anchor texts of links to documents and to pages folded into them."""
        for part in _parts(self._documents.all_anchors()):
            pages = self._documents_of(np.array([target for target, _, _, _ in part], np.int64))
            ranks = self._ranks_of(pages)
            for (_, _, words, count), page, rank in zip(part, pages.tolist(), ranks.tolist(), strict=True):
                if page >= 0:
                    yield words, LINK, rank, count

    def of_code(self) -> Iterator[_Named]:
        """Yield the identifiers that documents define."""
        for (_, names), rank in self._ranked(self._documents.names()):
            yield from ((name, NAME, rank, 1) for name in names)

    def headings(self) -> Iterator[_Named]:
        """Yield the headings of the highest levels."""
        for (_, headings), rank in self._ranked(self._documents.crawled.headings()):
            yield from ((str(text), HEADING, rank, 1) for level, text, *_ in json.loads(headings) if level <= _HIGHEST)

    def _ranked(self, rows: Iterable[Row]) -> Iterator[tuple[Row, float]]:
        """Yield each row with the rank of its page, which is in the first column."""
        for part in _parts(rows):
            pages = np.array([row[0] for row in part], np.int64)
            yield from zip(part, self._ranks_of(pages).tolist(), strict=True)

    def _documents_of(self, pages: LongArray) -> LongArray:
        """Return the representative of each page; -1 if it has none."""
        places, is_folded = places_in(self._members, pages)
        pages = pages.copy()
        pages[is_folded] = self._owners[places[is_folded]]
        return np.where(places_in(self._pages, pages)[1], pages, -1)


def _parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    coming = iter(rows)
    while part := list(islice(coming, _AT_ONCE)):
        yield part
