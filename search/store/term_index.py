"""The term index: documents are added to it, and found in it by their terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import tantivy
from numpy.typing import NDArray

from hinterland.search.store.fields import DATED, STEMMERS, IndexFields
from hinterland.search.store.function_words import FunctionWords
from hinterland.search.store.highlighting import Pieces
from hinterland.search.store.indexed_text import IndexedText
from hinterland.search.store.linked_folder import linked_folder
from hinterland.search.store.query_builder import MOST_TOLD_APART, QueryBuilder
from hinterland.search.store.query_matches import QueryMatches
from hinterland.search.store.related_terms import CompoundsByLanguage, RelatedTerms
from hinterland.search.store.term_statistics import TermStatistics
from hinterland.search.store.term_writer import TermWriter, write_failures_as_os_error
from hinterland.search.store.values.term_query import (
    Boosts,
    FieldCounts,
    QueryTerm,
    TermQuery,
    TextHits,
)
from hinterland.storage.values.allocator import Allocator

_PAGES_AT_ONCE: Final = 50_000
_MOST_PAGES: Final = 1 << 31
_COUNTED: Final = 65_000
"""Maximum number of values of a field that are counted in each segment. It is tantivy's own limit, which makes all
counts exact.
"""

_FEW: Final = 1_000

_LOCK_FAILURE: Final = "Failed to acquire Lockfile"
"""tantivy's message when it cannot write the lock that it takes even to read a folder."""


class IndexUnreadable(Exception):
    """The folder contains no index, or the index is damaged; the message says what is wrong."""


class TermIndex:
    """A tantivy index to write or search.

    Written documents become visible after `commit`, and in other processes after `reload`.
    """

    def __init__(self, index: tantivy.Index, fields: IndexFields, compounds: CompoundsByLanguage = dict) -> None:
        """Wrap an open tantivy index; `compounds` returns the known compounds by language."""
        fields.register(index)
        self._index = index
        self._fields = fields
        self._searcher = index.searcher()
        self.statistics = TermStatistics(fields, self._searcher)
        """What is known about single terms."""
        self._related = RelatedTerms(fields, self.statistics, compounds)
        self._queries = QueryBuilder(fields, self.statistics, self._related)
        self._function_words = FunctionWords(fields.languages or ("en",))
        self._writer = TermWriter(index, fields)

    @classmethod
    def create(cls, folder: Path, languages: Iterable[str]) -> TermIndex:
        """Create an index in an empty folder.

        Raises OSError.
        """
        fields = IndexFields([language for language in languages if language in STEMMERS])
        with write_failures_as_os_error():
            return cls(tantivy.Index(fields.schema, path=str(folder), reuse=False), fields)

    @classmethod
    def open(cls, folder: Path, languages: Sequence[str], compounds: CompoundsByLanguage = dict) -> TermIndex:
        """Open an index; `languages` are those with which it was created.

        `compounds` returns the known compounds by language. Raises IndexUnreadable.
        """
        try:
            if not folder.is_dir() or not tantivy.Index.exists(str(folder)):
                raise IndexUnreadable(f"there are no terms in {folder}")
            fields = IndexFields(languages)
            try:
                return cls._opened(folder, fields, compounds)
            except ValueError as error:
                if _LOCK_FAILURE not in str(error):
                    raise
            with linked_folder(folder) as elsewhere:
                return cls._opened(elsewhere, fields, compounds)
        except (ValueError, OSError) as error:
            raise IndexUnreadable(f"the terms in {folder} cannot be read: {error}") from error

    @classmethod
    def _opened(cls, folder: Path, fields: IndexFields, compounds: CompoundsByLanguage) -> TermIndex:
        return cls(tantivy.Index(fields.schema, path=str(folder), reuse=True), fields, compounds)

    # ---------------------------------------------------------------- writing

    def write(self, documents: Iterable[IndexedText]) -> None:
        """Add documents; they replace older documents of the same pages.

        Raises OSError.
        """
        texts = list(documents)
        self.remove([text.page for text in texts])
        self._writer.add(texts)

    def remove(self, pages: Sequence[int]) -> None:
        """Remove the documents of these pages, if they exist.

        Raises OSError.
        """
        if pages:  # by query: in tantivy-py 0.27 a numeric term deletes nothing
            self._writer.remove(self._queries.among(pages))

    def commit(self) -> None:
        """Make everything written so far durable.

        Raises OSError.
        """
        if self._writer.commit():
            self.reload()

    def close(self) -> None:
        """Commit, and wait until the segments are merged.

        Raises OSError.
        """
        self.commit()
        if self._writer.close():
            self.reload()

    def find_compounds(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """Return the compounds of committed documents by language and by part, see `compounds_in`."""
        return self._related.find_compounds(
            lambda field, most: dict(self._searcher.terms_with_prefix(field, "", limit=most))
        )

    # ---------------------------------------------------------------- searching

    def reload(self) -> None:
        """Make commits since the last load visible."""
        self._index.reload()
        self._searcher = self._index.searcher()
        self.statistics.look_into(self._searcher)
        self._related.forget()

    def __len__(self) -> int:
        """Return the number of documents."""
        return int(self._searcher.num_docs)

    def known(self, zeros: Allocator = np.zeros) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Return the pages of all documents, ascending, and their fingerprints.

        Takes 16 bytes a document.
        """
        pages, prints = zeros(len(self), np.int64), zeros(len(self), np.uint64)
        known = 0
        for start in range(0, _MOST_PAGES, _PAGES_AT_ONCE):
            if known >= len(self):
                break
            query = self._queries.between(start, start + _PAGES_AT_ONCE)
            hits = self._searcher.search(query, _PAGES_AT_ONCE, count=False)
            addresses = [address for _, address in hits.hits]
            found = np.array(self._searcher.fast_field_values("page", addresses), np.int64)
            order = np.argsort(found)
            part = slice(known, known + len(found))
            pages[part] = found[order]
            prints[part] = np.array(self._searcher.fast_field_values("fingerprint", addresses), np.uint64)[order]
            known = part.stop
        return pages[:known], prints[:known]

    def best(self, query: TermQuery, boosts: Boosts, limit: int) -> TextHits:
        """Return the `limit` documents with the best text scores.

        The score is described in `QueryBuilder.matching`.
        """
        return self.by_score(query, boosts)(limit)

    def by_score(self, query: TermQuery, boosts: Boosts) -> Callable[[int], TextHits]:
        """Return a function that takes a limit and does the same as `best`; the query is prepared only once."""
        matching = self._queries.matching(query, boosts)
        return lambda limit: self._hits(self._searcher.search(matching, limit))

    def has_all(self, query: TermQuery) -> bool:
        """Return whether each required word is on some page; the words may be on different pages.

        If not, no page can match the query.
        """
        return self._queries.has_all(query)

    def count_each(self, queries: Sequence[TermQuery], boosts: Boosts) -> list[int]:
        """Return the number of matches of each query; the queries may differ only in the required words.

        If there are few matches, the conditions that all queries share are evaluated only once, since they are most of
        the work.
        """
        if len(queries) > 1:
            found: Any = self._searcher.search(self._queries.any_of(queries, boosts), _FEW)
            if found.count <= _FEW:
                which = np.array([score for score, _ in found.hits], np.int64)
                return [int((which >> place & 1).sum()) for place in range(len(queries))]
        return [self._count(self._queries.matched(query, boosts)) for query in queries]

    def _count(self, query: Any) -> int:
        """Return the number of matches, without scoring."""
        found: Any = self._searcher.search(query, 1, order_by_field="page")
        return int(found.count)

    def newest(self, query: TermQuery, boosts: Boosts, limit: int) -> TextHits:
        """Return the `limit` documents with the latest dates; their scores are 0.

        Documents without a date are left out.
        """
        dated = self._queries.dated(self._queries.matched(query, boosts))
        hits = self._hits(self._searcher.search(dated, limit, order_by_field=DATED))
        return replace(hits, scores=np.zeros(len(hits.pages)))

    def counts(self, query: TermQuery, boosts: Boosts, fields: Sequence[str], most: int) -> dict[str, FieldCounts]:
        """Count the matching documents by the values of each field.

        At most `most` values of each are returned. The counts are exact.
        """
        wanted = {field: {"terms": {"field": field, "size": most, "segment_size": _COUNTED}} for field in fields}
        found = self._searcher.aggregate(self._queries.matched(query, boosts), wanted)
        counts = {}
        for field in fields:
            buckets = [(str(each["key"]), int(each["doc_count"])) for each in found[field]["buckets"]]
            buckets.sort(key=lambda each: (-each[1], each[0]))
            counts[field] = FieldCounts(buckets, int(found[field]["sum_other_doc_count"]))
        return counts

    def scores_of(self, query: TermQuery, boosts: Boosts, pages: Sequence[int], part: str = "") -> dict[int, float]:
        """Return the text scores, or a part of them, of the given documents that have any of the required words.

        `part` is "", FIELDS, NEARNESS or HOME_PAGE of `query_builder`.
        """
        found = self._queries.scoring(query, boosts, pages, part) if pages else None
        if found is None:
            return {}
        hits = self._hits(self._searcher.search(found, len(pages)))
        return dict(zip(hits.pages.tolist(), hits.scores.tolist(), strict=True))

    def words_of(self, pages: Sequence[int], words: Sequence[QueryTerm], boosts: Boosts) -> dict[int, frozenset[int]]:
        """Return, by page, the indices of the words that the page's document has in any field with a boost."""
        found = dict.fromkeys(pages, frozenset[int]())
        for begin in range(0, len(words) if pages else 0, MOST_TOLD_APART):
            some = words[begin : begin + MOST_TOLD_APART]
            hits = self._hits(self._searcher.search(self._queries.each_of(some, boosts, pages), len(pages)))
            for page, score in zip(hits.pages.tolist(), hits.scores.tolist(), strict=True):
                found[page] |= {begin + place for place in range(len(some)) if int(score) >> place & 1}
        return found

    def has_words(self, words: QueryTerm) -> bool:
        """Return whether a term contains any words to search for; punctuation alone does not."""
        return self._fields.has_words(words.text)

    def function_words(self, words: Sequence[str]) -> frozenset[int]:
        """Return the indices of the function words, such as "how" and "the", among the words of a query."""
        return self._function_words.among(words)

    def pages_with(self, word: str, field: str = "") -> int:
        """Return roughly how many documents have a word in any form.

        `field` restricts the search to one field; "" stands for all.
        """
        return self._queries.pages_with(QueryTerm(word, field))

    def matches_of(self, query: TermQuery) -> QueryMatches:
        """Return an object that finds where a query matches texts."""
        return QueryMatches(query, self._searcher, self._fields, self._queries, self._related)

    def highlighted(
        self, query: TermQuery, text: str, field: str, language: str, most_characters: int | None = None
    ) -> Pieces:
        """Return the passage of a text that matches best, see `QueryMatches.highlighted`."""
        return self.matches_of(query).highlighted(text, field, language, most_characters)

    def _hits(self, result: Any) -> TextHits:
        hits = result.hits  # each access makes a new list
        return TextHits(
            pages=np.array(self._searcher.fast_field_values("page", [address for _, address in hits]), np.int64),
            scores=np.array([score for score, _ in hits], np.float64),
            total=int(result.count or 0),
        )
