"""kill -9 while pages are looked at again: no history is lost, and none is written twice."""

from __future__ import annotations

import asyncio
import random
import subprocess
from pathlib import Path

import pytest

from hinterland.storage.reading.opening import reading
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawl_process import CrawlOrder
from tests.support.crawling import crawl, is_sound, rows, wait_until
from tests.support.levels import rounds
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow

KILLS = rounds(2, 8)
NAMES = [f"p{number}" for number in range(25 * KILLS)]


async def _live_for(web: LoopbackWeb, process: subprocess.Popen[str], requests: int) -> None:
    enough = len(web.requests()) + requests
    await wait_until(lambda: len(web.requests()) > enough or process.poll() is not None)


async def test_a_recrawl_killed_again_and_again_knows_every_change_once(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    dice = random.Random(5)
    async with LoopbackWeb(latency=0.01) as web:
        pages = Documents(web, home=home(*NAMES), **{name: TEXT.format(f"old {name}", "") for name in NAMES})
        await crawl(web.addresses, [web.url("a.test", "/home")], store)
        for name in NAMES:
            pages[name] = TEXT.format(f"new {name}", "")
        order = CrawlOrder(web.addresses, [], str(store), is_recrawl=True)
        for _ in range(KILLS):
            with order.start() as process:
                await _live_for(web, process, dice.randrange(25))
                await asyncio.sleep(dice.random() * 0.05)
                process.kill()
            assert is_sound(store)
            assert rows(store, "SELECT count(*) FROM fetch WHERE outcome = 'fetched'") == [(len(NAMES) + 1,)]
        with order.start() as process:
            assert await asyncio.to_thread(process.wait) == 0
    assert rows(store, "SELECT count(*), count(DISTINCT page) FROM change") == [(len(NAMES), len(NAMES))]
    with reading(store) as stored:
        for change in stored.history.changes(0):
            name = change.url.rpartition("/")[2]
            assert f"old {name} mill" in stored.history.text_before(change.page)
            assert f"new {name} mill" in stored.history.text_before(change.page, 0)
