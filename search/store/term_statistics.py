"""The statistics of the terms of an index, alone or together with other indexes: frequencies, weights, beginnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log
from typing import Final

import tantivy

from hinterland.search.store.fields import SPELLINGS, IndexFields, spelt_in
from hinterland.search.store.values.term_query import DEFINITIONS, SPELT_FIELDS

_MOST_BEGINNING: Final = 100
"""Maximum number of terms that a beginning such as `zeb*` stands for in one field."""
_MOST_NAMES: Final = 2_000
"""Maximum number of names of each field, with one beginning, that are compared with a misspelt name."""
_REMEMBERED: Final = 1 << 12
"""Size of the cache of document frequencies: the words of a query are looked up repeatedly, in each field and
language.
"""


class TermStatistics:
    """The statistics of the terms of an index, cached until `look_into` is called."""

    def __init__(self, fields: IndexFields, searcher: tantivy.Searcher) -> None:
        """Start with the fields of an index and a searcher of it."""
        self._fields = fields
        self._searcher = searcher
        self._together: Sequence[TermStatistics] = (self,)
        self._counted = lru_cache(_REMEMBERED)(self._documents_with)
        self._beginning = lru_cache(_REMEMBERED)(self._terms_beginning)

    def look_into(self, searcher: tantivy.Searcher) -> None:
        """Use a newer searcher of the same index from now on."""
        self._searcher = searcher
        self._counted.cache_clear()
        self._beginning.cache_clear()

    def weigh_together(self, indexes: Sequence[TermStatistics]) -> None:
        """From now on, weight words by their rarity in all of these indexes, which include this one.

        Scores of different indexes can then be compared. The average length of fields is still taken from each index
        alone.
        """
        self._together = indexes

    def __len__(self) -> int:
        """Return the number of documents of the index."""
        return int(self._searcher.num_docs)

    def having(self, field: str, term: str) -> int:
        """Return the number of documents with a term; removed documents count until segments are merged."""
        return self._counted(field, term)

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
        own = sum(inverse_frequency(len(self), self.having(field, term)) for term in terms)
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

    def _terms_beginning(self, field: str, letters: str) -> Sequence[str]:
        found = self._searcher.terms_with_prefix(field, letters, limit=_MOST_BEGINNING)
        return tuple(term for term, _ in found)

    def _having_if_there(self, field: str, term: str) -> int:
        """Return the number of documents with a term in a field; 0 if the index has no such field."""
        return self.having(field, term) if self._fields.has(field) else 0

    def _spelt(self, spelling: str) -> int:
        return self.having(SPELLINGS, spelling)

    def _documents_with(self, field: str, term: str) -> int:
        """Return the number of documents with a term.

        Removed documents count until segments are merged.
        """
        return int(self._searcher.doc_freq(field, term))


def inverse_frequency(documents: int, having: int) -> float:
    """Return BM25's weight of a term in `having` documents, never below 0 (Robertson & Zaragoza 2009)."""
    return log(1 + (documents - having + 0.5) / (having + 0.5)) if having else 0.0
