"""The term index: writing documents and searching them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import tantivy
from numpy.typing import NDArray

from hinterland.search.sections import folded_word
from hinterland.search.store.fields import DATED, SPELLINGS, STEMMERS, IndexFields, spelt_in
from hinterland.search.store.function_words import FunctionWords
from hinterland.search.store.highlighting import Pieces, highlight
from hinterland.search.store.indexed_text import IndexedText, as_document
from hinterland.search.store.linked_folder import linked_folder
from hinterland.search.store.query_builder import MOST_TOLD_APART, QueryBuilder
from hinterland.search.store.related_terms import CompoundsByLanguage, RelatedTerms
from hinterland.search.store.term_text import restored
from hinterland.search.store.values.term_query import (
    DEFINITIONS,
    SPELT_FIELDS,
    Boosts,
    FieldCounts,
    QueryTerm,
    TermQuery,
    TextHits,
)
from hinterland.search.store.word_queries import inverse_frequency
from hinterland.storage.values.allocator import Allocator

_WRITER_BYTES: Final = 256 << 20
_MOST_THREADS: Final = 8
_PAGES_AT_ONCE: Final = 50_000
_MOST_PAGES: Final = 1 << 31
_COUNTED: Final = 65_000
"""Maximum number of values of a field that are counted in each segment. It is tantivy's own limit, which makes all
counts exact.
"""

_MOST_BEGINNING: Final = 100
"""Maximum number of terms that a beginning such as `zeb*` stands for in one field."""
_MOST_NAMES: Final = 2_000
"""Maximum number of names of each field, with one beginning, that are compared with a misspelt name."""
_FEW: Final = 1_000
_REMEMBERED: Final = 1 << 12
"""Size of the cache of document frequencies: the words of a query are looked up repeatedly, in each field and
language."""

_WRITE_FAILURES: Final = ("IO error", "IoError", "(os error ", "index writer was killed")
"""Parts of tantivy's messages when a file cannot be written; the exception is always a ValueError."""
_LOCK_FAILURE: Final = "Failed to acquire Lockfile"
"""tantivy's message when it cannot write the lock that it takes even to read a folder."""


class IndexUnreadable(Exception):
    """The folder contains no index or a damaged one; the message says which."""


class TermIndex:
    """A tantivy index to write or search.

    Written documents become visible after `commit`, and in other processes after `reload`.
    """

    def __init__(self, index: tantivy.Index, fields: IndexFields, compounds: CompoundsByLanguage = dict) -> None:
        """Wrap an open tantivy index; `compounds` returns the known compounds by language."""
        fields.register(index)
        self._index = index
        self._fields = fields
        self._having = lru_cache(_REMEMBERED)(self._documents_with)
        self._beginning = lru_cache(_REMEMBERED)(self._terms_beginning)
        self._related = RelatedTerms(fields, self, compounds)
        self._queries = QueryBuilder(fields, self, self._related)
        self._function_words = FunctionWords(fields.languages or ("en",))
        self._together: Sequence[TermIndex] = (self,)
        self._writer: Any = None
        self._searcher = index.searcher()

    @classmethod
    def create(cls, folder: Path, languages: Iterable[str]) -> TermIndex:
        """Create an index in an empty folder.

        Raises OSError.
        """
        fields = IndexFields([language for language in languages if language in STEMMERS])
        with _write_failures_as_os_error():
            return cls(tantivy.Index(fields.schema, path=str(folder), reuse=False), fields)

    @classmethod
    def open(cls, folder: Path, languages: Sequence[str], compounds: CompoundsByLanguage = dict) -> TermIndex:
        """Open an index with the languages it was created with; `compounds` returns the known compounds by language.

        Raises IndexUnreadable.
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
        with _write_failures_as_os_error():
            writer = self._opened_writer()
            for text in texts:
                writer.add_document(as_document(text, self._fields))

    def remove(self, pages: Sequence[int]) -> None:
        """Remove the documents of these pages, if they exist.

        Raises OSError.
        """
        if not pages:
            return
        with _write_failures_as_os_error():  # delete by query: in tantivy-py 0.27 a numeric term deletes nothing
            self._opened_writer().delete_documents_by_query(self._queries.among(pages))

    def commit(self) -> None:
        """Make everything written so far durable.

        Raises OSError.
        """
        if self._writer is not None:
            with _write_failures_as_os_error():
                self._writer.commit()
            self.reload()

    def close(self) -> None:
        """Commit, and wait until the segments are merged.

        Raises OSError.
        """
        self.commit()
        if self._writer is not None:
            with _write_failures_as_os_error():
                self._writer.wait_merging_threads()
            self._writer = None
            self.reload()

    def _opened_writer(self) -> Any:
        if self._writer is None:
            self._writer = self._index.writer(_WRITER_BYTES, min(os.cpu_count() or 1, _MOST_THREADS))
        return self._writer

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
        self._having.cache_clear()
        self._beginning.cache_clear()
        self._related.forget()

    def weigh_together(self, indexes: Sequence[TermIndex]) -> None:
        """Weight words, from now on, by their rarity in all of these indexes, which include this one.

        Scores of different indexes can then be compared. The average field length remains that of each index.
        """
        self._together = indexes

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
        """Return a function that does the same for any limit, and prepares the query only once."""
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
        return [self._count(self._queries.matching(query, boosts)) for query in queries]

    def _count(self, query: Any) -> int:
        """Return the number of matches, without scoring."""
        found: Any = self._searcher.search(query, 1, order_by_field="page")
        return int(found.count)

    def newest(self, query: TermQuery, boosts: Boosts, limit: int) -> TextHits:
        """Return the `limit` documents with the latest dates; their scores are 0.

        Documents without a date are left out.
        """
        dated = self._queries.dated(self._queries.matching(query, boosts))
        hits = self._hits(self._searcher.search(dated, limit, order_by_field=DATED))
        return replace(hits, scores=np.zeros(len(hits.pages)))

    def counts(self, query: TermQuery, boosts: Boosts, fields: Sequence[str], most: int) -> dict[str, FieldCounts]:
        """Count the matching documents by the values of each field.

        At most `most` values of each are returned. The counts are exact.
        """
        wanted = {field: {"terms": {"field": field, "size": most, "segment_size": _COUNTED}} for field in fields}
        found = self._searcher.aggregate(self._queries.matching(query, boosts), wanted)
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
        """Return, by page, the indices of the words that its document has in any field with a boost."""
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

    def has_spelling(self, name: str) -> bool:
        """Return whether any document contains an identifier or option, such as "-jar", literally.

        Indexes that are weighted together count, too.
        """
        spelling = name.casefold()
        return any(each._spelt(spelt_in(field, spelling)) for field in SPELT_FIELDS for each in self._together)

    def names_beginning(self, letters: str) -> Iterator[tuple[str, int]]:
        """Yield (identifier, number of documents that have it in a field) for identifiers that begin with some letters.

        An identifier is yielded once for each of its fields. Identifiers that occur only in texts come last.
        """
        for field in (DEFINITIONS, "title", "headings", "body"):
            start = spelt_in(field, "")
            for term, documents in self._searcher.terms_with_prefix(SPELLINGS, f"{start}{letters}", limit=_MOST_NAMES):
                yield term.removeprefix(start), documents

    def pages_with(self, word: str, field: str = "") -> int:
        """Return roughly how many documents have a word in any form.

        `field` restricts the search to one field; "" stands for all.
        """
        return self._queries.pages_with(QueryTerm(word, field))

    def beginnings(self, query: TermQuery, language: str) -> dict[str, float]:
        """Return the beginnings of the required words and identifiers of a query in texts of a language, with weights.

        See `search.sections`. An identifier as spelt weighs as much as all its parts. A function word weighs nothing,
        but is included because it makes a heading more like the query.
        """
        found = dict[str, float]()
        for word in query.function_words:
            found |= dict.fromkeys(map(folded_word, self._fields.tokens(word, language)), 0.0)
        for term in query.required:
            for each in (term, *term.others):
                tokens = [self._related.noun_of(each, token) for token in self._fields.tokens(each.text, language)]
                written = map(restored, tokens)
                words = [folded_word(word) for word in written if word != "."]  # the first of the words of .NET
                found |= dict.fromkeys(words, 1.0)
                if each.spelling and len(words) > 1:
                    found[each.spelling] = float(len(words))
        return found

    def highlighted(
        self, query: TermQuery, text: str, field: str, language: str, most_characters: int | None = None
    ) -> Pieces:
        """Return the passage of a text that matches best; empty if the text has no word of the query.

        `most_characters` is the approximate length of the passage; None selects the whole text.
        """
        found = self._queries.in_field(query, field, language, text)
        if found is None or not text:
            return ()
        name = self._fields.name(field, language)
        return highlight(self._searcher, found, self._fields, name, text, most_characters)

    # ---------------------------------------------------------------- statistics, for queries

    def having(self, field: str, term: str) -> int:
        """Return the number of documents with a term; removed documents count until segments are merged."""
        return self._having(field, term)

    def rarity(self, spelling: str) -> float:
        """Return the inverse frequency of a term of the field SPELLINGS, 0 if no document has it."""
        having = sum(each._spelt(spelling) for each in self._together)
        return inverse_frequency(sum(map(len, self._together)), having)

    def more_weight(self, field: str, terms: Sequence[str]) -> float:
        """Return the factor that turns this index's weight of a sequence of terms into its weight in all indexes.

        The factor is 1 if no other indexes are weighted together with this one.
        """
        if len(self._together) == 1:
            return 1.0
        documents = sum(map(len, self._together))
        own = sum(inverse_frequency(len(self), self._having(field, term)) for term in terms)
        of_all = [sum(each._having_if_there(field, term) for each in self._together) for term in terms]
        return sum(inverse_frequency(documents, having) for having in of_all) / own if own else 1.0

    def weight(self, field: str, terms: Sequence[str]) -> float:
        """Return the sum of the inverse frequencies of terms of a field in all indexes that are weighted together."""
        documents = sum(map(len, self._together))
        having = [sum(each._having_if_there(field, term) for each in self._together) for term in terms]
        return sum(inverse_frequency(documents, each) for each in having)

    def beginning(self, field: str, letters: str) -> Sequence[str]:
        """Return the most frequent terms of a field that begin with some letters, at most _MOST_BEGINNING."""
        return self._beginning(field, letters)

    def _terms_beginning(self, field: str, letters: str) -> Sequence[str]:
        found = self._searcher.terms_with_prefix(field, letters, limit=_MOST_BEGINNING)
        return tuple(term for term, _ in found)

    def _having_if_there(self, field: str, term: str) -> int:
        """Return the number of documents with a term in a field; 0 if this index has no such field."""
        return self._having(field, term) if self._fields.has(field) else 0

    def _spelt(self, spelling: str) -> int:
        return self._having(SPELLINGS, spelling)

    def _documents_with(self, field: str, term: str) -> int:
        """Return the number of documents with a term.

        Removed documents count until segments are merged.
        """
        return int(self._searcher.doc_freq(field, term))

    def _hits(self, result: Any) -> TextHits:
        hits = result.hits  # each access makes a new list
        return TextHits(
            pages=np.array(self._searcher.fast_field_values("page", [address for _, address in hits]), np.int64),
            scores=np.array([score for score, _ in hits], np.float64),
            total=int(result.count or 0),
        )


@contextmanager
def _write_failures_as_os_error() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        if any(words in str(error) for words in _WRITE_FAILURES):
            raise OSError(str(error)) from error
        raise
