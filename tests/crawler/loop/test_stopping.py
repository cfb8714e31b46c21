"""A crawl that is asked to stop does so soon, whatever its pages are like, and loses none of them."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from pathlib import Path

import pytest

from hinterland.crawler.loop import crawl as crawl_module
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from tests.support.crawling import InlineParsers, crawl, is_sound, outcomes, states, wait_until
from tests.support.web import LoopbackWeb, Request
from tests.support.web_behaviours import slow_first_byte

LARGE = "<title>large</title>" + "x" * 100_000


@pytest.mark.parametrize("html", ["<title>small</title>", LARGE], ids=["small", "large"])
@pytest.mark.parametrize("pages", [1, 5])
async def test_a_stopped_crawl_leaves_pages_that_take_long_to_read_and_fetches_them_again(
    pages: int, html: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(crawl_module, "STOP_SECONDS", 0.05)
    parse, reading = InlineParsers.parse, list[str]()

    async def endless(self: InlineParsers, raw: RawPage) -> PageDigest:
        if "/slow" not in raw.url:
            return await parse(self, raw)
        reading.append(raw.url)
        await asyncio.Event().wait()
        raise AssertionError

    async def stop(crawling: Crawl) -> None:
        await wait_until(lambda: len(reading) == pages)
        crawling.stop()

    async with LoopbackWeb() as web:
        seeds = [web.page(f"h{number}.test", "/slow", ["/next"], html=None) for number in range(pages)]
        for number in range(pages):
            web.page(f"h{number}.test", "/slow", html=f"{html}<a href=/next>next</a>")
            web.page(f"h{number}.test", "/next")
        good = web.page("good.test", "/")
        with monkeypatch.context() as patch:
            patch.setattr(InlineParsers, "parse", endless)
            stopped = await crawl(web.addresses, [good, *seeds], tmp_path / "s.db", watch=stop)
        assert stopped.reason is EndReason.STOPPED
        assert is_sound(stopped.store)
        assert Counter(states(stopped.store).values()) == {"fetched": 1, "waiting": pages}
        assert [record.message for record in caplog.records if "not parsed within" in record.message]
        assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
        resumed = await crawl(web.addresses, [], tmp_path / "s.db")
    assert resumed.reason is EndReason.EXHAUSTED
    assert Counter(outcomes(resumed.store).values()) == {"fetched": 1 + 2 * pages}
    assert [len(web.requests(path="/slow")), len(web.requests(path="/next"))] == [2 * pages, pages]


async def test_a_page_that_comes_after_that_is_fetched_again_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawl_module, "STOP_SECONDS", 0.01)

    async def stop(crawling: Crawl) -> None:
        await wait_until(lambda: web.requests(path="/late"))
        crawling.stop()

    async with LoopbackWeb() as web:
        page = web.page("a.test", "/late")
        web.answer("a.test", "/late", slow_first_byte(1.0, web.handler("a.test", "/late")))
        stopped = await crawl(web.addresses, [page], tmp_path / "s.db", watch=stop)
        assert (stopped.reason, stopped.state(page)) == (EndReason.STOPPED, "waiting")
        assert (await crawl(web.addresses, [], tmp_path / "s.db")).state(page) == "fetched"


async def test_a_stopped_crawl_keeps_what_can_be_read_in_time(tmp_path: Path) -> None:
    async def stop(crawling: Crawl) -> None:
        await wait_until(lambda: web.requests(path="/late"))
        crawling.stop()

    def asked(request: Request) -> bool:
        return request.path == "/late"

    async with LoopbackWeb() as web:
        page = web.page("a.test", "/late")
        web.answer("a.test", "/late", slow_first_byte(0.2, web.handler("a.test", "/late")))
        stopped = await crawl(web.addresses, [page], tmp_path / "s.db", watch=stop)
        assert sum(map(asked, web.log)) == 1
    assert (stopped.reason, stopped.state(page)) == (EndReason.STOPPED, "fetched")
