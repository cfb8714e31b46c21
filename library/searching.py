"""The search index of a store, built and asked by a program."""

from __future__ import annotations

from pathlib import Path

from hinterland.crawler.settings import SearchSettings
from hinterland.search.index.building import build
from hinterland.search.index.finding_index import index_of
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.index_report import IndexReport


def build_index(
    store: str | Path, *, index: str | Path | None = None, settings: SearchSettings | None = None
) -> IndexReport:
    """Build the index of a store, or write what has changed since it was built. index: its folder; beside the store if
    None.

    Pages are read in processes that import the main module of the program: a script calls this below
    `if __name__ == "__main__":`. Raises NoStore, NoIndex if a damaged index is in the way, IndexInUse, OSError.
    """
    return build(Path(store), _folder(store, index), settings or SearchSettings())


def open_index(
    store: str | Path, *, index: str | Path | None = None, settings: SearchSettings | None = None
) -> SearchIndex:
    """The index of a store, to be asked by its `search(query, limit=10, offset=0)`. Raises NoIndex, NoStore."""
    return SearchIndex(_folder(store, index), settings or SearchSettings(), store=Path(store))


def _folder(store: str | Path, index: str | Path | None) -> IndexFolder:
    return index_of(Path(store)) if index is None else IndexFolder(Path(index))
