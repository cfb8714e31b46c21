"""What the benchmarks read from a finished link store: all their SQL is here."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
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
    """Open a read-only connection."""
    connection = sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)
    try:
        yield connection
    finally:
        connection.close()


def fetched_urls(store: Path) -> list[str]:
    """Return the URLs of the fetched HTML pages, in the order in which they were fetched."""
    with opened(store) as connection:
        return [url for (url,) in connection.execute(_FETCHED)]


def count_links(store: Path) -> int:
    """Return the number of links in the store, each (source, target, kind) once."""
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
        """Read the visits and the unvisited local pages."""
        self._connection = connection
        self.visited = {row[0]: VisitedPage(*row) for row in connection.execute(_VISITED)}
        self.local_unvisited: dict[str, str] = dict(connection.execute(_LOCAL_UNVISITED))
        """URL -> state of the pages that belong to the local domain and were never visited."""

    def inlinks(self, url: str) -> list[Inlink]:
        """Return the links to a page, in no order."""
        rows = self._connection.execute(_INLINKS, (url,))
        return [Inlink(source, kind, bool(nofollow)) for source, kind, nofollow in rows]


_ANCHORS: Final = """
SELECT link.source, link.target, link.anchor FROM link JOIN page ON page.id = link.target
WHERE page.is_local AND link.kind IN (0, 1) AND NOT link.nofollow AND link.source <> link.target
"""
_DOMAIN: Final = """
UPDATE page SET is_local = id IN (SELECT id FROM page WHERE {condition})
"""


def local_anchors(store: Path) -> Iterator[tuple[int, int, str]]:
    """(source, target, anchor text) of the links by `a` and `area` that lead to a page of the local domain."""
    with opened(store) as connection:
        yield from connection.execute(_ANCHORS)


def urls_and_titles(store: Path) -> tuple[list[str], dict[int, str]]:
    """Return the URLs of all pages by number, and the titles of fetched ones, "" for none."""
    with opened(store) as connection:
        urls = [url for (url,) in connection.execute("SELECT url FROM page ORDER BY id")]
        titles = "SELECT page, coalesce(title, '') FROM fetch WHERE outcome = 'fetched'"
        return urls, dict(connection.execute(titles))


def make_local(store: Path, prefixes: Sequence[str]) -> None:
    """Write into a store that its local domain is what begins with one of these, after the scheme."""
    condition = " OR ".join("substr(url, instr(url, '://') + 3, length(?)) = ?" for _ in prefixes)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(_DOMAIN.format(condition=condition), [each for prefix in prefixes for each in (prefix,) * 2])
