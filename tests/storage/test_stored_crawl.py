"""The links of a store as columns hold what a crawl knew, whatever else is in the file."""

from __future__ import annotations

import sqlite3
import tracemalloc
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from hinterland.storage.reading import opening
from hinterland.storage.stored_crawl import stored_crawl
from hinterland.storage.values.links import StoredCrawl
from tests.support.stored_pages import Link, Page, write_store


def read(path: Path, at_once: int = 50_000) -> StoredCrawl:
    with opening.reading(path) as store:
        return stored_crawl(store.connection, at_once=at_once)


def rows(crawl: StoredCrawl) -> list[list[int]]:
    ends = np.concatenate(([0], np.cumsum(crawl.outdegrees)))
    return [crawl.targets[start:end].tolist() for start, end in pairwise(ends)]


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [1, 2, 3, 50_000])
def test_a_link_counts_once_of_whatever_kinds_and_a_page_never_links_to_itself(at_once: int, tmp_path: Path) -> None:
    pages = [
        Page(links=[Link(2), Link(2, kind=4), Link(0), Link(1)]),
        Page(outcome="http_error", links=[Link(0)]),
        Page(outcome="redirected", redirect=3, links=[Link(3, kind=8)], is_local=False),
        Page(host=1, links=[Link(0), Link(1), Link(2)]),
        Page(links=[]),
    ]
    crawl = read(write_store(tmp_path / "store.db", pages), at_once)
    assert rows(crawl) == [[1, 2], [], [3], [0, 1, 2], []]
    assert crawl.is_crawled.tolist() == [True, False, True, True, True]
    assert crawl.is_fetched.tolist() == [True, False, False, True, True]
    assert crawl.is_local.tolist() == [True, True, False, True, True]
    assert crawl.hosts.tolist() == [0, 0, 0, 1, 0]


def test_a_store_without_pages_has_no_links(tmp_path: Path) -> None:
    crawl = read(write_store(tmp_path / "store.db", []))
    assert (len(crawl.hosts), len(crawl.targets)) == (0, 0)


@pytest.mark.slow
def test_reading_takes_a_few_bytes_a_link(tmp_path: Path) -> None:
    store = write_store(tmp_path / "store.db", [Page() for _ in range(2)])
    links = ((source, (7 * source + 3 * step) % 5_000) for source in range(5_000) for step in range(40))
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        ids = [(page, f"http://a.test/{page}") for page in range(2, 5_000)]
        connection.executemany(
            "INSERT INTO page (id, url, host, state, is_local, depth) VALUES (?, ?, 0, 'fetched', 1, 0)", ids
        )
        connection.execute(
            "INSERT INTO fetch (page, visit, outcome, attempt, started_at, seconds)"
            " SELECT id, id + 10, 'fetched', 1, 0, 0 FROM page WHERE id >= 2"
        )
        connection.executemany("INSERT OR IGNORE INTO link VALUES (?, ?, 0, 0, '')", links)
    read(store, 1_000)
    tracemalloc.start()
    crawl = read(store, 1_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(crawl.targets) > 190_000
    assert peak / len(crawl.targets) < 12
