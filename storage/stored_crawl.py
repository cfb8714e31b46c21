"""Reads the link graph from a store, column by column in the order of the file.

Takes 4 bytes per link and 16 per page, since only the needed columns are read. The rows of a page are adjacent and
ascend by target, because `link` is clustered by its key, so nothing is sorted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from hinterland.storage.schema import DEAD, LINKING_OUTCOMES
from hinterland.storage.values.allocator import Allocator
from hinterland.storage.values.links import StoredCrawl

_ROWS = 50_000

_Read = Callable[[str, int], Iterator[NDArray[np.int32]]]
"""Yields the rows of a statement with the given number of columns, in chunks."""


def stored_crawl(
    connection: sqlite3.Connection,
    *,
    least_relevance: float = 0.0,
    at_once: int = _ROWS,
    zeros: Allocator = np.zeros,
) -> StoredCrawl:
    """Return all known pages and links, from one snapshot of the store.

    A local page with a relevance below `least_relevance` counts as a page outside the local domain. `at_once` is the
    number of rows in memory at a time. `zeros` allocates the result, in memory or elsewhere.
    """
    read = partial(_chunks, connection, at_once)
    connection.execute("BEGIN")
    try:
        hosts, is_local = _pages(read, _number(connection, "SELECT coalesce(max(id) + 1, 0) FROM page"), zeros)
        if least_relevance > 0:
            is_local &= _relevant(read, len(hosts), least_relevance, zeros)
        visits, is_crawled, is_fetched, is_dead = _visited(read, len(hosts), zeros)
        room: NDArray[np.int32] = zeros(_number(connection, "SELECT count(*) FROM link"), np.int32)
        outdegrees, targets = _links(read, is_crawled, zeros(len(hosts), np.int32), room)
    finally:
        connection.execute("ROLLBACK")
    return StoredCrawl(
        is_crawled=is_crawled,
        outdegrees=outdegrees,
        targets=targets,
        is_local=is_local,
        is_fetched=is_fetched,
        hosts=hosts,
        visits=visits,
        is_dead=is_dead,
    )


def _number(connection: sqlite3.Connection, sql: str) -> int:
    [(number,)] = connection.execute(sql)
    return int(number)


def _pages(read: _Read, count: int, zeros: Allocator) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    hosts, is_local = zeros(count, np.int32), zeros(count, np.bool_)
    begin = 0
    for rows in read("SELECT host, is_local FROM page ORDER BY id", 2):
        part = slice(begin, begin + len(rows))
        hosts[part], is_local[part] = rows[:, 0], rows[:, 1]
        begin += len(rows)
    return hosts, is_local


def _relevant(read: _Read, size: int, least: float, zeros: Allocator) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = zeros(size, np.bool_)
    for rows in read(f"SELECT page FROM relevance WHERE probability >= {float(least)!r}", 1):
        found[rows[:, 0]] = True
    return found


def _visited(
    read: _Read, size: int, zeros: Allocator
) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    visits = zeros(size, np.int32)
    is_crawled, is_fetched, is_dead = (zeros(size, np.bool_) for _ in range(3))
    sql = f"SELECT page, visit, outcome IN {LINKING_OUTCOMES} + 2 * (outcome = 'fetched') + 4 * ({DEAD}) FROM fetch"
    for rows in read(sql, 3):
        pages, flags = rows[:, 0], rows[:, 2]
        visits[pages] = rows[:, 1]
        is_crawled[pages], is_fetched[pages], is_dead[pages] = flags & 1, flags & 2, flags & 4
    return visits, is_crawled, is_fetched, is_dead


def _links(
    read: _Read, is_crawled: NDArray[np.bool_], outdegrees: NDArray[np.int32], targets: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Fill `outdegrees`, which starts as zeros, and `targets`, which has space for all links.

    Returns both, with `targets` cut to the part that is used.
    """
    size, last = 0, (-1, -1)
    for rows in read("SELECT source, target FROM link ORDER BY source, target", 2):
        sources, ends = rows[:, 0], rows[:, 1]
        is_kept = is_crawled[sources] & (sources != ends)
        is_kept[1:] &= (sources[1:] != sources[:-1]) | (ends[1:] != ends[:-1])  # a link may be of several kinds
        is_kept[0] &= (sources[0], ends[0]) != last
        last = (sources[-1], ends[-1])
        kept = ends[is_kept]
        targets[size : size + len(kept)] = kept
        size += len(kept)
        pages, counts = np.unique(sources[is_kept], return_counts=True)
        outdegrees[pages] += counts.astype(np.int32)
    return outdegrees, targets[:size]


def _chunks(connection: sqlite3.Connection, at_once: int, sql: str, width: int) -> Iterator[NDArray[np.int32]]:
    """Yield the rows of an SQL statement in chunks of `at_once`, shape (k, width), k > 0.

    All values must be integers below 2³¹.
    """
    cursor = connection.execute(sql)
    while rows := cursor.fetchmany(at_once):
        yield np.fromiter(chain.from_iterable(rows), np.int32, width * len(rows)).reshape(-1, width)
