"""The manners of several shards together, as the server sees them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hinterland.crawler.loop.decisions.endings import EndReason
from tests.support.crawling import Change, wait_until
from tests.support.shards import ShardedCrawl
from tests.support.web import LoopbackWeb, most_open, overlaps

ADDRESSES = ("127.0.0.1", "127.0.0.2")
POLITE: dict[str, Change] = {
    "scope": {"kind": "web"},
    "politeness": {"delay_seconds": 0.1, "address_delay_seconds": 0.03, "address_connections": 2},
}


@pytest.mark.slow
async def test_no_host_and_no_address_is_asked_too_often_by_all_shards_even_if_one_is_lost(tmp_path: Path) -> None:
    async with LoopbackWeb(addresses=ADDRESSES, latency=0.02) as web:
        hosts = [web.host(f"h{number}.test", ADDRESSES[number % 2]) for number in range(16)]
        for host in hosts:
            web.page(host, "/", ["/a", *((other, "/a") for other in hosts)])
            web.page(host, "/a")
        parts = ShardedCrawl(web.addresses, [web.url(host) for host in hosts], tmp_path, 2, POLITE)
        running = asyncio.create_task(parts.run())
        await wait_until(lambda: len(web.log) > 20)
        parts.launcher.shards[0].lose()
        assert await running is EndReason.EXHAUSTED
        log = sorted(web.log, key=lambda request: request.started)
    assert overlaps(log) == []
    for host in hosts:
        assert min(web.gaps(host)) >= 0.1
    for address in ADDRESSES:
        requests = [request for request in log if request.address == address]
        assert most_open(requests) <= 2
        starts = [request.started for request in requests]
        for first, later in zip(starts, starts[10:], strict=False):
            assert later - first >= 0.03 * 9
    assert len({shard for shard, _, _ in parts.launcher.sent}) == 2
