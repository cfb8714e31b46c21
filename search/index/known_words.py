"""What an index knows of words, for corrections."""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.read_once import ReadOnce
from hinterland.search.store.term_index import TermIndex
from hinterland.search.vocabulary import NearWord, Vocabulary


class KnownWords:
    """Words of an index."""

    def __init__(self, folder: IndexFolder, terms: TermIndex) -> None:
        self._terms = terms
        self._vocabulary = ReadOnce[Vocabulary | None](lambda: (folder.read_words() or (None,))[0])

    @property
    def are_there(self) -> bool:
        """An index of an earlier version has none. Raises NoIndex if they are damaged."""
        return self._vocabulary.value() is not None

    def near(self, word: str, most_edits: int, least_documents: int = 0) -> Sequence[NearWord]:
        words = self._vocabulary.value()
        return words.near(word, most_edits, least_documents) if words is not None else ()

    def has_name(self, spelling: str) -> bool:
        return self._terms.has_spelling(spelling)

    def pages_with(self, word: str, field: str) -> int:
        return self._terms.pages_with(word, field)
