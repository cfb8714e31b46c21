"""The files of an index that a search reads, opened together."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

from hinterland.search.index.index_folder import IndexFolder, IndexManifest
from hinterland.search.index.known_words import KnownWords
from hinterland.search.index.read_once import ReadOnce
from hinterland.search.index_failures import NoIndex
from hinterland.search.ranking import IndexedRanks
from hinterland.search.store.term_index import IndexUnreadable, TermIndex
from hinterland.search.suggestions import Suggestions


@dataclass(frozen=True, slots=True)
class OpenedIndex:
    """The open files of an index. `stamp` is the result of `stamp_of`.

    After a rebuild of the index, a new instance replaces this one.
    """

    manifest: IndexManifest
    terms: TermIndex
    ranks: IndexedRanks
    words: KnownWords
    suggestions: ReadOnce[Suggestions | None]
    stamp: int

    @classmethod
    def of(cls, folder: IndexFolder, rank_source: str, ranks: IndexedRanks | None = None) -> OpenedIndex:
        """Open an index.

        `ranks` replaces the index's own ranks from `rank_source`. Raises NoIndex.
        """
        stamp = stamp_of(folder)
        manifest = folder.read_manifest()
        try:
            terms = TermIndex.open(folder.terms, manifest.languages, ReadOnce(folder.read_compounds).value)
        except IndexUnreadable as error:
            raise damaged(folder, error) from error
        if ranks is None:
            ranks = folder.read_ranks().get(rank_source)
        if ranks is None:
            ranks = IndexedRanks(np.empty(0, np.int64), np.empty(0))
        return cls(manifest, terms, ranks, KnownWords(folder, terms), ReadOnce(folder.read_suggestions), stamp)


def stamp_of(folder: IndexFolder) -> int:
    """Return a number that changes whenever the index is written; 0 if there is no index."""
    try:
        return folder.manifest.stat().st_mtime_ns
    except OSError:
        return 0


def damaged(folder: IndexFolder, error: Exception) -> NoIndex:
    """Return the error to raise for a damaged index, with the way to repair it."""
    if os.access(folder.path, os.W_OK):
        return NoIndex(f"{error}; `index --rebuild` rebuilds the index")
    return NoIndex(f"{error}; build another index where you have write access: `index FILE --index FOLDER`")
