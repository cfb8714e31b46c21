"""What the benchmarks read from a finished link store: all their SQL is here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_FETCHED: Final = """
SELECT page.url FROM page JOIN fetch ON fetch.page = page.id
WHERE fetch.outcome = 'fetched' ORDER BY fetch.visit
"""
_VISITED: Final = """
SELECT page.url, fetch.outcome, fetch.status, fetch.detail, fetch.attempt
FROM page JOIN fetch ON fetch.page = page.id ORDER BY fetch.visit
"""
_LOCAL_UNVISITED: Final = """
SELECT page.url, page.state FROM page LEFT JOIN fetch ON fetch.page = page.id
WHERE page.is_local AND fetch.page IS NULL
"""
_INLINKS: Final = """
SELECT source.url, link_kind.name, link.nofollow
FROM link
JOIN page AS target ON target.id = link.target
JOIN page AS source ON source.id = link.source
JOIN link_kind ON link_kind.id = link.kind
WHERE target.url = ?
"""


@contextmanager
def opened(store: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection."""
    connection = sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)
    try:
        yield connection
    finally:
        connection.close()


def fetched_urls(store: Path) -> list[str]:
    """The HTML pages that were fetched, in the order in which they were."""
    with opened(store) as connection:
        return [url for (url,) in connection.execute(_FETCHED)]


def count_links(store: Path) -> int:
    """The links in the store, each (source, target, kind) once."""
    with opened(store) as connection:
        [(links,)] = connection.execute("SELECT count(*) FROM link")
    return int(links)


@dataclass(frozen=True, slots=True)
class VisitedPage:
    """A page with the outcome of its last visit. detail: what exactly went wrong, for people."""

    url: str
    outcome: str
    status: int | None
    detail: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Inlink:
    """A link to some page, seen from that page."""

    source: str
    kind: str
    nofollow: bool


class StoredCrawl:
    """The pages of a finished store, by URL."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.visited = {row[0]: VisitedPage(*row) for row in connection.execute(_VISITED)}
        self.local_unvisited: dict[str, str] = dict(connection.execute(_LOCAL_UNVISITED))
        """URL -> state of the pages that belong to the local domain and were never visited."""

    def inlinks(self, url: str) -> list[Inlink]:
        """The links to a page, in no order."""
        rows = self._connection.execute(_INLINKS, (url,))
        return [Inlink(source, kind, bool(nofollow)) for source, kind, nofollow in rows]
