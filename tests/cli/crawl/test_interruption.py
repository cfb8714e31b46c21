"""SIGINT and SIGTERM before a crawl has begun; tests/cli/test_process.py: while one is under way."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from unittest.mock import create_autospec

import pytest

from hinterland.cli.crawl.crawl_run import CrawlPlan, CrawlRun
from hinterland.cli.crawl.display import Display
from hinterland.cli.crawl.interruption import Interruption
from hinterland.cli.exit_codes import CommandError
from hinterland.cli.seeds import GivenSeed
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.phases import INDEXING, Phase
from hinterland.crawler.settings import load_settings
from hinterland.storage.reading.opening import reading
from tests.support.hinterland import Memory, overrides
from tests.support.web import LoopbackWeb


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_who_is_told_once_with_nothing_under_way_has_stopped_as_it_should(number: signal.Signals) -> None:
    interruption = Interruption(create_autospec(Display, instance=True))
    with interruption.watching():
        os.kill(os.getpid(), number)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(60)
    task = asyncio.current_task()
    assert task is not None
    task.uncancel()
    assert interruption.is_abort
    assert interruption.reason is EndReason.STOPPED


async def test_who_presses_on_and_on_stops_the_crawl_once() -> None:
    interruption = Interruption(create_autospec(Display, instance=True))
    task = asyncio.current_task()
    assert task is not None
    with interruption.watching():
        for _ in range(3):
            interruption.press()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(60)
    assert task.uncancel() == 0


async def test_ctrl_c_before_the_first_visit_ends_without_a_crawl(tmp_path: Path) -> None:
    class Pressing(CrawlRun):
        async def _open_store_and_crawl(self) -> EndReason:
            self._interruption.press()
            await asyncio.sleep(60)
            raise AssertionError

    settings = load_settings(None, "settings.toml", {}, [], {})
    plan = CrawlPlan(settings, [], str(tmp_path / "a.db"), ["crawl"])
    with pytest.raises(CommandError, match="stopped before the crawl began") as refusal:
        await Pressing(plan, Memory()).run()
    assert refusal.value.exit_code == EndReason.STOPPED.exit_code


async def test_a_crawl_that_somebody_else_cancels_is_not_taken_for_one_that_was_stopped(tmp_path: Path) -> None:
    class Waiting(CrawlRun):
        async def _open_store_and_crawl(self) -> EndReason:
            await asyncio.sleep(60)
            raise AssertionError

    settings = load_settings(None, "settings.toml", {}, [], {})
    plan = CrawlPlan(settings, [], str(tmp_path / "a.db"), ["crawl"])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await Waiting(plan, Memory()).run()


async def test_ctrl_c_while_the_store_is_indexed_leaves_the_crawl_ended_as_it_was(tmp_path: Path) -> None:
    class Pressing(CrawlRun):
        def _told(self, phase: Phase) -> None:
            super()._told(phase)
            if phase.doing == INDEXING:
                self._interruption.press()

    display = Memory()
    async with LoopbackWeb() as web:
        web.page("a.test", "/", ["/1"])
        web.page("a.test", "/1", [])
        settings = load_settings(None, "settings.toml", {}, overrides(web), {})
        seed = GivenSeed(web.url("a.test", "/"), "seed 1")
        ending = await Pressing(CrawlPlan(settings, [seed], str(tmp_path / "a.db"), ["crawl"]), display).run()
    assert ending.reason is EndReason.EXHAUSTED
    assert "left to the end of the next run" in display.notes[-1]
    with reading(tmp_path / "a.db") as store:
        run = store.runs.last()
        assert run is not None
        assert run.reason == EndReason.EXHAUSTED.label
