"""Searches an index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hinterland.crawler.settings import SearchSettings
from hinterland.search.answers import MOST_HITS, MOST_OFFSET, ORDERS, IndexedRank, QueryError, SearchAnswer
from hinterland.search.grouping import BLOCK
from hinterland.search.index.facets import facets
from hinterland.search.index.hit_view import HitView
from hinterland.search.index.index_folder import IndexFolder, IndexManifest
from hinterland.search.index.opened_index import OpenedIndex, damaged, stamp_of
from hinterland.search.index.retrieval import Retrieval
from hinterland.search.index.scoring import CANDIDATES, Candidates, Scoring
from hinterland.search.index.store_changes import StoreChanges
from hinterland.search.ranking import IndexedRanks, RankedHits
from hinterland.search.store.document_store import DocumentStore, DocumentsUnreadable, document_store
from hinterland.search.store.values.documents import DOCUMENT_VERSION
from hinterland.search.store.values.term_query import TermQuery


def require_bounds(limit: int, offset: int, order: str) -> None:
    """Raise QueryError unless limit, offset and order are within their bounds."""
    if not 1 <= limit <= MOST_HITS or not 0 <= offset <= MOST_OFFSET:
        raise QueryError(
            f"limit has to be from 1 to {MOST_HITS} and offset from 0 to {MOST_OFFSET:,}, not {limit} and {offset}"
        )
    if order not in ORDERS:
        raise QueryError(f"order is {order!r}; it has to be one of {', '.join(map(repr, ORDERS))}")


def depth_of(limit: int, offset: int, *, is_grouped: bool) -> int:
    """Return how many of the best hits must be known to show `limit` hits from `offset` on."""
    return offset + limit if not is_grouped else -(-(offset + limit) // BLOCK) * BLOCK


class SearchIndex:
    """An index that is open for searching. Thread-safe."""

    def __init__(
        self,
        folder: IndexFolder,
        settings: SearchSettings,
        *,
        store: Path | None = None,
        clock: Callable[[], float] = time.time,
        ranks: IndexedRanks | None = None,
        candidates: Candidates = CANDIDATES,
    ) -> None:
        """Open the index in a folder.

        `store` is the path of the store from which the index was built, to report changes of the store; the store may
        be gone. `ranks` replaces the index's own ranks, for experiments. `candidates` bounds how many pages are
        considered. Raises NoIndex, and BadSiteRules if the site rules cannot be read.
        """
        self._folder = folder
        self._store = store
        self._changes = None if store is None else StoreChanges(store)
        self._settings = settings
        self._clock = clock
        self._given_ranks = ranks
        self._scoring = Scoring.under(settings, candidates)
        self._state = self._opened()

    @classmethod
    def open(cls, directory: Path, settings: SearchSettings | None = None) -> SearchIndex:
        """Open the index in a directory.

        Raises NoIndex.
        """
        return cls(IndexFolder(directory), settings or SearchSettings())

    @property
    def manifest(self) -> IndexManifest:
        """The manifest of the open index."""
        return self._state.manifest

    def refresh(self) -> bool:
        """Reopen the index if it has changed since it was opened; return whether it was reopened.

        Raises NoIndex.
        """
        if stamp_of(self._folder) == self._state.stamp:
            return False
        self._state = self._opened()
        return True

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        explain: bool = False,
        grouped: bool = False,
        order: str = "",
        with_facets: bool = False,
        verbatim: bool = False,
        marks_titles: bool = True,
    ) -> SearchAnswer:
        """Return the best pages from `offset` on.

        `explain` splits the text part of scores by field, at the cost of one more search for each field. `grouped`
        keeps one site from filling a page of results, see `grouping`. `order` is one of ORDERS. `with_facets` counts
        the matching pages. `verbatim` disables spelling correction. Without `marks_titles`, titles are one fragment
        each, which takes less time. Raises QueryError, and NoIndex if the index is damaged.
        """
        require_bounds(limit, offset, order)
        began = time.perf_counter()
        state = self._state
        retrieval = self.retrieval(state)
        understood = retrieval.understood(query)
        is_grouped = grouped and not (order or understood.terms.sites)
        depth = depth_of(limit, offset, is_grouped=is_grouped)
        rescue = None
        if order:
            found, said = retrieval.newest(understood.terms, depth)
        else:
            found, said, rescue = retrieval.answered(query, understood.terms, depth, verbatim=verbatim)
        answered = rescue.corrected if rescue is not None and rescue.corrected else query
        with self.documents() as documents:
            view = self.view(state, documents, marks_titles=marks_titles)
            shown = view.shown(found, offset, limit, explain=explain, is_grouped=is_grouped)
        boosts = self._scoring.boosts
        return SearchAnswer(
            query=query,
            hits=shown,
            offset=offset,
            total=found.hits.total,
            is_exact=found.hits.is_exact,
            notes=(*understood.notes, *self.notes(state.manifest), *said),
            seconds=time.perf_counter() - began,
            facets=tuple(facets(state.terms, state.manifest, found.counted, boosts, answered)) if with_facets else (),
            rescue=rescue,
        )

    def ranking(self, query: str, limit: int = 10) -> RankedHits:
        """Return the best pages that have all words of a query, without their texts.

        Raises QueryError.
        """
        retrieval = self.retrieval(self._state)
        return retrieval.ranked(retrieval.understood(query).terms, limit)

    def text_scores(self, query: str, pages: Sequence[int]) -> dict[int, float]:
        """Return the text scores of these pages, even of pages that lack words.

        Pages without any of the words and pages outside the index are left out. Raises QueryError.
        """
        state = self._state
        asked = TermQuery(required=self.retrieval(state).understood(query).terms.required)
        return state.terms.scores_of(asked, self._scoring.boosts, pages)

    def matched_words(self, query: str, page: int, text: str) -> frozenset[str]:
        """Return the words of a text that match the query, in lower case.

        `page` determines the language. Raises QueryError, and NoIndex if the index is damaged.
        """
        state = self._state
        terms = self.retrieval(state).understood(query).terms
        with self.documents() as documents:
            known = documents.documents([page]).get(page)
        pieces = state.terms.highlighted(terms, text, "body", known.language if known is not None else "")
        return frozenset(piece.lower() for piece, is_match in pieces if is_match)

    def main_content(self, page: int) -> str | None:
        """Return the main content of a document, with an empty line between paragraphs.

        Returns None if the page is not a document. Raises NoIndex if the index is damaged.
        """
        return self.main_contents([page]).get(page)

    def main_contents(self, pages: Sequence[int]) -> dict[int, str]:
        """Return the main content of each page that is a document, as `main_content` does."""
        with self.documents() as documents:
            return {page: known.text for page, known in documents.documents(pages).items()}

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        """Return completions of the typed text, those from the highest-ranked pages first.

        They are titles, headings, link texts and identifiers. An index of an earlier version has none. Raises NoIndex
        if the index is damaged.
        """
        suggestions = self._state.suggestions.value()
        return suggestions.starting_with(typed, limit) if suggestions is not None else []

    def rank_of(self, page: int) -> IndexedRank | None:
        """Return the rank of a page, or None if the index has none."""
        state = self._state
        place = state.ranks.place_of(page)
        if place is None:
            return None
        times = float(state.ranks.of(np.array([page], np.int64))[0])
        is_of_web = self._settings.rank_source == "web"
        return IndexedRank(place, len(state.ranks), times, is_of_web, state.manifest.estimator)

    # ---------------------------------------------------------------- for a search of several indexes

    @property
    def state(self) -> OpenedIndex:
        """The files of the index that are open now."""
        return self._state

    @property
    def store(self) -> Path | None:
        """The path of the store, if it was given."""
        return self._store

    @property
    def scoring(self) -> Scoring:
        """The weights of this index."""
        return self._scoring

    def retrieval(self, state: OpenedIndex) -> Retrieval:
        """Return the retrieval for an open index."""
        return Retrieval(state, self._scoring, self._clock)

    def view(self, state: OpenedIndex, documents: DocumentStore, *, marks_titles: bool) -> HitView:
        """Return the view that shows the hits of an open index."""
        return HitView(state, self._scoring, documents, marks_titles=marks_titles)

    @contextmanager
    def documents(self) -> Iterator[DocumentStore]:
        """Open the document store inside the with block.

        Raises NoIndex if it is damaged.
        """
        try:
            with document_store(self._folder.documents) as documents:
                yield documents
        except DocumentsUnreadable as error:
            raise damaged(self._folder, error) from error

    # ---------------------------------------------------------------- parts

    def _opened(self) -> OpenedIndex:
        return OpenedIndex.of(self._folder, self._scoring.rank_source, self._given_ranks)

    # ---------------------------------------------------------------- notes on the index

    def notes(self, manifest: IndexManifest) -> Iterator[str]:
        """Yield notes on the state of the index."""
        if not manifest.built_at:
            yield "the index is incomplete: its first build has not ended"
        elif self._changes is not None and manifest.mark is not None and (change := self._changes.since(manifest.mark)):
            yield f"{change}; run `index` to update it"
        elif manifest.document_version < DOCUMENT_VERSION:
            yield "an earlier version built the index, so some words may not be found; run `index` to update it"
