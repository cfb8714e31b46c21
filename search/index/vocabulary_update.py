"""Updates the vocabulary of an index while its documents are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Final

import numpy as np

from hinterland.search.document_frequencies import CountedWord, DocumentFrequencies, arrange_words
from hinterland.search.documents import SearchDocument
from hinterland.search.index.array_files import growing_arrays
from hinterland.search.index.corpus import Corpus
from hinterland.search.index.digesting import Progress
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index_failures import NoIndex
from hinterland.search.store.values.arrays import LongArray
from hinterland.search.vocabulary import Vocabulary
from hinterland.storage.sorted_runs import SortedRuns

_BATCH: Final = 200
_MOST_TIMES: Final = 2


class VocabularyUpdate:
    """Continues the word counts of the previous build.

    A rewritten document is counted again, and a removed document stays counted. All documents are counted from scratch
    if twice as many were counted as exist, and after an interrupted build. A context manager.
    """

    def __init__(self, folder: IndexFolder, documents: int) -> None:
        """Start from the stored vocabulary; `documents` is the number of documents in the index before this build."""
        self._folder = folder
        self._opened = ExitStack()
        self._vocabulary: Vocabulary | None = None
        self._counts: DocumentFrequencies | None = None
        self._counted = 0
        self._goes_on = not documents
        try:
            known = folder.read_words() if documents else None
        except NoIndex:  # damaged: it is rebuilt
            return
        if known is not None:
            self._vocabulary, of, self._counted = known
            self._goes_on = of == documents

    def __enter__(self) -> VocabularyUpdate:
        """Return this object."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the temporary files."""
        self._opened.close()

    def add(self, documents: Iterable[SearchDocument]) -> None:
        """Count the words of written documents."""
        if not self._goes_on:
            return  # all documents are counted at the end
        if self._counts is None:
            self._counts = self._beginning_with(self._vocabulary)
            self._vocabulary = None
        self._count(self._counts, documents)

    def write(self, corpus: Corpus, pages: LongArray, progress: Progress) -> None:
        """Write the vocabulary; `pages` are the pages of all documents that are now in the index."""
        if not self._goes_on or self._counted > _MOST_TIMES * len(pages):
            self._counted = 0
            self._counts = self._of_all(corpus, pages, progress)
        if self._counts is None and self._vocabulary is None:
            return
        with growing_arrays(self._folder.words) as put:
            if self._counts is not None:
                arrange_words(self._counts, put)
            elif self._vocabulary is not None:
                for name, array in self._vocabulary.arrays.items():
                    put(name, array)
            put("of", np.array([len(pages), self._counted], np.int64))

    def _of_all(self, corpus: Corpus, pages: LongArray, progress: Progress) -> DocumentFrequencies:
        counts = self._beginning_with(None)
        for start in range(0, len(pages), _BATCH):
            progress("words", start, len(pages))
            self._count(counts, corpus.documents(pages[start : start + _BATCH].tolist()))
        progress("words", len(pages), len(pages))
        return counts

    def _beginning_with(self, known: Vocabulary | None) -> DocumentFrequencies:
        runs = self._opened.enter_context(SortedRuns[CountedWord].opened(self._folder.path))
        return DocumentFrequencies(runs, known.counts() if known is not None else ())

    def _count(self, counts: DocumentFrequencies, documents: Iterable[SearchDocument]) -> None:
        for document in documents:
            counts.add(_names(document), f"{document.description}\n{document.body}")
            self._counted += 1


def _names(document: SearchDocument) -> str:
    anchors: Sequence[tuple[str, int]] = (*document.anchors_inside, *document.anchors_outside)
    return "\n".join((document.title, document.headings, *(text for text, _ in anchors)))
