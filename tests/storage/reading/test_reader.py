"""Questions to a store: the right answers, and never in the way of the crawl."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from hinterland.storage.failures import store_failure
from hinterland.storage.link_store import LinkStore
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import (
    DiscoveriesRecord,
    HostRecord,
    LinkColumns,
    PageRecord,
    RobotsRecord,
    VisitRecord,
)
from hinterland.storage.values.runs import RunState

HOSTS = [HostRecord(0, "https://a.example", "a.example"), HostRecord(1, "https://b.example", "b.example")]
PAGES = [
    PageRecord(0, "https://a.example/", 0, "waiting", True, 0, None, 0),
    PageRecord(1, "https://a.example/1", 0, "waiting", True, 1, 0, 0),
    PageRecord(2, "https://a.example/2", 0, "waiting", True, 1, 0, 0),
    PageRecord(3, "https://b.example/", 1, "known", False, 1, 0, 0),
]


def host_state(failures: int = 0, given_up: bool = False) -> HostStateRecord:
    return HostStateRecord(0, "127.0.0.1", 50.0, 1.0, failures, 1, given_up)


def visit(number: int, page: int, outcome: str, state: str, **others: Any) -> VisitRecord:
    values: dict[str, Any] = {
        "detail": "",
        "attempt": 1,
        "started_at": 10.0,
        "seconds": 0.1,
        "host_state": host_state(),
    } | others
    return VisitRecord(visit=number, page=page, outcome=outcome, state=state, **values)


async def written(path: Path, *records: DiscoveriesRecord | VisitRecord | RobotsRecord | HostStateRecord) -> None:
    async with LinkStore(path) as store:
        run = await store.begin_run(["crawl"], '{"scope": {}}', 1.0)
        await store.write([DiscoveriesRecord(HOSTS, PAGES), *records])
        await store.end_run(run, "stopped", {"pages_fetched": 1}, 9.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


async def test_pages_are_counted_by_state_and_domain(path: Path) -> None:
    await written(path, visit(1, 0, "fetched", "fetched"))
    with reading(path) as store:
        counts = store.pages.counts()
    assert counts.local == {
        **dict.fromkeys(("redirected", "failed", "refused", "known"), 0), "fetched": 1, "waiting": 2
    }  # fmt: skip
    assert counts.outside["known"] == 1
    assert counts.of("waiting") == 2
    assert counts.total == 4


async def test_failures_come_with_an_example_and_the_number_of_pages_to_retry(path: Path) -> None:
    await written(
        path,
        visit(1, 0, "fetched", "fetched"),
        visit(2, 1, "client_error", "failed", status=404, detail="status 404"),
        visit(3, 2, "disconnected", "waiting", detail="gone", retry_at=99.0),
    )
    with reading(path) as store:
        failures = store.pages.failures()
    assert [(each.outcome, each.status, each.pages, each.retrying, each.example) for each in failures] == [
        ("client_error", 404, 1, 0, "https://a.example/1"),
        ("disconnected", None, 1, 1, "https://a.example/2"),
    ]


async def test_hosts_are_reported_by_pages_by_waiting_pages_and_by_failures(path: Path) -> None:
    await written(path, visit(1, 0, "fetched", "fetched", host_state=host_state(failures=2)))
    with reading(path) as store:
        hosts = store.hosts.report(store.hosts.waiting())
    assert (hosts.known, hosts.visited, hosts.given_up) == (2, 1, 0)
    assert [(each.url, each.waiting) for each in hosts.by_waiting] == [("https://a.example", 2)]
    assert [each.url for each in hosts.failing] == ["https://a.example"]


async def test_a_host_given_up_for_its_pages_has_the_last_of_their_failures(path: Path) -> None:
    await written(
        path,
        visit(1, 1, "connect_timeout", "failed", detail="first"),
        visit(2, 2, "disconnected", "failed", detail="last", host_state=host_state(8, given_up=True)),
    )
    with reading(path) as store:
        [lost] = store.hosts.report({}).lost
    assert lost.last_error == "disconnected: last"


async def test_a_page_is_found_by_its_url(path: Path) -> None:
    await written(path, visit(1, 0, "fetched", "fetched", title="Home"))
    with reading(path) as store:
        page, unknown = store.pages.by_url("https://a.example/1"), store.pages.by_url("https://a.example/never")
        home = store.pages.by_url("https://a.example/")
    assert page is not None
    assert (page.number, page.state, page.outcome) == (1, "waiting", None)
    assert page.referrer is not None
    assert page.referrer.url == "https://a.example/"
    assert home is not None
    assert home.title == "Home"
    assert unknown is None


async def test_robots_files_and_seeds_are_found(path: Path) -> None:
    await written(path, RobotsRecord(0, 200, 5.0, 6.0, b"User-agent: *", None, ()))
    with reading(path) as store:
        robots, none = store.hosts.robots_file("https://a.example"), store.hosts.robots_file("https://b.example")
        assert store.pages.seeds() == store.pages.first_seeds(5) == ["https://a.example/"]
    assert robots is not None
    assert robots.text == b"User-agent: *"
    assert none is None


async def test_pages_are_ranked_by_how_many_others_link_to_them(path: Path) -> None:
    await written(
        path,
        visit(1, 0, "fetched", "fetched", links=LinkColumns([1, 1, 2, 0], b"\0\1\0\0", b"\0" * 4, [""] * 4)),
        visit(2, 1, "fetched", "fetched", links=LinkColumns([1, 2], b"\0\0", b"\0\0", ["", ""])),
        visit(3, 2, "fetched", "fetched"),
    )
    with reading(path) as store:
        linked = [(page.url, inlinks) for page, inlinks in store.links.most_linked(5)]
        assert store.links.count() == 6
    assert linked == [("https://a.example/2", 2), ("https://a.example/1", 1)]


async def test_a_run_counts_as_running_while_its_process_holds_the_store(path: Path) -> None:
    await written(path)
    async with LinkStore(path) as writer:
        await writer.begin_run(["crawl", "--resume"], "{}", 20.0)
        with reading(path) as store:
            newest, oldest = store.runs.newest()
            assert store.holder == os.getpid()
    assert (newest.state, oldest.state) == (RunState.RUNNING, RunState.ENDED)
    assert newest.command == ["crawl", "--resume"]
    with reading(path) as store:  # the writer has gone without a word
        run = store.runs.last()
        assert store.runs.count() == 2
    assert run is not None
    assert run.state is RunState.KILLED


async def test_a_reader_sees_what_is_committed_and_never_stops_the_writer(path: Path) -> None:
    await written(path)
    async with LinkStore(path) as writer:
        with reading(path) as store:
            assert store.pages.counts().local["fetched"] == 0
            await writer.write([visit(1, 0, "fetched", "fetched")])
            assert store.pages.counts().local["fetched"] == 1


async def test_nothing_can_be_written_through_a_report(path: Path) -> None:
    await written(path)
    with pytest.raises(NoStore, match="readonly"), reading(path) as store:
        store.pages._rows("DELETE FROM page")


async def test_a_store_left_by_a_killed_process_can_be_read(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    async with LinkStore(path) as writer:
        await writer.begin_run(["crawl"], "{}", 1.0)
        await writer.write([DiscoveriesRecord(HOSTS, PAGES)])
        for ending in ("", "-wal"):
            shutil.copy(f"{path}{ending}", f"{copy}{ending}")
    with reading(copy) as store:
        assert store.pages.counts().total == 4


async def test_a_store_in_a_folder_where_nobody_may_write_can_be_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may write anywhere, so the refusal of SQLite to work beside such a file is played."""
    await written(path)
    opened = []

    def refuse_unless_immutable(uri: str, **_: object) -> sqlite3.Connection:
        opened.append(uri.rpartition("?")[2])
        if "immutable" not in uri:
            raise sqlite3.OperationalError("unable to open database file")
        return sqlite3.connect(uri, uri=True, isolation_level=None)

    monkeypatch.setattr("hinterland.storage.reading.opening._open", refuse_unless_immutable)
    with reading(path) as store:
        assert store.pages.counts().total == 4
    assert opened == ["mode=ro", "immutable=1"]


def test_what_is_no_store_is_refused_with_a_reason(path: Path) -> None:
    with pytest.raises(NoStore, match="no store at"), reading(path):
        pass
    path.mkdir()
    with pytest.raises(NoStore, match="is not a file"), reading(path):
        pass


# --- a failing store and a bug -------------------------------------------------------------------


def test_disk_errors_are_distinguished_from_bugs() -> None:
    full = sqlite3.OperationalError("database or disk is full")
    bug = ZeroDivisionError()
    assert store_failure(full) is full
    assert store_failure(ExceptionGroup("", [ExceptionGroup("", [full]), full])) is full
    assert store_failure(bug) is None
    assert store_failure(ExceptionGroup("", [full, bug])) is None
    assert store_failure(sqlite3.IntegrityError("UNIQUE")) is None


async def test_the_whole_graph_is_read_with_what_was_visited_and_what_is_local(path: Path) -> None:
    columns = LinkColumns([1, 3, 0], bytes([0, 0, 3]), bytes(3), [""] * 3)
    moved = LinkColumns([1], bytes([8]), b"\0", [""])
    await written(
        path,
        visit(1, 0, "fetched", "fetched", links=columns),
        visit(2, 2, "redirected", "redirected", links=moved),
        visit(3, 1, "client_error", "failed"),
    )
    with reading(path) as store:
        links = store.links.all()
    assert links.urls == [page.url for page in PAGES]
    assert list(links.is_local) == [1, 1, 1, 0]
    assert list(links.is_visited) == [1, 0, 1, 0]
    assert list(zip(links.sources, links.targets, strict=True)) == [(0, 0), (0, 1), (0, 3), (2, 1)]
