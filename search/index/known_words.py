"""The words of an index, for spelling correction."""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.read_once import ReadOnce
from hinterland.search.near_names import near_names
from hinterland.search.store.term_index import TermIndex
from hinterland.search.vocabulary import NearWord, Vocabulary


class KnownWords:
    """The words of an index; implements `WordLookup`."""

    def __init__(self, folder: IndexFolder, terms: TermIndex) -> None:
        """Take the index. Its vocabulary is read when it is first needed."""
        self._terms = terms
        self._vocabulary = ReadOnce[Vocabulary | None](lambda: (folder.read_words() or (None,))[0])

    @property
    def are_there(self) -> bool:
        """Whether the index has a vocabulary. An index of an earlier version has none. Raises NoIndex if damaged."""
        return self._vocabulary.value() is not None

    def near(self, word: str, most_edits: int, least_documents: int = 0) -> Sequence[NearWord]:
        """Return the words close to `word`; see `Vocabulary.near`."""
        words = self._vocabulary.value()
        return words.near(word, most_edits, least_documents) if words is not None else ()

    def has_name(self, spelling: str) -> bool:
        """Return whether any page has an identifier with this spelling."""
        return self._terms.statistics.has_spelling(spelling)

    def near_names(self, spelling: str) -> Sequence[NearWord]:
        """Return the identifiers close to a spelling, see `near_names.near_names`."""
        return near_names(spelling, self._terms.statistics.names_beginning)

    def pages_with(self, word: str, field: str) -> int:
        """Return roughly how many pages have the word; see `TermIndex.pages_with`."""
        return self._terms.pages_with(word, field)
