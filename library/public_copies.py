"""Copies of stores without what a login showed, made for those that serve stores to others."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from hinterland.library.errors import HinterlandError
from hinterland.library.exporting import export
from hinterland.library.login_pages import login_pages
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.store_mark import store_mark

_LOG = logging.getLogger(__name__)
SUFFIX = ".public.db"


def public_copy_of(store: Path) -> Path:
    """Return the public copy beside a store, FILE.public.db; it is made first if it is missing or out of date.

    Raises NoStore, and HinterlandError if another file is in the way or there is no space.
    """
    copy = store.with_name(f"{store.stem}{SUFFIX}")
    if copy.exists():
        _require_own(copy, store)
        if copy.stat().st_mtime_ns >= _last_written(store):
            return copy
    _LOG.warning("copying %s to %s, without the pages that a login showed ...", store, copy)
    new = copy.with_name(f"{copy.name}.new")
    new.unlink(missing_ok=True)
    try:
        written = _last_written(store)
        export(store, "store", new, public=True)
        os.utime(new, ns=(written, written))  # a crawl may have gone on meanwhile
        new.replace(copy)
    finally:
        new.unlink(missing_ok=True)
    return copy


def _require_own(copy: Path, store: Path) -> None:
    """Raise HinterlandError if a file is no copy of a store, or shows what a login did."""
    try:
        with reading(copy) as copied, reading(store) as original:
            same = store_mark(copied.connection).origin == store_mark(original.connection).origin
            is_own = same and not login_pages(copied)
    except NoStore as error:
        if not copy.is_file():
            raise
        raise HinterlandError(f"{copy} is in the way of the public copy of {store}: {error}") from error
    if not is_own:
        raise HinterlandError(f"{copy} is in the way: it is not the public copy of {store}")


def _last_written(store: Path) -> int:
    """Return when a store was last written to, in nanoseconds; an empty log is there while the store is read."""
    log = store.with_name(f"{store.name}-wal")
    found = [each.stat() for each in (store, log) if each.exists()]
    return max((each.st_mtime_ns for each in found if each.st_size), default=0)
