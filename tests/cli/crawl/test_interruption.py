"""SIGINT and SIGTERM before a crawl has begun; tests/cli/test_process.py: while one is under way."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import pytest

from hinterland.cli.crawl.display import Display
from hinterland.crawler.assembly import running
from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import load_settings
from hinterland.library.crawls import crawl_run
from hinterland.library.crawls.crawl_run import crawl
from hinterland.library.crawls.interruption import Interruption
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.library.errors import HinterlandError
from tests.support.hinterland import Memory, overrides
from tests.support.web import LoopbackWeb


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_one_signal_with_nothing_in_flight_is_a_normal_stop(number: signal.Signals) -> None:
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


async def test_ctrl_c_that_comes_when_the_work_is_done_cancels_nothing() -> None:
    interruption = Interruption(create_autospec(Display, instance=True))
    with interruption.watching():
        interruption.press()
        await interruption.settle()
    await asyncio.sleep(0)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_ctrl_c_before_the_first_visit_ends_without_a_crawl(tmp_path: Path) -> None:
    class Pressing(Memory):
        def note(self, text: str) -> None:
            super().note(text)
            interruption.press()

    display = Pressing()
    interruption = Interruption(display)
    settings = load_settings(None, "settings.toml", {}, [], {})
    plan = CrawlPlan(settings, [GivenSeed("a.test", "seed 1")], str(tmp_path / "a.db"), ["crawl"])
    with pytest.raises(HinterlandError, match="stopped before the crawl began") as refusal:
        await crawl(plan, display, interruption)
    assert refusal.value.exit_code == EndReason.STOPPED.exit_code
    assert display.notes, "it was pressed when the seed was looked at"


async def test_ctrl_c_while_the_summary_is_made_does_not_cost_it(tmp_path: Path) -> None:
    class Pressing(Memory):
        def close(self) -> None:
            super().close()
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                pytest.fail("nothing handled Ctrl-C")

    async with LoopbackWeb() as web:
        seed = GivenSeed(web.page("a.test", "/"), "seed 1")
        settings = load_settings(None, "settings.toml", {}, overrides(web), {})
        ending = await crawl(CrawlPlan(settings, [seed], str(tmp_path / "a.db"), ["crawl"]), Pressing())
    assert (ending.reason, ending.content is None) == (EndReason.EXHAUSTED, False)


async def test_ctrl_c_while_the_store_is_closed_does_not_make_an_abort_of_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    display = Memory()
    interruption = Interruption(display)

    async def run_crawl(*arguments: Any) -> CrawlResult:
        result = await running.run_crawl(*arguments)
        for _ in range(2):
            asyncio.get_running_loop().call_soon(interruption.press)
        return result

    monkeypatch.setattr(crawl_run, "run_crawl", run_crawl)
    async with LoopbackWeb() as web:
        seed = GivenSeed(web.page("a.test", "/"), "seed 1")
        settings = load_settings(None, "settings.toml", {}, overrides(web), {})
        ending = await crawl(CrawlPlan(settings, [seed], str(tmp_path / "a.db"), ["crawl"]), display, interruption)
    assert ending.reason is EndReason.EXHAUSTED


async def test_a_crawl_that_somebody_else_cancels_is_not_taken_for_one_that_was_stopped(tmp_path: Path) -> None:
    async with LoopbackWeb(latency=60) as web:
        settings = load_settings(None, "settings.toml", {}, overrides(web), {})
        seed = GivenSeed(web.url("a.test", "/"), "seed 1")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await crawl(CrawlPlan(settings, [seed], str(tmp_path / "a.db"), ["crawl"]), Memory())
