"""A crawl that holds its store and has written no run yet is starting, for every command and page."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from hinterland.cli.commands import main
from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreLock
from hinterland.web.application import application
from tests.support.fake_index import FakeIndex


async def never_crawled(path: Path) -> None:
    async with LinkStore(path):
        pass


async def crawled(path: Path) -> None:
    async with LinkStore(path) as store:
        run = await store.begin_run(["crawl"], "{}", 10.0)
        await store.end_run(run, "exhausted", {}, 20.0)


async def killed(path: Path) -> None:
    async with LinkStore(path) as store:
        await store.begin_run(["crawl"], "{}", 10.0)


async def killed_twice(path: Path) -> None:
    await killed(path)
    await killed(path)


async def stopped_after_a_kill(path: Path) -> None:
    await killed(path)
    await crawled(path)


Before = Callable[[Path], Awaitable[None]]
BEFORE: list[Before] = [never_crawled, crawled, killed, killed_twice, stopped_after_a_kill]


Client = TestClient[web.Request, web.Application]


@asynccontextmanager
async def client_of(store: Path) -> AsyncIterator[Client]:
    async with TestClient(TestServer(application(store, FakeIndex(store), only_this_machine=True))) as client:
        yield client


async def views_of(store: Path) -> dict[str, str]:
    """By a server of their own: within a second one gives the same answer again."""
    views = dict[str, str]()
    async with client_of(store) as client:
        for view in ("/crawl", "/", "/api/status", "/metrics"):
            async with client.get(view) as response:
                assert response.status == 200
                views[view] = await response.text()
    return views


@pytest.mark.slow
@pytest.mark.parametrize("before", BEFORE)
async def test_status_says_that_a_crawl_is_starting_until_it_has_written_its_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: Before
) -> None:
    path = tmp_path / "s.db"
    await before(path)
    told = list[str]()
    states = list[str | None]()

    def look() -> None:
        assert main(["status", str(path)]) == 0
        told.append(capsys.readouterr().out)
        assert main(["status", str(path), "--json"]) == 0
        states.append(json.loads(capsys.readouterr().out)["state"])

    async with LinkStore(path) as store:
        look()
        await store.begin_run(["crawl"], "{}", 30.0)
        look()
    look()
    assert states == ["starting", "running", "killed"]
    assert "A crawl is starting" in told[0]
    assert "running now" not in told[0]
    assert "No crawl has begun" not in told[0]
    assert "A crawl is running" in told[1]
    assert "starting" not in told[1] + told[2]


@pytest.mark.slow
@pytest.mark.parametrize("before", BEFORE)
async def test_every_page_says_that_a_crawl_is_starting_until_it_has_written_its_run(
    tmp_path: Path, before: Before
) -> None:
    path = tmp_path / "s.db"
    await before(path)
    calm = await views_of(path)
    async with LinkStore(path) as store:
        starting = await views_of(path)
        await store.begin_run(["crawl"], "{}", 30.0)
        running = await views_of(path)
    for views_then, is_starting, is_running in ((calm, 0, 0), (starting, 1, 0), (running, 0, 1)):
        assert ("a crawl is starting" in views_then["/"]) is bool(is_starting)
        assert ("A crawl is starting" in views_then["/crawl"]) is bool(is_starting)
        assert ('data-running="starting"' in views_then["/crawl"]) is bool(is_starting)
        assert ("running now" in views_then["/crawl"]) is bool(is_running)
        assert (json.loads(views_then["/api/status"])["state"] == "starting") is bool(is_starting)
        metrics = views_then["/metrics"]
        assert re.search(rf"^hinterland_crawl_starting {is_starting}\.0$", metrics, re.MULTILINE)
        assert re.search(rf"^hinterland_crawl_running {is_running}\.0$", metrics, re.MULTILINE)


async def test_a_part_of_a_crawl_that_has_begun_no_run_is_starting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = tmp_path / "s.db.shards"
    parts.mkdir()
    for number, before in enumerate((never_crawled, never_crawled, crawled)):
        await before(parts / f"{number}.db")
    (parts / "crawl.json").write_text("{}")
    async with LinkStore(parts / "1.db"):
        assert states_of_parts(tmp_path / "s.db", capsys) == ["empty", "starting", "ended"]
    lock = StoreLock(parts / "crawl.json")  # held by the process that is about to start the shards
    lock.acquire()
    assert states_of_parts(tmp_path / "s.db", capsys) == ["starting", "starting", "ended"]
    lock.release()


def states_of_parts(store: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["status", str(store)]) == 0
    return [line.split()[-1] for line in capsys.readouterr().out.splitlines() if line.split()[0].isdecimal()]
