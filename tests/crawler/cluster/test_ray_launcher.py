"""A crawl on a Ray cluster of several nodes on this machine, one of which is lost. Where Ray is installed."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.cluster.driver import Driver
from hinterland.crawler.cluster.launcher import ShardOrder
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.loop.crawl_start import CrawlRequest
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.storage.joining import join
from hinterland.storage.values.shards import ShardMark
from tests.crawler.cluster.test_driver import NAMES, ring, same
from tests.support.crawling import crawl, quick_settings, wait_until
from tests.support.shards import RUN
from tests.support.web import LoopbackWeb

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

NODES, PROCESSORS, SHARDS = 3, 1, 6


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Nodes with one processor each, beside a head that takes no shards."""
    monkeypatch.setenv("HOME", str(tmp_path))  # where Ray keeps what its machines know each other by
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_worker_niceness", "0")
    made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [made.add_node(num_cpus=PROCESSORS) for _ in range(NODES)]
    try:
        yield made, nodes
    finally:
        ray.shutdown()
        made.shutdown()


async def test_a_crawl_goes_on_where_fewer_processors_than_shards_are_left_and_no_machine_joins(
    tmp_path: Path, cluster: Any
) -> None:
    from hinterland.crawler.cluster import ray_launcher

    made, nodes = cluster
    warnings = list[str]()
    epochs = iter(range(1, 1000))
    async with LoopbackWeb(latency=0.01) as web:
        scope = {"kind": "web", "exclude": ("outside",)}
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=scope)
        web.log.clear()
        changes: dict[str, Any] = {"scope": scope, "politeness": {"delay_seconds": 0.2}}
        request = CrawlRequest(quick_settings(web.addresses, **changes), seeds, ["crawl"])
        stores = [tmp_path / f"{number}.db" for number in range(SHARDS)]
        orders = [
            ShardOrder(request, ShardMark("a crawl on Ray", number, SHARDS, 0), store, 1)
            for number, store in enumerate(stores)
        ]
        launcher = await asyncio.to_thread(ray_launcher.connected, made.address, f"tests-{os.getpid()}", SHARDS)
        driver = Driver(launcher, orders, lambda _: next(epochs), warnings.append, tmp_path)
        running = asyncio.create_task(driver.run())
        await wait_until(lambda: len(web.log) > len(NAMES), at_most=120.0)
        lost = threading.Thread(target=made.remove_node, args=(nodes[0], False))
        lost.start()
        reason = await asyncio.wait_for(running, 240.0)
        await asyncio.to_thread(lost.join)
    assert reason is EndReason.EXHAUSTED
    assert any("has ended" in warning for warning in warnings), warnings
    join(stores, tmp_path / "joined.db", Shards(SHARDS).owner, RUN)
    same(alone.store, tmp_path / "joined.db")
