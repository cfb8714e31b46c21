"""The counts that the store keeps equal those of a scan of its tables, whatever was done to them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterland.crawler.frontier.pages.page_state import PageState
from hinterland.storage.link_store import LinkStore
from hinterland.storage.migrations import CREATE_MIGRATION_TABLE, migration_names, pending_migrations
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.pages import PAGE_STATES
from hinterland.storage.values.records import (
    DiscoveriesRecord,
    HostRecord,
    PageRecord,
    RankRecord,
    Record,
    VisitRecord,
)
from tests.support.kept_counts import assert_counts_are_true

HOSTS = 3
STATES = ("known", "waiting", "fetched", "redirected", "failed", "refused")
OUTCOMES = (
    ("fetched", "fetched", 200), ("redirected", "redirected", 301), ("client_error", "failed", 404),
    ("dns_failure", "failed", None), ("robots", "refused", None), ("unavailable", "waiting", 503),
)  # fmt: skip
Step = tuple[str, int, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(("found", "visit", "visit", "admit", "localise", "retry", "fail", "end", "clear")),
        st.integers(0, 11),
        st.integers(0, 5),
    ),
    max_size=25,
)


class History:
    """Applies steps to a store, one transaction each."""

    def __init__(self, store: LinkStore) -> None:
        self._store = store
        self._pages = 0
        self._visits = 0

    async def do(self, step: Step) -> None:
        kind, number, choice = step
        if kind == "found":
            await self._store.write([self._found(number, choice)])
        elif kind == "end":
            run = await self._store.begin_run([], "{}", 1.0)
            await self._store.end_run(run, "stopped", {}, 2.0)
        elif kind == "clear":
            await self._store.clear()
            self._pages = 0
        elif self._pages:
            page = number % self._pages
            match kind:
                case "visit":
                    await self._store.write([self._visit(page, choice)])
                case "admit":
                    await self._store.write([DiscoveriesRecord(admitted=[(page, 1, choice % 2)])])
                case "localise":
                    await self._store.write([DiscoveriesRecord(localised=[page])])
                case "retry":
                    again = "UPDATE page SET state = 'waiting' WHERE state IN ('failed', 'refused')"
                    await self._store._writer.execute(again)
                case "fail":
                    bad = PageRecord(0, "http://taken.test/", 0, "waiting", 1, 1, None, 0)
                    with pytest.raises(sqlite3.IntegrityError):
                        await self._store.write([self._visit(page, choice), DiscoveriesRecord(new_pages=[bad])])

    def _found(self, number: int, choice: int) -> Record:
        hosts = [] if self._pages else [HostRecord(each, f"http://h{each}.test", "test") for each in range(HOSTS)]
        first = self._pages
        self._pages += 1 + number % 4
        return DiscoveriesRecord(
            hosts,
            [
                PageRecord(
                    page, f"http://h{page % HOSTS}.test/{page}", page % HOSTS, STATES[choice], page % 2, 1, None, 0
                )
                for page in range(first, self._pages)
            ],
        )

    def _visit(self, page: int, choice: int) -> Record:
        outcome, state, status = OUTCOMES[choice]
        self._visits += 1
        return VisitRecord(
            self._visits, page, state, outcome, f"detail {choice}", 1, 5.0, 0.1,
            HostStateRecord(page % HOSTS, None, 0.0, 0.0, 0, 1, False),
            retry_at=9.0 if state == "waiting" else None, status=status, body_hash=bytes([choice]),
        )  # fmt: skip


@pytest.mark.slow
@settings(max_examples=40)
@given(STEPS)
def test_counts_are_true_after_any_history_of_writes_retries_and_failures(steps: list[Step]) -> None:
    async def done(path: Path) -> None:
        async with LinkStore(path) as store:
            history = History(store)
            for step in [("found", 3, 1), *steps]:
                await history.do(step)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        asyncio.run(done(path))
        assert_counts_are_true(path)


async def test_a_transaction_that_was_cut_short_leaves_the_counts_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    async with LinkStore(path) as store:
        await History(store).do(("found", 3, 1))
    with closing(sqlite3.connect(path, isolation_level=None)) as killed:
        killed.execute("BEGIN")
        killed.execute("UPDATE page SET state = 'fetched'")
    assert_counts_are_true(path)


def old_store(path: Path) -> None:
    """As the versions before the counts left one: two estimators, failures, pages in all states."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(CREATE_MIGRATION_TABLE)
        later = {name for name in migration_names() if name >= "0004"}
        for script in pending_migrations(later):
            connection.executescript(script)
        hosts = [(number, f"http://h{number}.test", "test") for number in range(HOSTS)]
        connection.executemany("INSERT INTO host (id, url, site) VALUES (?, ?, ?)", hosts)
        for n in range(36):
            outcome, state, status = OUTCOMES[n % 6]
            page = (n, f"http://h{n % HOSTS}.test/{n}", n % HOSTS, state if n < 30 else "known", n % 2)
            connection.execute("INSERT INTO page VALUES (?, ?, ?, ?, ?, 1, NULL, 0)", page)
            if n < 30:
                fetch = (n, n, outcome, 9.0 if state == "waiting" else None, status)
                connection.execute(
                    "INSERT INTO fetch (page, visit, outcome, attempt, retry_at, started_at, seconds, status)"
                    " VALUES (?, ?, ?, 1, ?, 0, 0, ?)",
                    fetch,
                )
        for name, step in (("local", 3), ("b", 2), ("a", 5)):
            ranks = [(name, n, (n * step % 7 + 1) / 100) for n in range(20)]
            connection.executemany("INSERT INTO rank VALUES (?, ?, ?)", ranks)


RANKS = "SELECT estimator, page, place, pagerank, as_site_sees, moved FROM rank ORDER BY estimator, page"


async def test_a_store_of_an_earlier_version_gets_true_counts_places_and_moves(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    old_store(path)
    async with LinkStore(path) as store:
        assert_counts_are_true(path)
        with closing(sqlite3.connect(path)) as connection:
            migrated = connection.execute(RANKS).fetchall()
            ranks: dict[str, list[tuple[int, float]]] = {}
            for name, page, rank in connection.execute("SELECT estimator, page, pagerank FROM rank"):
                ranks.setdefault(name, []).append((page, rank))
        columns = {name: list(zip(*each, strict=True)) for name, each in ranks.items()}
        await store.write([RankRecord(name, pages, values) for name, (pages, values) in columns.items()])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(RANKS).fetchall() == migrated
    for name, _, place, mine, as_site_sees, moved in migrated:
        assert place == 1 + sum(rank > mine for _, rank in ranks[name])
        assert (moved is None) == (as_site_sees is None)
        assert moved is None or moved == pytest.approx(max(mine / as_site_sees, as_site_sees / mine))


# --- ranks --------------------------------------------------------------------------------------


def test_ranks_list_each_fetched_page_once_by_the_estimator_that_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    old_store(path)
    asyncio.run(_opened(path))
    with closing(sqlite3.connect(path)) as connection:
        urls = [url for (url,) in connection.execute("SELECT url FROM ranks")]
        fetched = [
            url
            for (url,) in connection.execute(
                "SELECT url FROM page JOIN fetch ON page = id WHERE outcome = 'fetched' AND id < 20"
            )
        ]
        assert sorted(urls) == sorted(fetched)
        assert connection.execute("SELECT DISTINCT estimator FROM ranks").fetchall() == [("a",)]
        both = connection.execute("SELECT estimator, count(*) FROM ranks_by_estimator GROUP BY estimator").fetchall()
        assert both == [("a", len(fetched)), ("b", len(fetched))]
        connection.execute("INSERT INTO run (started_at, command, settings, updated_at) VALUES (0, '[]', '{}', 0)")
        connection.execute("INSERT INTO estimate VALUES (1, 1, 1, 1, 1, 'b', NULL, NULL, 0, 0, x'', 0.1, 0.2)")
        assert connection.execute("SELECT DISTINCT estimator FROM ranks").fetchall() == [("b",)]
        connection.execute("INSERT INTO estimate VALUES (2, 1, 1, 1, 1, 'unranked', NULL, NULL, 0, 0, x'', NULL, NULL)")
        assert connection.execute("SELECT DISTINCT estimator FROM ranks").fetchall() == [("a",)]


async def _opened(path: Path) -> None:
    async with LinkStore(path):
        pass


async def _many(path: Path, pages: int) -> None:
    state = HostStateRecord(0, None, 0.0, 0.0, 0, 1, False)
    numbers = list(range(pages))
    async with LinkStore(path) as store:
        found = [PageRecord(n, f"http://h.test/{n}", 0, "waiting", 1, 1, None, 0) for n in numbers]
        await store.write([DiscoveriesRecord([HostRecord(0, "http://h.test", "h.test")], found)])
        visits = [VisitRecord(n, n, "fetched", "fetched", "", 1, 0.0, 0.1, state) for n in numbers]
        await store.write([replace(visit, body_hash=(visit.page // 2).to_bytes(16)) for visit in visits])
        values = [1.0 / (n + 1) for n in numbers]
        await store.write([RankRecord(name, numbers, values) for name in ("local", "a", "b")])
        await store.end_run(await store.begin_run([], "{}", 1.0), "exhausted", {}, 2.0)  # which sorts the bodies


def steps_of(path: Path, sql: str) -> int:
    """Instructions of SQLite's machine that a question takes."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql).fetchall()  # read the schema first
        connection.set_progress_handler(step, 1)
        connection.execute(sql).fetchall()
    return steps


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM ranks",
        "SELECT url FROM ranks ORDER BY as_web_sees DESC LIMIT 5",
        "SELECT url FROM ranks ORDER BY moved DESC LIMIT 20",
    ],
)
def test_ranks_take_time_in_proportion_to_the_pages(tmp_path: Path, sql: str) -> None:
    few, many = tmp_path / "few.db", tmp_path / "many.db"
    asyncio.run(_many(few, 200))
    asyncio.run(_many(many, 800))
    assert steps_of(many, sql) < 5 * steps_of(few, sql)


def test_every_state_of_pages_is_counted_by_the_view_of_hosts() -> None:
    assert sorted(PAGE_STATES) == sorted(STATES) == sorted(PageState)


@pytest.mark.slow
def test_what_a_dashboard_asks_takes_no_longer_for_more_pages(few_and_many: tuple[Path, Path]) -> None:
    def asked(reports: StoreReader) -> None:
        reports.pages.counts()
        reports.hosts.report(reports.hosts.waiting())
        reports.pages.failures()

    few, many = (steps_of_questions(path, asked) for path in few_and_many)
    assert many == few


def test_a_page_and_its_copies_are_found_by_index(few_and_many: tuple[Path, Path]) -> None:
    def asked(reports: StoreReader) -> None:
        page = reports.pages.by_url("http://h.test/7")
        assert page is not None
        copies = reports.pages.copies(page.number, 10)
        assert copies is not None
        assert [copy.number for copy in copies] == [6]
        assert reports.links.knows_inlinks
        reports.links.inlinks(page.number, -1, 10)
        reports.links.outlinks(page.number, -1, 10)
        reports.ranks.of_page(page.number, 100)

    few, many = (steps_of_questions(path, asked) for path in few_and_many)
    assert many == few


async def test_pages_that_wait_for_hosts_given_up_are_found_by_index(tmp_path: Path) -> None:
    """A report of broken links at a million pages took more than ten seconds, which is when it is broken off."""
    steps = []
    for waiting in (100, 1000):
        path = tmp_path / f"{waiting}.db"
        async with LinkStore(path) as store:
            hosts = [HostRecord(number, f"http://h{number}.test", "test") for number in range(20)]
            host_of = [page if page < 20 else 0 for page in range(waiting)]
            pages = [
                PageRecord(page, f"http://h{host}.test/{page}", host, "waiting", 1, 0, None, 0)
                for page, host in enumerate(host_of)
            ]
            await store.write([DiscoveriesRecord(hosts, pages)])
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE host SET is_given_up = 1 WHERE id > 0")
        steps.append(steps_of_questions(path, lambda reports: _assert_broken(reports, 19)))
    assert steps[0] == steps[1]


async def test_the_latest_failures_are_found_by_index(tmp_path: Path) -> None:
    """Among a million pages they took 0.35 s of CPU, more than all else on the dashboard."""
    steps = []
    for failed in (100, 1000):
        path = tmp_path / f"{failed}.db"
        async with LinkStore(path) as store:
            host = HostRecord(0, "http://h.test", "test")
            pages = [PageRecord(page, f"http://h.test/{page}", 0, "waiting", 1, 0, None, 0) for page in range(failed)]
            state = HostStateRecord(0, None, 0.0, 0.0, 0, 0, is_given_up=False)
            visits = [VisitRecord(n, n, "failed", "client_error", "", 1, float(n), 0.1, state) for n in range(failed)]
            await store.write([DiscoveriesRecord([host], pages), *visits])
        steps.append(steps_of_questions(path, partial(_assert_latest, failed)))
    assert steps[0] == steps[1]


def _assert_latest(failed: int, reports: StoreReader) -> None:
    latest = [failure.page.number for failure in reports.lists.latest_failures(10)]
    assert latest == list(range(failed - 1, failed - 11, -1))


def _assert_broken(reports: StoreReader, count: int) -> None:
    assert len(reports.broken_links.targets().pages) == count


@pytest.fixture(scope="module")
def few_and_many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Stores of a hundred pages and of a thousand, each page a copy of one other."""
    folder = tmp_path_factory.mktemp("stores")
    few, many = folder / "few.db", folder / "many.db"
    asyncio.run(_many(few, 100))
    asyncio.run(_many(many, 1000))
    return few, many


def steps_of_questions(path: Path, asked: Callable[[StoreReader], None]) -> int:
    """Instructions of SQLite's machine that questions to a store take."""
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    with reading(path) as reports:
        reports.connection.set_progress_handler(step, 1)
        asked(reports)
    return steps
