"""Marks that identify the crawl in a store and its progress.

A mark later shows whether a store still holds the same crawl, and whether that crawl has advanced.
"""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoreMark:
    """The identity of the crawl in a store, and how far it had come. All marks of one store have the same `origin`."""

    origin: str
    """A hash of its first page and first run; "" for a store that has neither."""
    pages: int
    """The number of known pages."""
    visits: int
    """The number of visits that the runs have reported; a killed run may have made some more."""
    unreported_run: int
    """The last run that reports no progress, such as an import; 0 if there is none."""

    def has_gone_on_since(self, earlier: StoreMark) -> bool:
        """Return whether pages were visited after `earlier`, a mark of the same store.

        Runs without visits and newly stored ranks do not count.
        """
        return (
            self.pages > earlier.pages or self.visits > earlier.visits or self.unreported_run > earlier.unreported_run
        )


def store_mark(connection: sqlite3.Connection) -> StoreMark:
    """Return the mark of the store in the main schema of an open connection.

    Reads one page and the runs.
    """
    [(pages,)] = connection.execute("SELECT coalesce(max(id) + 1, 0) FROM page")
    first = connection.execute(
        "SELECT (SELECT url FROM page WHERE id = 0), (SELECT started_at FROM run ORDER BY id LIMIT 1)"
    ).fetchone()
    [(visits, unreported)] = connection.execute(
        "SELECT coalesce(sum(json_extract(progress, '$.visits')), 0),"
        " coalesce(max(CASE WHEN progress = '{}' THEN id END), 0) FROM run"
    )
    origin = "" if first == (None, None) else hashlib.sha256(repr(first).encode()).hexdigest()[:16]
    return StoreMark(origin, pages, visits, unreported)
