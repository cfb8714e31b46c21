"""Names are looked up beside the visits: one that takes long holds nobody up."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hinterland.crawler.fetching.answers import NoAnswer
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.names.resolver import NamedAddress
from tests.support.crawling import crawl, states, wait_until
from tests.support.web import LoopbackWeb

SLOW = [f"slow{number}.test" for number in range(6)]


async def test_lookups_that_take_long_hold_up_no_visit_however_few_may_be_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_be_found = asyncio.Event()
    resolve = Fetcher.resolve

    async def resolve_slowly(self: Fetcher, host: str, *, is_fresh: bool = False) -> NamedAddress | NoAnswer | None:
        if "slow" in host:
            await may_be_found.wait()
        return await resolve(self, host, is_fresh=is_fresh)

    monkeypatch.setattr(Fetcher, "resolve", resolve_slowly)
    async with LoopbackWeb() as web:
        seeds = [web.page(host, "/") for host in (*SLOW, "quick.test")]
        crawling = asyncio.create_task(crawl(web.addresses, seeds, tmp_path / "s.db", fetching={"max_in_flight": 2}))
        await wait_until(lambda: web.requests("quick.test", "/"), at_most=5.0)
        assert {request.host for request in web.log} == {"quick.test"}
        may_be_found.set()
        crawled = await crawling
    assert set(states(crawled.store).values()) == {"fetched"}
