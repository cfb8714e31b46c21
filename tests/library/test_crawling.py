"""A program crawls by one call, whether or not an event loop is running already, and can be stopped."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import hinterland
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.errors import CommandError
from tests.support.hinterland import overrides
from tests.support.plug_ins import tables_as_before
from tests.support.web import LoopbackWeb
from tests.support.web_thread import served

pytestmark = pytest.mark.slow

PAGES = 12


@pytest.fixture
def web() -> Iterator[LoopbackWeb]:
    with served(LoopbackWeb(latency=0.01)) as web:
        for page in range(PAGES):
            web.page("a.test", f"/{page}" if page else "/", links=[f"/{page + 1}"] if page + 1 < PAGES else [])
        yield web


def settings_for(web: LoopbackWeb) -> dict[str, str]:
    return dict(override.split("=", 1) for override in overrides(web))


def test_a_crawl_returns_how_it_ended_and_leaves_a_store(web: LoopbackWeb, tmp_path: Path) -> None:
    ending = hinterland.crawl(web.url("a.test"), tmp_path / "a.db", settings=settings_for(web))
    assert ending.reason is EndReason.EXHAUSTED
    assert ending.progress.pages_in_store == PAGES
    with hinterland.Store(tmp_path / "a.db") as store:
        assert {page.outcome for page in store.pages()} == {"fetched"}


def test_it_works_where_an_event_loop_is_running_as_in_a_notebook(web: LoopbackWeb, tmp_path: Path) -> None:
    async def cell() -> EndReason:
        return hinterland.crawl([web.url("a.test")], tmp_path / "a.db", settings=settings_for(web)).reason

    assert asyncio.run(cell()) is EndReason.EXHAUSTED


def test_ctrl_c_in_a_notebook_finishes_what_is_under_way(web: LoopbackWeb, tmp_path: Path) -> None:
    web.latency = 0.2

    async def cell() -> EndReason:
        settings = {**settings_for(web), "report.interval_seconds": "0.1"}
        pressed = threading.Event()

        def press(_: object) -> None:
            if not pressed.is_set():
                pressed.set()
                os.kill(os.getpid(), signal.SIGINT)

        ending = hinterland.crawl(web.url("a.test"), tmp_path / "a.db", settings=settings, on_progress=press)
        assert pressed.is_set()
        return ending.reason

    loop = asyncio.new_event_loop()  # not `run`, which handles the signal itself
    try:
        assert loop.run_until_complete(cell()) is EndReason.STOPPED
    finally:
        loop.close()
    ending = hinterland.crawl([], tmp_path / "a.db", settings=settings_for(web), resume=True)
    assert ending.reason is EndReason.EXHAUSTED
    assert ending.progress.pages_in_store == PAGES


def test_a_policy_of_ones_own_steers_it(web: LoopbackWeb, tmp_path: Path) -> None:
    plugin = tmp_path / "newest.py"
    plugin.write_text(
        "from hinterland.policies import FixedOrder\n"
        "class Newest(FixedOrder):\n"
        "    def discovered(self, pages, depths):\n"
        "        return pages.astype(float)\n"
        "POLICIES = {'newest-of-all': Newest}\n"
    )
    with tables_as_before():
        ending = hinterland.crawl(
            web.url("a.test"),
            tmp_path / "a.db",
            settings=settings_for(web),
            plugins=[plugin],
            policy="newest-of-all",
            max_pages=3,
        )
    assert ending.reason is EndReason.MAX_PAGES
    assert ending.progress.pages_in_store == 3


def test_what_cannot_begin_says_why(web: LoopbackWeb, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = tmp_path / "a.db"
    with pytest.raises(CommandError, match=r"fetching\.max_in_flight"):
        hinterland.crawl(web.url("a.test"), store, settings={"fetching.max_in_flight": -1})
    with caplog.at_level(logging.WARNING, "hinterland"), pytest.raises(CommandError, match="no usable seed"):
        hinterland.crawl("mailto:nobody", store, settings=settings_for(web))
    assert "seed 1" in caplog.text
    hinterland.crawl(web.url("a.test"), store, settings=settings_for(web), max_pages=1)
    with pytest.raises(CommandError, match="already holds a crawl"):
        hinterland.crawl(web.url("a.test"), store, settings=settings_for(web))
