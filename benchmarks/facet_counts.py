"""What SQL counts over a store and the documents of its index, for the counts that stand beside hits."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hinterland.search.answers import MOST_HITS, MOST_OFFSET, Facet
from hinterland.search.document_types import document_type
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.searcher import SearchIndex

_HITS: Final = "hit JOIN store.page AS page ON page.id = hit.page JOIN store.host AS host ON host.id = page.host"
_BARE_URL: Final = "substr(page.url, instr(page.url, '://') + 3)"
_BY_VALUE: Final = {
    "site": f"SELECT count(*) FROM {_HITS} WHERE host.site = ?",
    "host": f"SELECT count(*) FROM {_HITS} WHERE substr(host.url, instr(host.url, '://') + 3) = ?",
    "folder": f"SELECT count(*) FROM {_HITS} WHERE {_BARE_URL} || '/' >= ?1 || '/' AND {_BARE_URL} < ?1 || '0'",
    "type": f"SELECT count(*) FROM {_HITS} JOIN store.fetch AS fetch ON fetch.page = page.id"
    " WHERE document_type(fetch.content_type) = ?",
    "year": "SELECT count(*) FROM hit JOIN document USING (page) WHERE strftime('%Y', dated, 'unixepoch') = ?",
    # A document is in the languages of all that are folded into it.
    "language": "SELECT count(*) FROM hit JOIN document USING (page) WHERE ?1 IN (SELECT language FROM digest"
    " WHERE digest.page = hit.page OR digest.page IN (SELECT copy.id FROM json_each(document.copies) AS named"
    " JOIN store.page AS copy ON copy.url = named.value))",
}
"""Facet -> how many of the pages in `hit` have a value of it."""


@dataclass(slots=True)
class Compared:
    """The result of a comparison.

    `queries` were compared; `left_out` could not be, because not all of their matching pages can be listed. `different`
    holds (query, facet, value, count, count by SQL).
    """

    queries: int = 0
    left_out: int = 0
    counts: int = 0
    different: list[tuple[str, str, str, int, int]] = field(default_factory=list)


@contextmanager
def counting(store: Path, folder: IndexFolder) -> Iterator[sqlite3.Connection]:
    """Open the documents of an index with the store attached, read-only."""
    with closing(sqlite3.connect(f"file:{folder.documents}?mode=ro", uri=True)) as connection:
        connection.create_function("document_type", 1, document_type, deterministic=True)
        connection.execute("ATTACH ? AS store", (f"file:{store}?mode=ro",))
        connection.execute("CREATE TEMP TABLE hit (page INTEGER PRIMARY KEY)")
        yield connection


def all_pages(index: SearchIndex, query: str, total: int) -> Sequence[int] | None:
    """Every page that a query finds; None if that cannot be told."""
    complete = index.ranking(query, index.manifest.documents)
    if complete.total == total:
        return list(map(int, complete.pages))
    if total > MOST_OFFSET:
        return None
    starts = range(0, total, MOST_HITS)
    return [hit.page for start in starts for hit in index.search(query, limit=MOST_HITS, offset=start).hits]


def compared(connection: sqlite3.Connection, index: SearchIndex, queries: Sequence[str]) -> Compared:
    """Every count beside the hits of these queries."""
    found = Compared()
    for query in queries:
        answer = index.search(query, with_facets=True, verbatim=True)
        pages = all_pages(index, query, answer.total)
        if pages is None:
            found.left_out += 1
            continue
        found.queries += 1
        connection.execute("DELETE FROM hit")
        connection.executemany("INSERT INTO hit VALUES (?)", [(page,) for page in pages])
        for facet in answer.facets:
            found.counts += len(facet.values)
            found.different += [(query, facet.name, *each) for each in _differing(connection, facet)]
    return found


def _differing(connection: sqlite3.Connection, facet: Facet) -> Iterator[tuple[str, int, int]]:
    for each in facet.values:
        [(truth,)] = connection.execute(_BY_VALUE[facet.name], (each.value,)).fetchall()
        if truth != each.pages:
            yield each.value, each.pages, truth
