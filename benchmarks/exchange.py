"""What it takes to hand pages over from one shard of a crawl to another: seconds of processor, and URLs a second.

    python -m benchmarks.exchange
    python -m benchmarks.exchange --pages 200_000 --hosts 2_000 --at-once 1_000

A shard of a crawl, with its store, takes up pages that another has found, as it would from its process: new ones, and
then all of them again. Taken up is what has been committed. Nothing is fetched. Beside it stands what packing and
unpacking a message costs.
"""

from __future__ import annotations

import argparse
import asyncio
import pickle
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import uvloop

from crawler.apps.cluster.places import ShardOrder
from crawler.apps.cluster.shard_host import ShardHost
from crawler.engine.exchanging import Away
from crawler.engine.request import CrawlRequest
from crawler.settings import ScopeSettings, Settings
from storage.values.shards import FoundPage, ShardMark

_AT_ONCE: Final = 10_000


class _NoPeers:
    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        raise Away


def main() -> None:
    """Begin a shard, deliver, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--hosts", type=int, default=2_000)
    parser.add_argument("--at-once", type=int, default=_AT_ONCE, help=f"pages in a message (default: {_AT_ONCE})")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="exchange-") as folder:
        uvloop.run(_measure(Path(folder), _found(arguments.pages, arguments.hosts), arguments.at_once))


def _found(pages: int, hosts: int) -> list[FoundPage]:
    """Of hosts in no order, as links come."""
    urls = (f"https://h{page * 7919 % hosts}.example/docs/section-{page % 97}/page-{page}" for page in range(pages))
    return [FoundPage(page, url, 3, 0) for page, url in enumerate(urls)]


async def _measure(folder: Path, found: Sequence[FoundPage], at_once: int) -> None:
    settings = Settings(scope=ScopeSettings(kind="web"))
    request = CrawlRequest(settings, [], ["crawl"], max_pages=0)
    order = ShardOrder(request, ShardMark("exchange", 0, 1, 1), folder / "0.db", 1)
    host = ShardHost()
    crawling = asyncio.create_task(host.crawl(order, _NoPeers()))
    await _opened(host)
    messages = [found[begin : begin + at_once] for begin in range(0, len(found), at_once)]
    for what in ("new", "known"):
        wall, processor = time.perf_counter(), time.process_time()
        for message in messages:
            await host.deliver(message)
        _tell(f"taken up, {what}", len(found), time.process_time() - processor, time.perf_counter() - wall)
    processor = wall = time.process_time()
    for message in messages:
        pickle.loads(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
    _tell("packed and unpacked", len(found), time.process_time() - processor, time.process_time() - wall)
    host.stop()
    await crawling


async def _opened(host: ShardHost) -> None:
    while True:
        try:
            return await host.deliver([])
        except Away:
            await asyncio.sleep(0.1)


def _tell(what: str, pages: int, processor: float, wall: float) -> None:
    rate = f"{pages / processor:,.0f} a second of it, {pages / wall:,.0f} by the clock"
    print(f"{what}: {1e6 * processor / pages:.1f} us of processor a URL, {rate}", flush=True)


if __name__ == "__main__":
    main()
