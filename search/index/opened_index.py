"""What a search reads: the files of an index, opened together."""

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
    """What belongs together: it is replaced as a whole when the index was written anew. stamp: see `stamp_of`."""

    manifest: IndexManifest
    terms: TermIndex
    ranks: IndexedRanks
    words: KnownWords
    suggestions: ReadOnce[Suggestions | None]
    stamp: int

    @classmethod
    def of(cls, folder: IndexFolder, rank_source: str, ranks: IndexedRanks | None = None) -> OpenedIndex:
        """ranks: instead of the index's own from that source. Raises NoIndex."""
        stamp = stamp_of(folder)
        manifest = folder.read_manifest()
        try:
            terms = TermIndex.open(folder.terms, manifest.languages, manifest.format)
        except IndexUnreadable as error:
            raise damaged(folder, error) from error
        if ranks is None:
            ranks = folder.read_ranks().get(rank_source)
        if ranks is None:
            ranks = IndexedRanks(np.empty(0, np.int64), np.empty(0))
        return cls(manifest, terms, ranks, KnownWords(folder, terms), ReadOnce(folder.read_suggestions), stamp)


def stamp_of(folder: IndexFolder) -> int:
    """Another one when the index was written anew; 0 if there is none."""
    try:
        return folder.manifest.stat().st_mtime_ns
    except OSError:
        return 0


def damaged(folder: IndexFolder, error: Exception) -> NoIndex:
    """What to raise, with the way out."""
    if os.access(folder.path, os.W_OK):
        return NoIndex(f"{error}; `index --rebuild` makes the index anew")
    return NoIndex(f"{error}; make another where you may write: `index FILE --index FOLDER`")
