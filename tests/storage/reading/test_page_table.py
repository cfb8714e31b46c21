"""A table of pages equals a plain list, filtered and sorted, however few pages are examined for one answer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading.page_table import PageTableQueries
from hinterland.storage.values.page_table import NO_STATUS, PAGE_ORDERS, PageFilter, PageTable, PageTableRow
from hinterland.storage.values.pages import PAGE_STATES
from tests.support.levels import rounds

HOSTS = ("http://a.test", "http://b.test", "http://b.test0")
OUTCOMES = {"fetched": "fetched", "redirected": "redirected", "failed": "client_error", "refused": "robots"}


@dataclass(frozen=True)
class Drawn:
    host: int
    state: str
    is_local: bool
    depth: int
    status: int | None
    content_type: str | None
    size: int
    seconds: float
    title: str | None


PAGES = st.lists(
    st.builds(
        Drawn,
        st.integers(0, 2),
        st.sampled_from(PAGE_STATES),
        st.booleans(),
        st.integers(0, 3),
        st.sampled_from([200, 301, 404, 500, None]),
        st.sampled_from(["text/html", "application/pdf", "TEXT/HTML; charset=utf-8", None]),
        st.integers(0, 3),
        st.sampled_from([0.1, 0.2, 5.0]),
        st.sampled_from(["A title", "", "  ", None]),
    ),
    min_size=5,
    max_size=25,
)
CONDITIONS: list[tuple[str, Any]] = [
    *[("state", state) for state in PAGE_STATES],
    *[("outcome", outcome) for outcome in ("fetched", "client_error")],
    *[("is_local", is_local) for is_local in (True, False)],
    *[("host", host) for host in (0, 1)],
    *[("statuses", span) for span in ((404, 404), (400, 599), (200, None), NO_STATUS)],
    *[("content_type", begin) for begin in ("text/html", "application/")],
    *[("depths", span) for span in ((1, 2), (None, 0))],
    ("sizes", (2, None)),
    ("seconds", (0.15, None)),
    ("fetched", (None, 105.0)),
    ("is_untitled", True),
]
FILTERS = st.lists(st.sampled_from(CONDITIONS), max_size=2).map(lambda chosen: PageFilter(**dict(chosen)))


class EmptyStore:
    """The file of a store without pages; a failing example does not print it."""

    def __init__(self, file: bytes) -> None:
        self.file = file

    def __repr__(self) -> str:
        return "EmptyStore()"


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> EmptyStore:
    path = tmp_path_factory.mktemp("table") / "store.db"

    async def make() -> None:
        async with LinkStore(path):
            pass

    asyncio.run(make())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")  # a database in memory has no log
        return EmptyStore(connection.serialize())


def filled(empty_store: EmptyStore, drawn: list[Drawn]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(empty_store.file)
    for number, url in enumerate(HOSTS):
        connection.execute("INSERT INTO host (id, url, site) VALUES (?, ?, 'test')", (number, url))
    for number, page in enumerate(drawn):
        url = f"{HOSTS[page.host]}/{(number * 7) % 25:02}"
        connection.execute(
            "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, NULL, 0)",
            (number, url, page.host, page.state, page.is_local, page.depth),
        )
        if page.state in OUTCOMES:
            led_somewhere = page.state in ("fetched", "redirected")
            status = 200 if led_somewhere and (page.status or 0) >= 400 else page.status
            connection.execute(
                "INSERT INTO fetch (page, visit, outcome, attempt, started_at, seconds, status, content_type,"
                " body_bytes, title) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?)",
                (number, number + 1, OUTCOMES[page.state], 100.0 + number % 9, page.seconds, status,
                 page.content_type, page.size, page.title),
            )  # fmt: skip
    return connection


def all_rows(connection: sqlite3.Connection) -> list[tuple[int, PageTableRow]]:
    found = connection.execute(
        "SELECT host, page.id, url, title, state, is_local, depth, outcome, status, content_type, body_bytes, seconds,"
        " started_at FROM page LEFT JOIN fetch ON fetch.page = page.id"
    )
    return [(host, PageTableRow(*[*rest[:4], bool(rest[4]), *rest[5:]])) for host, *rest in found]


def is_within(value: float | None, span: tuple[float | None, float | None]) -> bool:
    if span == (None, None):
        return True
    low, high = span
    return value is not None and (low is None or value >= low) and (high is None or value <= high)


def is_wanted(host: int, row: PageTableRow, wanted: PageFilter) -> bool:
    has_status = row.outcome is not None and row.status is None
    return (
        wanted.state in ("", row.state)
        and wanted.outcome in ("", row.outcome)
        and wanted.is_local in (None, row.is_local)
        and wanted.host in (None, host)
        and (has_status if wanted.statuses == NO_STATUS else is_within(row.status, wanted.statuses))
        and (row.content_type or "").lower().startswith(wanted.content_type)
        and is_within(row.depth, wanted.depths)
        and is_within(row.body_bytes, wanted.sizes)
        and is_within(row.seconds, wanted.seconds)
        and is_within(row.fetched_at, wanted.fetched)
        and (not wanted.is_untitled or (row.outcome == "fetched" and not (row.title or "").strip()))
    )


KEYS: dict[str, Callable[[PageTableRow], Any]] = {
    "number": lambda row: row.number,
    "url": lambda row: row.url,
    "status": lambda row: (-1 if row.status is None else row.status, row.number),
    "size": lambda row: (-1 if row.body_bytes is None else row.body_bytes, row.number),
    "seconds": lambda row: (-1 if row.seconds is None else row.seconds, row.number),
    "fetched": lambda row: (-1 if row.fetched_at is None else row.fetched_at, row.number),
    "depth": lambda row: (row.depth, row.number),
}


def portions(
    tables: PageTableQueries, wanted: PageFilter, order: str, *, is_descending: bool, limit: int
) -> Iterator[list[PageTable]]:
    """What is shown from each start, one portion after the other."""
    start = -1
    while True:
        of_start, after = [], -1
        while True:
            table = tables.portion(
                wanted, order=order, is_descending=is_descending, after=after, start=start, limit=limit
            )
            of_start.append(table)
            if table.next_after is None:
                break
            after = table.next_after
        yield of_start
        if of_start[-1].next_start is None:
            return
        start = of_start[-1].next_start


@pytest.mark.slow
@given(PAGES, FILTERS, st.sampled_from(PAGE_ORDERS), st.booleans(), st.integers(1, 5), st.sampled_from([2, 6, 100]))
@settings(max_examples=rounds(100, 600))
def test_all_portions_together_are_the_pages_wanted_in_the_order_wanted(
    empty_store: EmptyStore,
    drawn: list[Drawn],
    wanted: PageFilter,
    order: str,
    is_descending: bool,
    limit: int,
    looked_at: int,
) -> None:
    with closing(filled(empty_store, drawn)) as connection:
        tables = PageTableQueries(connection, looked_at)
        expected = [row for host, row in all_rows(connection) if is_wanted(host, row, wanted)]
        found = list(portions(tables, wanted, order, is_descending=is_descending, limit=limit))
        rows = [row for each in found for table in each for row in table.rows]
        assert sorted(rows, key=KEYS["number"]) == sorted(expected, key=KEYS["number"])
        for each in found:  # each is in order by itself, and where there is one, all is
            of_start = [row for table in each for row in table.rows]
            assert of_start == sorted(of_start, key=KEYS[order], reverse=is_descending)
        if len(found) > 1:
            assert all(table.sorted_among is not None for each in found for table in each)
        count = tables.count(wanted)
        assert count is None or count == len(expected)


def test_no_answer_looks_at_more_pages_than_it_may(empty_store: EmptyStore) -> None:
    drawn = [Drawn(0, "fetched", True, 0, 200, None, number, 0.1, None) for number in range(25)]
    with closing(filled(empty_store, drawn)) as connection:
        tables = PageTableQueries(connection, 10)
        table = tables.portion(PageFilter(), order="size", is_descending=True, limit=3)
        assert [row.body_bytes for row in table.rows] == [9, 8, 7]
        assert (table.sorted_among, table.next_start) == (10, 10)
        rare = tables.portion(PageFilter(sizes=(24, None)), order="number", limit=3)
        assert (rare.rows, rare.next_after) == ([], 9)
        last = tables.portion(PageFilter(), order="size", start=20, limit=9)
        assert (last.sorted_among, last.next_start) == (5, None)


def test_few_failures_are_sorted_all_together_however_many_pages_there_are(empty_store: EmptyStore) -> None:
    drawn = [
        Drawn(0, "failed" if number % 8 == 0 else "fetched", True, 0, 404, None, 25 - number, 0.1, None)
        for number in range(25)
    ]
    with closing(filled(empty_store, drawn)) as connection:
        table = PageTableQueries(connection, 10).portion(PageFilter(state="failed"), order="size", limit=9)
    assert [row.body_bytes for row in table.rows] == [1, 9, 17, 25]
    assert (table.sorted_among, table.next_start) == (None, None)


def test_a_host_that_is_not_there_has_no_pages(empty_store: EmptyStore) -> None:
    drawn = [Drawn(0, "fetched", True, 0, 200, None, 1, 0.1, None)]
    with closing(filled(empty_store, drawn)) as connection:
        assert PageTableQueries(connection).portion(PageFilter(host=99)).rows == ()
