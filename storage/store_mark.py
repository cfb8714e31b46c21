"""Which crawl a store holds, and how far it had come: enough to tell later whether it is another, or has gone on."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoreMark:
    """A store at one moment. Two marks of one store have the same origin."""

    origin: str
    """Of its first page and its first run; "" of a store that has neither."""
    pages: int
    """Known."""
    visits: int
    """As its runs have reported them; a run that was killed may have made some more."""
    unreported_run: int
    """The last run that has reported nothing, such as an import; 0 if there is none."""

    def has_gone_on_since(self, earlier: StoreMark) -> bool:
        """Whether pages were visited between the two marks, which are of one store. A run that had nothing to do, and
        ranks that were stored, are no change.
        """
        return (
            self.pages > earlier.pages or self.visits > earlier.visits or self.unreported_run > earlier.unreported_run
        )


def store_mark(connection: sqlite3.Connection) -> StoreMark:
    """Of the store behind an open connection, in its main schema. Reads one page and the runs."""
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
