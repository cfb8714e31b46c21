"""What a crawl says that bounds it, under conditions made for that."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.fetching.names.lookups import FoundName, LookupFailed, LookupProblem, ResolvedAddress
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from tests.support.crawling import crawl, wait_until
from tests.support.web import LoopbackWeb

HOSTS = [f"h{number}.test" for number in range(20)]


def look_up_by(ask: Callable[[str], Awaitable[FoundName]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a function stand for the name server."""

    class Asked:
        look_up = staticmethod(ask)

        def forget(self) -> None:
            pass

        def close(self) -> None:
            pass

    monkeypatch.setattr("hinterland.crawler.fetching.client.fetcher.open_lookups", lambda source: Asked())


async def until_it_says(bound: Bound, store: Path, *, delay_seconds: float = 0.0) -> CrawlStatistics:
    """Crawl a page of each host until the crawl says what bounds it, then stop it."""

    async def watch(running: Crawl) -> None:
        def is_said() -> bool:
            limits = running.statistics().weather
            return limits is not None and limits.bound is bound

        await wait_until(is_said, pause=0.02)
        running.stop()

    async with LoopbackWeb() as web:
        seeds = [web.page(host, "/", ["/a", "/b"]) for host in HOSTS]
        for host in HOSTS:
            web.page(host, "/a")
            web.page(host, "/b")
        crawled = await crawl({}, seeds, store, watch=watch, politeness={"delay_seconds": delay_seconds})
    return crawled.statistics


async def test_a_crawl_whose_names_take_long_says_that_names_bound_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def slowly(name: str) -> FoundName:
        await asyncio.sleep(1.0)
        return FoundName((ResolvedAddress("127.0.0.1", socket.AF_INET),), 60.0)

    look_up_by(slowly, monkeypatch)
    await until_it_says(Bound.NAMES, tmp_path / "s.db")


async def test_a_crawl_whose_name_server_never_replies_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def never(name: str) -> FoundName:
        raise LookupFailed(LookupProblem.NO_REPLY, "the name server does not reply")

    look_up_by(never, monkeypatch)
    told = await until_it_says(Bound.NAME_SERVER, tmp_path / "s.db")
    assert told.weather is not None
    assert told.weather.lookups.silent == told.weather.lookups.last > 0
    assert told.weather.lookups.unanswered > 0


async def test_a_crawl_of_hosts_that_rest_says_that_politeness_bounds_it_and_counts_dead_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def at_once(name: str) -> FoundName:
        if name in HOSTS[:3]:
            raise LookupFailed(LookupProblem.NO_SUCH_NAME, "no such name")
        return FoundName((ResolvedAddress("127.0.0.1", socket.AF_INET),), 60.0)

    look_up_by(at_once, monkeypatch)
    told = await until_it_says(Bound.POLITENESS, tmp_path / "s.db", delay_seconds=3.0)
    assert told.weather is not None
    assert (told.weather.lookups.found, told.weather.lookups.dead) == (17, 3)
