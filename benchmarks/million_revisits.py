"""What a schedule of a million pages costs: bytes a page, the next look, learning, and the pauses it makes.

    python -m benchmarks.million_revisits --pages 1000000 --hosts 1000 --looks 100000

The pages change at rates drawn by lot. --looks of them are looked at again; whenever the schedule wishes to learn, as
it does to save memory, it does. In the end all rates are learnt and all pages get new times, in a thread, while the
event loop goes on asking for the next look and telling what it found; the longest time between two of its steps is the
pause. Times are of the processor for each step, and of the clock for the pause.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from typing import Final, TypeVar

import numpy as np

from hinterland.crawler.features.recrawl import make_revisit_policy
from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.schedule import RevisitSchedule
from hinterland.crawler.features.recrawl.signals import SignalKind, with_signal
from hinterland.crawler.frontier.visits import Wait
from hinterland.storage.values.times import DAY

_Result = TypeVar("_Result")
_STEP: Final = 0.001
_LOOKS_BEFORE: Final = 40
_BATCH: Final = 100
"""Looks at once: reading the clock of the processor takes as long as some of them."""


class Looks:
    """Looks by the schedule, as fast as it gives them, at pages that change at random."""

    def __init__(self, schedule: RevisitSchedule, rates: np.ndarray, budget: float) -> None:
        self._schedule = schedule
        self._chances = 1 - np.exp(-rates * DAY)
        self._pause = 1 / budget
        self._draw = np.random.default_rng(2)
        self.now = 0.0
        self.asking = self.learning = 0.0
        self.most_bytes = self.times_learnt = 0

    def do(self, count: int) -> None:
        """So many of them."""
        for _ in range(0, count, _BATCH):
            began = time.process_time()
            pages = [self._next() for _ in range(min(_BATCH, count))]
            self.asking += time.process_time() - began
            for page, luck in zip(pages, self._draw.random(len(pages)).tolist(), strict=True):
                self._schedule.visited(page, self.now, luck < self._chances[page])

    def do_and_learn(self, count: int) -> None:
        """As many, learning whenever the schedule wishes to."""
        for _ in range(0, count, _BATCH):
            self.do(_BATCH)
            if self._schedule.wants_refresh:
                self._learn()

    def _learn(self) -> None:
        began = time.process_time()
        self.most_bytes = max(self.most_bytes, self._schedule.memory_bytes())
        self._schedule.refresh(self.now)
        self.learning += time.process_time() - began
        self.times_learnt += 1

    def _next(self) -> int:
        self.now += self._pause
        step = self._schedule.next(self.now)
        while isinstance(step, Wait):
            self.now = max(step.until, self.now + self._pause)
            step = self._schedule.next(self.now)
        return step.page


def filled(pages: int, hosts: int, budget: float, *, told: bool) -> tuple[RevisitSchedule, np.ndarray]:
    """A schedule of pages that were fetched within the last month, and how often they change, a second. told: whether
    all hosts were found to tell of most of their changes."""
    draw = np.random.default_rng(1)
    schedule = RevisitSchedule(make_revisit_policy("harmonic"), budget, Bounds(3600.0, 365 * DAY))
    rates = draw.gamma(0.5, 1 / (30 * DAY), pages)
    importance = 0.25 + draw.pareto(1.5, pages)
    schedule.add(np.arange(pages), draw.integers(0, hosts, pages), importance, draw.random(pages) * 30 * DAY)
    notice = with_signal(0, SignalKind.SITEMAP)
    for host in range(hosts if told else 0):
        for _ in range(_LOOKS_BEFORE):
            schedule.signals.visited(host, notice, 0.5, 2.0, changed=True)
            schedule.signals.visited(host, 0, 0.5, 2.0, changed=False)
    return schedule, rates


async def longest_pause(work: Callable[[], _Result], looks: Looks) -> tuple[_Result, float, float]:
    """Of an event loop that looks on while a thread works; what came of that, and how long it took, seconds."""
    began, last = time.process_time(), time.perf_counter()
    task = asyncio.create_task(asyncio.to_thread(work))
    longest = 0.0
    while not task.done():
        looks.do(1)
        await asyncio.sleep(_STEP)
        here = time.perf_counter()
        longest, last = max(longest, here - last), here
    return await task, longest - _STEP, time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--looks", type=int, default=100_000)
    parser.add_argument("--told", action="store_true", help="by hosts that tell of their changes")
    arguments = parser.parse_args()
    budget = arguments.pages / (30 * DAY)
    schedule, rates = filled(arguments.pages, arguments.hosts, budget, told=arguments.told)
    print(f"{schedule.memory_bytes() / arguments.pages:.1f} bytes a page")
    schedule.refresh(30 * DAY)
    looks = Looks(schedule, rates, budget)
    looks.now = 30 * DAY
    began = time.process_time()
    looks.do_and_learn(arguments.looks)
    each = (time.process_time() - began - looks.learning) / arguments.looks
    asking = looks.asking / arguments.looks
    print(f"{asking * 1e6:.1f} µs for the next look, {each * 1e6:.1f} µs with what it found", flush=True)
    most = max(looks.most_bytes, schedule.memory_bytes()) / arguments.pages
    print(f"{most:.1f} bytes a page at most, having learnt {looks.times_learnt} times, in {looks.learning:.2f} s")
    began = time.process_time()
    for page in range(0, arguments.looks, 10):
        schedule.signalled(page, SignalKind.SITEMAP, looks.now)
    print(f"{(time.process_time() - began) / (arguments.looks / 10) * 1e6:.1f} µs for a signal")
    began = time.thread_time()
    work = schedule.begin_refresh(looks.now)
    print(f"{(time.thread_time() - began) * 1e3:.0f} ms of the processor on the loop to begin to learn")
    refreshed, pause, took = asyncio.run(longest_pause(work, looks))
    print(f"{took:.2f} s of the processor to learn, and for looks meanwhile")
    print(f"{pause * 1e3:.0f} ms the longest pause of the loop meanwhile")
    began = time.thread_time()
    schedule.install(refreshed)
    print(f"{(time.thread_time() - began) * 1e3:.0f} ms of the processor on the loop to go by it")


if __name__ == "__main__":
    main()
