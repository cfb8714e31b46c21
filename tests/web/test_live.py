"""Server-sent events: what changed, to a bounded number of listeners, and no traces of disconnected ones."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from hinterland.web.crawl_page import LIVE, SECTIONS
from tests.support.crawling import wait_until
from tests.web.test_pages import Client, client_of, get

pytestmark = pytest.mark.slow


async def event(answer: aiohttp.ClientResponse) -> dict[str, str]:
    """The next event that is no heartbeat."""
    while line := await answer.content.readline():
        if line.startswith(b"data: "):
            found: dict[str, str] = json.loads(line[6:])
            return found
    raise AssertionError("the stream ended")


def live_of(client: Client) -> Any:
    server: Any = client.server
    return server.app[LIVE]


async def test_the_first_event_has_all_and_the_next_only_what_changed(crawled_store: Path, tmp_path: Path) -> None:
    store = Path(shutil.copy(crawled_store, tmp_path / "store.db"))
    options: dict[str, Any] = {"now": lambda: 2_000_000_000.0, "live_interval_seconds": 0.05}
    async with client_of(store, **options) as client, client.get("/crawl/events") as answer:
        assert answer.content_type == "text/event-stream"
        assert set(await event(answer)) == set(SECTIONS)
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("UPDATE page SET state = 'refused' WHERE id = 5")
        changed = set[str]()
        while "states" not in changed:
            changed |= set(await event(answer))
    assert changed <= {"states", "summary"}  # the summary tells when the file was written


async def test_hostile_text_is_spelt_out_in_events(hostile_store: Path) -> None:
    async with client_of(hostile_store) as client, client.get("/crawl/events") as answer:
        while not (line := await answer.content.readline()).startswith(b"data: "):
            pass
    assert line.isascii()
    assert b"<" not in line
    assert "&lt;script&gt;" in "".join(json.loads(line[6:]).values())


async def test_listeners_that_go_leave_nothing_behind(crawled_store: Path) -> None:
    async with client_of(crawled_store, live_interval_seconds=0.02) as client:
        live = live_of(client)
        for _ in range(3):
            async with client.get("/crawl/events") as answer:
                await event(answer)
                assert live.listeners == 1
                answer.close()
            await wait_until(lambda: live.listeners == 0)
        await wait_until(lambda: not [task for task in asyncio.all_tasks() if "LiveUpdates" in repr(task)])


async def test_there_are_only_so_many_listeners(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        live = live_of(client)
        live._max_listeners = 2
        async with client.get("/crawl/events"), client.get("/crawl/events"):
            await wait_until(lambda: live.listeners == 2)
            async with client.get("/crawl/events") as third:
                assert third.status == 503
                assert third.headers["Retry-After"] == "30"
        await wait_until(lambda: live.listeners == 0)


async def test_pages_of_other_sites_cannot_take_the_places_of_listeners(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        await get(client, "/crawl/events", 403, headers={"Sec-Fetch-Site": "cross-site"})


async def test_a_store_that_goes_away_is_told_and_comes_back(crawled_store: Path, tmp_path: Path) -> None:
    store = Path(shutil.copy(crawled_store, tmp_path / "store.db"))
    async with client_of(store, live_interval_seconds=0.02) as client, client.get("/crawl/events") as answer:
        await event(answer)
        await asyncio.to_thread(store.unlink)
        told = ""
        while "cannot be read at the moment" not in told:
            told = (await event(answer)).get("summary", "")
        shutil.copy(crawled_store, store)
        while "exhausted" not in told:
            told = (await event(answer)).get("summary", "")


async def test_a_bug_ends_the_streams_instead_of_leaving_them_silent(
    crawled_store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with client_of(crawled_store) as client:

        async def look() -> Mapping[str, str]:
            raise ZeroDivisionError("a bug")

        live_of(client)._look = look
        async with client.get("/crawl/events") as answer:
            with pytest.raises((AssertionError, aiohttp.ClientError)):
                await event(answer)
    assert "a bug" in caplog.text
