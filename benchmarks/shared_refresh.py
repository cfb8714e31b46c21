"""What it takes to rank the pages that wait in all shards together: seconds, bytes and memory.

    python -m benchmarks.shared_refresh --links 10_000_000
    python -m benchmarks.shared_refresh --links 100_000_000 --across 0.01

Each shard is a process with the links of its hosts in memory, as a crawl has them; this one joins and ranks them, with
what `crawl --cluster` uses. The first refresh sends all but the last hundredth of the visits, the second those.

The web is drawn by lot: hosts of unequal size, 14 links a page, some of them twice, and three pages known for each that
was crawled. A page leads to menus, to its parent, siblings and three children, as in a tree that is crawled breadth
first, to any page of its host, and of every hundred links so many (--across) to other hosts, half of them to front
pages.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis import graph_delta
from hinterland.analysis.graph import BoolArray, IntArray, OffsetArray
from hinterland.analysis.graph_delta import Cursor, NameArray, PackedDelta, Urgencies
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.cluster.refreshing import Refreshing
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.frontier.waiting_pages import FloatArray
from hinterland.crawler.policies import make_policy
from hinterland.crawler.policies.warm_up import warm_up
from hinterland.crawler.settings import PolicySettings, PolitenessSettings, ScopeSettings

_LINKS: Final = 14
_DISTINCT: Final = 12.6
_CHILDREN: Final = 3
_HOST_PAGES: Final = 300
"""Crawled, on the average."""
_FIRST: Final = 0.99
_SAMPLE_SECONDS: Final = 0.02
_LongArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Plan:
    """Of the web; crawled: pages of all shards; across: share of links that lead to other hosts."""

    crawled: int
    across: float
    shards: int
    policy: str

    def sizes(self) -> _LongArray:
        """Crawled pages of each host: lognormal."""
        hosts = max(self.shards, self.crawled // _HOST_PAGES)
        drawn = np.random.default_rng(1).lognormal(0.0, 1.0, hosts)
        sizes: _LongArray = np.maximum(1, np.round(drawn * self.crawled / drawn.sum())).astype(np.int64)
        return sizes


class _Known(KnownPages):
    """What a shard knows after so many of its visits; numbers count up in the order of discovery."""

    def __init__(self, hosts: Sequence[str], page_hosts: IntArray, names: NameArray) -> None:
        super().__init__(Scope(ScopeSettings(kind="web")), max_depth=None)
        self.host_urls = list(hosts)
        self._hosts_of, self._all_names = page_hosts, names
        self.pages = 0

    def local_mask(self) -> BoolArray:
        return np.ones(self.pages, np.bool_)

    def hosts(self) -> IntArray:
        return self._hosts_of[: self.pages]

    def names_since(self, first: int) -> NameArray:
        return self._all_names[first : self.pages]


class _Waiting(Frontier):
    def __init__(self) -> None:
        super().__init__(PolitenessSettings(), random=float)
        self.pages = np.empty(0, np.int32)

    def urgencies(self) -> tuple[IntArray, FloatArray]:
        return self.pages, np.ones(len(self.pages))


class SyntheticShard:
    """Mutable: how much of its crawl has happened."""

    def __init__(self, plan: Plan, number: int) -> None:
        sizes = plan.sizes()
        hosts = [f"http://h{host}.test" for host in range(len(sizes))]
        owns = np.array([Shards(plan.shards).owner(url) for url in hosts]) == number
        starts = np.concatenate([[0], np.cumsum((_CHILDREN + 1) * sizes + _CHILDREN + 1)])
        self._order, self._ends, self._targets, ids = _crawled(plan, sizes, starts, np.flatnonzero(owns), number)
        self._page_hosts = np.searchsorted(starts, ids, side="right") - 1
        self._known = _Known(hosts, self._page_hosts.astype(np.int32), _names(ids))
        self._owned = owns[self._page_hosts]
        self._log, self._frontier = LinkLog(), _Waiting()
        policy = make_policy(plan.policy, 0)
        self._graph = SharedGraph(Shards(plan.shards), number, self._known, self._log, self._frontier, policy)

    def go_on(self, share: float) -> int:
        """Until so much of the crawl has happened; returns the links known then."""
        begin, end = self._log.page_count, round(share * len(self._order))
        first = int(self._ends[begin - 1]) if begin else 0
        targets = self._targets[first : self._ends[end - 1]]
        self._log.extend(self._order[begin:end], self._ends[begin:end] - first, targets)
        self._known.pages = int(max(self._order[:end].max(), self._targets[: self._ends[end - 1]].max())) + 1
        waits = self._owned[: self._known.pages].copy()
        waits[self._order[:end]] = False
        self._frontier.pages = np.flatnonzero(waits).astype(np.int32)
        return self._log.link_count

    def learnt(self, since: Cursor) -> PackedDelta:
        return self._graph.learnt(since).packed()

    def places(self, names: NameArray, below: int) -> IntArray:
        return self._graph.begin_places(names, below)()

    def rank(self, urgencies: Urgencies) -> None:
        self._graph.rank(urgencies)


def _crawled(
    plan: Plan, sizes: _LongArray, starts: _LongArray, own: _LongArray, number: int
) -> tuple[IntArray, OffsetArray, IntArray, _LongArray]:
    """Pages in the order of their crawl, host after host a page each, with their links, in the numbers of the shard;
    and of each number the page of the web."""
    places = np.concatenate([np.arange(sizes[host]) for host in own])
    hosts = np.repeat(own, sizes[own])
    order = np.argsort(places, kind="stable")
    places, hosts = places[order], hosts[order]
    rng = np.random.default_rng([2, number])
    rows = starts[hosts][:, None] + _links_within(places, sizes[hosts], rng)
    across = rng.random(rows.shape) < plan.across
    other = rng.integers(0, len(sizes), int(across.sum()))
    deep = (rng.random(len(other)) * _CHILDREN * sizes[other]).astype(np.int64)
    rows[across] = starts[other] + np.where(rng.random(len(other)) < 0.5, 0, deep)
    pages = starts[hosts] + places
    rows.sort(axis=1)
    keep = np.ones(rows.shape, np.bool_)
    keep[:, 1:] = rows[:, 1:] != rows[:, :-1]
    keep &= rows != pages[:, None]
    told = np.concatenate([pages[:, None], rows], axis=1)[np.concatenate([keep[:, :1] | True, keep], axis=1)]
    ids, first, inverse = np.unique(told, return_index=True, return_inverse=True)
    rank = np.empty(len(ids), np.int32)
    by_discovery = np.argsort(first)
    rank[by_discovery] = np.arange(len(ids), dtype=np.int32)
    numbers = rank[inverse]
    ends = np.cumsum(keep.sum(axis=1))
    begins = np.concatenate([[0], ends[:-1]]) + np.arange(len(pages))
    return numbers[begins], ends, np.delete(numbers, begins), ids[by_discovery]


def _links_within(places: _LongArray, sizes: _LongArray, rng: np.random.Generator) -> _LongArray:
    """Where the links of each page lead in its host, shape (k, _LINKS); some twice."""
    menus = np.broadcast_to(np.arange(5), (len(places), 5))
    parent = (places[:, None] - 1) // _CHILDREN
    siblings = _CHILDREN * parent + 1 + np.arange(_CHILDREN)
    children = _CHILDREN * places[:, None] + 1 + np.arange(_CHILDREN)
    anywhere = (rng.random((len(places), 2)) * sizes[:, None]).astype(np.int64)
    rows: _LongArray = np.maximum(0, np.concatenate([menus, parent, siblings, children, anywhere], axis=1))
    return rows


def _names(ids: _LongArray) -> NameArray:
    """A hash of each page (splitmix64), in place of one of its URL."""
    mixed = ids.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))) >> np.uint64(16)


def serve(plan: Plan, number: int, line: Connection) -> None:
    """A shard as a process, which answers until it is hung up on; its crawl is drawn when it is asked first."""
    line.poll(None)
    shard = SyntheticShard(plan, number)
    graph_delta.warm_up()
    answers: dict[str, Callable[..., Any]] = {
        "go_on": shard.go_on,
        "learnt": shard.learnt,
        "places": shard.places,
        "rank": shard.rank,
    }
    while (asked := line.recv()) is not None:
        what, about = asked
        started = time.process_time()
        answer = answers[what](*about)
        line.send((answer, time.process_time() - started))


class RemoteShard:
    """See Shard; a few of its calls. seconds: of processor that it took to answer."""

    def __init__(self, line: Connection, at_once: asyncio.Semaphore) -> None:
        self._line = line
        self._at_once = at_once
        self.seconds = 0.0

    async def call(self, what: str, *about: Any) -> Any:
        async with self._at_once:
            return await asyncio.to_thread(self._answer, (what, about))

    def _answer(self, asked: Any) -> Any:
        self._line.send(asked)
        answer, seconds = self._line.recv()
        self.seconds += seconds
        return answer

    async def learnt(self, since: Cursor) -> PackedDelta:
        delta: PackedDelta = await self.call("learnt", since)
        return delta

    async def places(self, names: NameArray, below: int) -> IntArray:
        places: IntArray = await self.call("places", names, below)
        return places

    async def rank(self, urgencies: Urgencies) -> None:
        await self.call("rank", urgencies)


def main() -> None:
    """Begin the shards, refresh twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, default=10_000_000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--across", type=float, default=0.1, help="share of links to other hosts (default: 0.1)")
    parser.add_argument("--policy", default="pagerank")
    parser.add_argument("--at-once", type=int, default=2, help="shards that answer at a time (default: 2)")
    arguments = parser.parse_args()
    plan = Plan(round(arguments.links / _DISTINCT), arguments.across, arguments.shards, arguments.policy)
    asyncio.run(_measure(plan, arguments.at_once))


async def _measure(plan: Plan, at_once: int) -> None:
    warm_up(plan.policy)
    graph_delta.warm_up()
    context, lines, processes = multiprocessing.get_context("spawn"), [], []
    for number in range(plan.shards):
        here, end = context.Pipe()
        processes.append(context.Process(target=serve, args=(plan, number, end), daemon=True))
        processes[-1].start()
        lines.append(here)
    limit = asyncio.Semaphore(at_once)
    shards: dict[int, Any] = {number: RemoteShard(line, limit) for number, line in enumerate(lines)}
    memory = Memory()
    threading.Thread(target=memory.watch, daemon=True).start()
    folder = Path(tempfile.gettempdir())
    refreshing = Refreshing(shards, plan.shards, PolicySettings(name=plan.policy), lambda: 0, print, folder)
    for share in (_FIRST, 1.0):
        links = sum(await asyncio.gather(*(shard.call("go_on", share) for shard in shards.values())))
        shipped = refreshing.shipped
        there, back, own = shipped.there, shipped.back, time.process_time()
        memory.forget()
        answering, started = sum(shard.seconds for shard in shards.values()), time.monotonic()
        await refreshing.refresh()
        seconds, own = time.monotonic() - started, time.process_time() - own
        answering = sum(shard.seconds for shard in shards.values()) - answering
        print(
            f"{links:,} links: {seconds:.1f} s ({own:.1f} s of processor here, {answering:.1f} s in the shards);"
            f" {(shipped.there - there) / 1e6:.2f} MB there, {(shipped.back - back) / 1e6:.2f} MB back;"
            f" at most {memory.own:.0f} MB of memory of its own here, and {memory.files:.0f} MB of files in memory",
            flush=True,
        )
    for line, process in zip(lines, processes, strict=True):
        line.send(None)
        process.join()


class Memory:
    """Of this process, the most at a time since `forget`, in MB: what is its own, and what files take of it that the
    system can have back."""

    def __init__(self) -> None:
        self.own = self.files = 0.0

    def watch(self) -> None:
        while True:
            lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
            kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith("Rss")}
            self.own = max(self.own, kilobytes["RssAnon"] / 1000)
            self.files = max(self.files, (kilobytes["RssFile"] + kilobytes["RssShmem"]) / 1000)
            time.sleep(_SAMPLE_SECONDS)

    def forget(self) -> None:
        self.own = self.files = 0.0


if __name__ == "__main__":
    main()
