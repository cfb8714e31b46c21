"""How long the event loop stalls while policies refresh a large crawl beside it. Needs no network.

    python -m benchmarks.event_loop_lag [--waiting 1000000] [--links 10000000] [--rounds 5] [--policies pagerank,flow]
                                        [--busy 1]

Refreshes run as those of a crawl do: snapshots on the loop, ranking and sorting in a thread, the new order installed on
the loop. Meanwhile the loop (uvloop) ticks every millisecond; each tick makes one visit, logs its ten links and admits
three new pages. The lag of a tick is its delay beyond that millisecond. The same ticks without any refresh, before and
after, show what the machine and its other users contribute. CPU times of the steps on the loop do not depend on others.
With `--busy N`, N processes compute all the time.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, thread_time
from typing import Any, TypeVar

import numpy as np
import uvloop

from benchmarks.frontier import Load, OurFrontier
from benchmarks.graphs import synthetic_log
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.frontier.waiting_pages import IntArray
from hinterland.crawler.loop.upkeep import FREED_AT_ONCE
from hinterland.crawler.policies import POLICIES, make_policy
from hinterland.crawler.policies.warm_up import warm_up
from hinterland.crawler.settings import ScopeSettings

Answer = TypeVar("Answer")
_TICK = 0.001
_HOSTS = 50_000
_LINKS_PER_PAGE = 10
_NEW_PAGES = 3
_AIM = 50.0
"""Milliseconds."""
STEPS = ("begin_reordering", "snapshot", "begin_refresh", "install", "free")


class LargeCrawl:
    """Half of the known pages are crawled (by the log), the other half wait."""

    def __init__(self, waiting: int, links: int) -> None:
        """Build a crawl with this many waiting pages and links."""
        crawled = links // _LINKS_PER_PAGE
        self.size = crawled + waiting
        self.log = synthetic_log(crawled, self.size)
        is_waiting = np.ones(self.size, np.bool_)
        is_waiting[self.log.snapshot(is_waiting, np.zeros(self.size, np.int32)).order] = False
        load = Load(pages=self.size, hosts=_HOSTS, visits=0)
        hosts = np.random.default_rng(2).permutation(load.hosts_of_pages())
        self.known = KnownPages(Scope(ScopeSettings()), max_depth=None)
        for host in range(_HOSTS):
            self.known.restore_host(f"http://h{host}.example")
        self._know(0, hosts.astype(np.int32))
        ours = OurFrontier(load)
        self.frontier = ours.frontier
        pages = np.flatnonzero(is_waiting).astype(np.int32)
        self.frontier.add(pages, hosts[pages], np.random.default_rng(3).random(len(pages)), 0.0)
        ours.resolve_all(0.0)
        self.now = 1.0
        self._random = np.random.default_rng(4)

    def _know(self, first: int, hosts: IntArray) -> None:
        pages = range(first, first + len(hosts))
        urls = [f"http://h{host}.example/{page}" for page, host in zip(pages, hosts.tolist(), strict=True)]
        yes = np.ones(len(hosts), np.bool_)
        depths = np.full(len(hosts), 3, np.int32)
        is_local = np.array(pages) % 3 == 0
        self.known.restore_pages(
            urls, hosts, depths, is_local=is_local, is_admitted=yes, is_followed=~yes, is_fetched=~yes
        )

    def visit_one(self, policy: FrontierPolicy) -> None:
        """Do what the loop does for one visit, except waiting for the network and parsing."""
        self.now += 0.01
        visit = self.frontier.next_visit(self.now)
        if not isinstance(visit, Visit):
            return
        self.frontier.finished(visit, self.now, 0.05)
        first = len(self.known)
        hosts = self._random.integers(0, _HOSTS, _NEW_PAGES).astype(np.int32)
        self._know(first, hosts)
        new = np.arange(first, first + _NEW_PAGES, dtype=np.int32)
        others = self._random.integers(0, first, _LINKS_PER_PAGE - _NEW_PAGES)
        outlinks = np.unique(np.concatenate([others, new])).astype(np.int32)
        policy.fetched(visit.page, outlinks)
        self.log.append(visit.page, outlinks)
        self.frontier.add(new, hosts, policy.discovered(new, np.full(_NEW_PAGES, 4, np.int32)), self.now)


class Watch:
    """The lags of the ticks, by what went on meanwhile."""

    def __init__(self) -> None:
        """Start with no measurement."""
        self.phase = "idle"
        self.longest: dict[str, float] = {}
        self.cpu: dict[str, float] = {}

    def step(self, name: str, work: Callable[[], Answer]) -> Answer:
        """Do the work, and record the longest wall and CPU time of steps of this name, in seconds."""
        began, cpu = perf_counter(), thread_time()
        answer = work()
        self._note(self.cpu, name, thread_time() - cpu)
        self._note(self.longest, name, perf_counter() - began)
        return answer

    def steps(self, name: str, work: Iterator[object]) -> Iterator[None]:
        """One after another, with pauses that the caller makes."""
        over = object()
        while self.step(name, lambda: next(work, over)) is not over:
            yield

    def tick(self, lag: float) -> None:
        """Record the longest lag of the current phase, in seconds."""
        self._note(self.longest, self.phase, lag)

    def _note(self, of: dict[str, float], name: str, seconds: float) -> None:
        of[name] = max(of.get(name, 0.0), 1e3 * seconds)


async def tick(crawl: LargeCrawl, policy: FrontierPolicy, watch: Watch) -> None:
    """Tick every millisecond, with a visit each time."""
    while True:
        due = perf_counter() + _TICK
        await asyncio.sleep(_TICK)
        watch.tick(perf_counter() - due)
        watch.step("visit", lambda: crawl.visit_one(policy))


async def refresh(crawl: LargeCrawl, policy: FrontierPolicy, watch: Watch) -> float:
    """Refresh like `Crawl._refresh`, and return how long it took, in seconds."""
    started = perf_counter()
    snapshot = watch.step("begin_reordering", crawl.frontier.begin_reordering)
    known = crawl.known
    crawled = watch.step("snapshot", lambda: crawl.log.snapshot(known.local_mask(), known.hosts()))
    compute = watch.step("begin_refresh", lambda: policy.begin_refresh(crawled, snapshot.pages, 1000))
    watch.phase = "ranking"
    await asyncio.sleep(0)
    order = await asyncio.to_thread(lambda: snapshot.sorted(compute()))
    watch.phase = "whole"
    spent = watch.step("install", lambda: crawl.frontier.install(order, crawl.now))
    seconds = perf_counter() - started
    for _ in watch.steps("free", spent.parts(FREED_AT_ONCE)):
        await asyncio.sleep(_TICK)
    return seconds


async def measure(crawl: LargeCrawl, name: str, rounds: int) -> dict[str, Any]:
    """Measure the refreshes of a policy."""
    warm_up(name)
    policy = make_policy(name, 0)
    policy.discovered(np.arange(len(crawl.known), dtype=np.int32), np.zeros(len(crawl.known), np.int32))
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 50, 100)  # as crawls do
    results: list[dict[str, Any]] = []
    for _ in range(rounds):
        watch = Watch()
        ticking = asyncio.create_task(tick(crawl, policy, watch))
        await asyncio.sleep(1.0)
        watch.phase = "whole"
        seconds = await refresh(crawl, policy, watch)
        await asyncio.sleep(2 * _TICK)
        watch.phase = "idle"
        await asyncio.sleep(1.0)
        ticking.cancel()
        results.append({"seconds": seconds, "longest": watch.longest, "cpu": watch.cpu})
    return summary(results)


def summary(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the best, median and worst figures of the rounds."""

    def figures(kind: str, name: str) -> dict[str, float]:
        values = [each[kind].get(name, 0.0) for each in rounds]
        return {"best": min(values), "median": median(values), "worst": max(values)}

    return {
        "seconds": median(each["seconds"] for each in rounds),
        "lag": {name: figures("longest", name) for name in ("idle", "whole", "ranking", "visit", *STEPS)},
        "cpu": {name: figures("cpu", name) for name in ("visit", *STEPS)},
    }


def report(figures: dict[str, Any]) -> str:
    """Return the table of all policies."""
    lines = [
        "longest lag of a tick, ms, best / median / worst of the rounds; steps on the loop: CPU ms, median",
        f"  {'':<15}{'refresh':>9}{'no refresh':>22}{'while ranking':>22}{'at begin and end':>22}"
        + "".join(f"{step:>18}" for step in STEPS),
    ]
    for name, each in figures.items():
        lag = ["{best:.1f} / {median:.1f} / {worst:.1f}".format(**each["lag"][k]) for k in ("idle", "ranking", "whole")]
        steps = "".join(f"{each['cpu'][step]['median']:>18.1f}" for step in STEPS)
        lines.append(f"  {name:<15}{each['seconds']:>7.2f} s" + "".join(f"{text:>22}" for text in lag) + steps)
    median_lag, worst_lag = (
        max(each["lag"][kind][figure] for each in figures.values() for kind in ("ranking", "whole"))
        for figure in ("median", "worst")
    )
    lines.append(f"the aim is {_AIM:.0f} ms; the longest median is {median_lag:.1f} ms, the worst {worst_lag:.1f} ms")
    return "\n".join(lines)


@contextmanager
def computing(processes: int) -> Iterator[None]:
    """Other processes that never rest."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def main() -> None:
    """Measure all policies and print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--waiting", type=int, default=1_000_000)
    arguments.add_argument("--links", type=int, default=10_000_000)
    arguments.add_argument("--rounds", type=int, default=5)
    refreshing = [name for name in POLICIES if make_policy(name, 0).needs_refresh]
    arguments.add_argument("--policies", default=",".join(refreshing))
    arguments.add_argument("--busy", type=int, default=0)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    crawl = LargeCrawl(options.waiting, options.links)
    with computing(options.busy), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        figures = {name: runner.run(measure(crawl, name, options.rounds)) for name in str(options.policies).split(",")}
    sizes = f"{options.waiting:,} waiting pages, {options.links:,} links, {_HOSTS:,} hosts"
    print(f"{sizes}; {options.busy} other processes at work")
    print(report(figures))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
