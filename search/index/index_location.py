"""Finds the index of a store: next to it, even after the store was renamed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hinterland.search.index.index_folder import IndexFolder, default_folder
from hinterland.search.index_failures import NoIndex
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.store_mark import StoreMark, store_mark


def index_of(store: Path) -> IndexFolder:
    """Return the folder of a store's index.

    This is the default folder for the store's name. If the default folder does not exist, an index next to the store is
    returned if it was built from this store under a former name. If the store is a copy, the index of the original is
    not returned. Raises NoStore if `store` is a folder.
    """
    if store.is_dir():
        raise NoStore(f"{store} is a folder; name the file of a store")
    own = default_folder(store)
    if own.path.exists():
        return own
    mark = _mark_of(store)
    if mark is None:
        return own
    return next((folder for folder in _folders_beside(store) if _is_of(folder, store, mark)), own)


def take_over(folder: IndexFolder, store: Path) -> IndexFolder:
    """Rename an index that was found under its store's former name, and return its folder.

    Raises OSError.
    """
    own = default_folder(store)
    if folder == own:
        return own
    return IndexFolder(folder.path.rename(own.path))


def _folders_beside(store: Path) -> Iterator[IndexFolder]:
    try:
        beside = sorted(store.absolute().parent.glob("*.index"))
    except OSError:
        return
    yield from (IndexFolder(store.parent / path.name) for path in beside if path.is_dir())


def _is_of(folder: IndexFolder, store: Path, mark: StoreMark) -> bool:
    try:
        known = folder.read_manifest().mark
    except NoIndex:
        return False
    if known is None or not mark.origin or known.origin != mark.origin:
        return False
    name = folder.path.name.removesuffix(".index")
    return not any(_may_be_of(store.with_name(each), mark) for each in (f"{name}.db", name))


def _may_be_of(store: Path, mark: StoreMark) -> bool:
    """Return whether the file `store` exists and may be the store with this mark, because both have the same origin.

    Also returns True if the file cannot be read as a store: it may be a store of a later version.
    """
    if not store.is_file():
        return False
    found = _mark_of(store)
    return found is None or found.origin == mark.origin


def _mark_of(store: Path) -> StoreMark | None:
    try:
        with reading(store) as reports:
            return store_mark(reports.connection)
    except NoStore:
        return None
