"""Finds the index of a store, even if the store was renamed after its index was built."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from hinterland.crawler.settings import SearchSettings
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.library.notes import warned
from hinterland.library.text.wording import shell_file
from hinterland.search.index.index_folder import IndexFolder, default_folder
from hinterland.search.index.index_location import index_of, take_over
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.index.several_indexes import SeveralIndexes
from hinterland.search.index_failures import NoIndex

Note = Callable[[str], None]
"""A function that takes a message for the user about a renamed index."""


def index_to_search(store: Path, index: str | Path | None, note: Note = warned) -> IndexFolder:
    """Return the folder of the named index or, without a name, of the store's index.

    Calls `note` if the index was built before the store was renamed.
    """
    return IndexFolder(Path(index)) if index else _index_of(store, note)


def require_distinct(store: Path, also: Sequence[str]) -> None:
    """Raise HinterlandError if two paths lead to the same store, because each of its hits would be found twice."""
    named = {os.path.realpath(store)}
    for other in also:
        if (file := os.path.realpath(other)) in named:
            raise HinterlandError(f"--also {other}: that store is searched already; name each once")
        named.add(file)


def opened_indexes(
    folder: IndexFolder, store: Path, also: Sequence[str], settings: SearchSettings, note: Note = warned
) -> SearchIndex | SeveralIndexes:
    """Return the opened index of a store. With `also`, the indexes of all stores are opened as one.

    Raises NoIndex and BadRules.
    """
    own = SearchIndex(folder, settings, store=store)
    if not also:
        return own
    return SeveralIndexes([own, *(_opened(Path(other), settings, note) for other in also)])


def _opened(store: Path, settings: SearchSettings, note: Note) -> SearchIndex:
    try:
        return SearchIndex(_index_of(store, note), settings, store=store)
    except NoIndex as error:
        raise NoIndex(f"{error}; build it: {PROGRAM} index {shell_file(str(store))}") from error


def _index_of(store: Path, note: Note) -> IndexFolder:
    found = index_of(store)
    if found != default_folder(store):
        renaming = f"`{PROGRAM} index {shell_file(str(store))}` renames it"
        note(f"the index of {store} is {found.path}, made before the store was renamed; {renaming}")
    return found


def index_to_build(store: Path, index: str | Path | None, note: Note = warned) -> IndexFolder:
    """Return the folder of the named index or, without a name, of the store's index. Raises StoreUnusable.

    If the store was renamed, its index is given the new name.
    """
    if index:
        return IndexFolder(Path(index))
    found = index_of(store)
    try:
        own = take_over(found, store)
    except OSError as error:
        raise StoreUnusable(f"the index {found.path} cannot be renamed to match its store: {error}") from error
    if own != found:
        note(f"{found.path} was renamed to {own.path}, because its store was renamed")
    return own
