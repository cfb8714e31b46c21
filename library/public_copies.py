"""Finds or makes a store that anybody may see: the store itself, or a copy without pages that only a login opened."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hinterland.library.errors import HinterlandError
from hinterland.storage.no_store import NoStore
from hinterland.storage.public_copy import (
    copy_in_public,
    copy_store,
    first_run,
    has_hidden,
    hidden_pages,
    is_public,
)
from hinterland.storage.reading.opening import reading

_LOG = logging.getLogger(__name__)
SUFFIX = ".public.db"


@dataclass(frozen=True, slots=True)
class PublicStore:
    """A store that anybody may see. `left_out` counts the pages that were left out, by the reason in words."""

    path: Path
    left_out: dict[str, int]


def shown_by_logins(store: Path) -> int:
    """Return how many visited pages of a store were opened by a login. Raises NoStore."""
    with reading(store) as reader:
        return hidden_pages(reader.connection)


@contextmanager
def public_store(store: Path) -> Iterator[PublicStore]:
    """Yield a store that anybody may see: the given store if nothing in it must be hidden, or else a copy.

    An up-to-date copy beside the store is used if there is one; otherwise, a copy is made for the with block only.
    Raises NoStore, and OSError or sqlite3.Error if there is no space for it.
    """
    with reading(store) as reader:
        is_as_it_is = not has_hidden(reader.connection) and reader.holder is None  # a crawl may open something yet
    if is_as_it_is:
        yield PublicStore(store, {})
        return
    beside = store.with_name(f"{store.stem}{SUFFIX}")
    if beside.exists() and _is_of(beside, store) and beside.stat().st_mtime_ns >= _last_written(store):
        yield PublicStore(beside, {"shown by a login": shown_by_logins(store)})
        return
    folder = store.parent if os.access(store.parent, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix=".public-", dir=folder) as place:
        copy = Path(place) / store.name
        yield PublicStore(copy, write_public_copy(store, copy))


def write_public_copy(store: Path, target: Path) -> dict[str, int]:
    """Write what anybody may see of a store to a new file; return how many pages are left out, by reason in words.

    Raises NoStore, and sqlite3.Error if there is no space for the copy.
    """
    with reading(store) as reader:
        if not has_hidden(reader.connection):
            copy_store(reader.connection, target)
            if not shown_by_logins(target):
                return {}
            target.unlink()  # a crawl has logged in just now
        hidden = copy_in_public(reader.uri, target)
    counts = {"shown by a login": hidden.opened, "to which only such pages lead": hidden.beyond}
    return {reason: count for reason, count in counts.items() if count}


def public_copy_of(store: Path) -> Path:
    """Return the public copy beside a store, FILE.public.db. It is made first if it is missing or out of date.

    Raises NoStore, and HinterlandError if another file has this name or there is no space.
    """
    copy = store.with_name(f"{store.stem}{SUFFIX}")
    if copy.exists():
        _require_own(copy, store)
        if copy.stat().st_mtime_ns >= _last_written(store) and _is_of(copy, store):
            return copy
    _LOG.warning("copying %s to %s, without what a login opened ...", store, copy)
    new = copy.with_name(f"{copy.name}.new")
    new.unlink(missing_ok=True)
    try:
        written = _last_written(store)
        write_public_copy(store, new)
        os.utime(new, ns=(written, written))  # a crawl may have gone on meanwhile
        new.replace(copy)
    finally:
        new.unlink(missing_ok=True)
    return copy


def _is_of(copy: Path, store: Path) -> bool:
    """Return whether a file is a public copy of a store, made by the current rules, even if it is out of date."""
    with reading(copy) as copied, reading(store) as original:
        is_whole = not has_hidden(original.connection)
        is_own = first_run(copied.connection) == first_run(original.connection)
        return is_own and (is_whole or is_public(copied.connection))


def _require_own(copy: Path, store: Path) -> None:
    """Raise HinterlandError if a file is not a copy of this store, or shows what a login opened."""
    try:
        with reading(copy) as copied, reading(store) as original:
            same = first_run(copied.connection) == first_run(original.connection)
            is_own = same and not has_hidden(copied.connection)
    except NoStore as error:
        if not copy.is_file():
            raise
        raise HinterlandError(f"{copy} is in the way of the public copy of {store}: {error}") from error
    if not is_own:
        raise HinterlandError(f"{copy} is in the way: it is not the public copy of {store}")


def _last_written(store: Path) -> int:
    """Return when a store was last written to, in nanoseconds.

    An empty log is ignored, since readers leave such logs behind.
    """
    log = store.with_name(f"{store.name}-wal")
    found = [each.stat() for each in (store, log) if each.exists()]
    return max((each.st_mtime_ns for each in found if each.st_size), default=0)
