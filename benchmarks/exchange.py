"""What it takes to hand pages over from one shard of a crawl to another: seconds of processor, and URLs a second.

    python -m benchmarks.exchange
    python -m benchmarks.exchange --pages 200_000 --hosts 2_000 --at-once 1_000
    python -m benchmarks.exchange --store full.db --shards 2 4 8 16

A shard of a crawl, with its store, takes up pages that another has found, as it would from its process: new ones, and
then all of them again. Taken up is what has been committed. Nothing is fetched. Beside it stands what packing and
unpacking a message costs.

With --store it is told instead how many URLs the links of that crawl would have been sent as, had it been made in so
many shards: each shard sends a page of another once, as soon as it knows it; distinct are pages, whoever sent them.
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

import numpy as np
import uvloop

from benchmarks.store_reading import opened
from hinterland.crawler.assembly.request import CrawlRequest
from hinterland.crawler.cluster.places import ShardOrder
from hinterland.crawler.cluster.shard_host import ShardHost
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.exchanging import Away
from hinterland.crawler.settings import ScopeSettings, Settings
from hinterland.storage.values.shards import FoundPage, ShardMark

_AT_ONCE: Final = 10_000


class _NoPeers:
    async def deliver(self, shard: int, found: Sequence[FoundPage]) -> None:
        raise Away


def main() -> None:
    """Begin a shard, deliver, print; or read a store, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--hosts", type=int, default=2_000)
    parser.add_argument("--at-once", type=int, default=_AT_ONCE, help=f"pages in a message (default: {_AT_ONCE})")
    parser.add_argument("--store", type=Path, help="count what the links of this crawl would have been sent as")
    parser.add_argument("--shards", type=int, nargs="+", default=[2, 4, 8, 16])
    arguments = parser.parse_args()
    if arguments.store is not None:
        _count(arguments.store, arguments.shards)
        return
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


def _count(store: Path, numbers: Sequence[int]) -> None:
    with opened(store) as connection:
        hosts = connection.execute("SELECT id, url FROM host").fetchall()
        pages = np.array(connection.execute("SELECT id, host, is_local FROM page").fetchall(), np.int64)
        links = np.array(connection.execute("SELECT DISTINCT source, target FROM link").fetchall(), np.int64)
    host_of, is_local = np.zeros((2, pages[:, 0].max() + 1), np.int64)
    host_of[pages[:, 0]], is_local[pages[:, 0]] = pages[:, 1], pages[:, 2]
    links = links[is_local[links[:, 1]] == 1]
    for number in numbers:
        shards = Shards(number)
        owner_of_host = np.zeros(max(host for host, _ in hosts) + 1, np.int64)
        owner_of_host[[host for host, _ in hosts]] = [shards.owner(url) for _, url in hosts]
        owners = owner_of_host[host_of]
        crossing = links[owners[links[:, 0]] != owners[links[:, 1]]]
        distinct = len(np.unique(crossing[:, 1]))
        sent = len(np.unique(owners[crossing[:, 0]] * len(host_of) + crossing[:, 1]))
        print(
            f"{number} shards: {len(crossing):,} of {len(links):,} links lead to another, to {distinct:,} pages, sent"
            f" {sent:,} times, {sent / max(1, distinct):.2f} times each",
            flush=True,
        )


if __name__ == "__main__":
    main()
