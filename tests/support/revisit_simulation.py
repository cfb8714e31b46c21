"""A site that changes as a real one did, visited by the schedule of the live crawl under a virtual clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from hinterland.analysis.graph import FloatArray
from hinterland.crawler.features.recrawl.schedule import Revisit
from hinterland.crawler.features.recrawl.signals import SignalKind
from hinterland.crawler.frontier.visits import Wait
from hinterland.storage.values.times import DAY
from tests.support.change_history import ChangeHistory

WARM_UP: Final = 1 / 3
"""The share of a history that is replayed before anything is counted."""


class Scheduled(Protocol):
    """What is simulated: a `RevisitSchedule`, or a rule to compare it with."""

    def next(self, now: float) -> Revisit | Wait: ...

    def visited(self, page: int, at: float, changed: bool) -> None: ...

    def signalled(self, page: int, kind: SignalKind, at: float) -> None: ...

    def refresh(self, now: float) -> None: ...


@dataclass(frozen=True, slots=True)
class Signal:
    """A notice of kind `kind` that a page changed, true or false, at a time in seconds."""

    time: float
    page: int
    kind: SignalKind


def drawn_signals(
    history: ChangeHistory, recall: float, precision: float, seed: int, kind: SignalKind = SignalKind.SITEMAP
) -> list[Signal]:
    """Return signals: each change is announced with the probability `recall`, when it happens. False signals come at
    random, to every page as many as make about the share `precision` of its signals true."""
    draw = np.random.default_rng(seed)
    told = draw.random(len(history.pages)) < recall
    false = draw.poisson(history.rates * history.seconds * recall * (1 - precision) / precision)
    pages = np.concatenate((history.pages[told], np.repeat(np.arange(history.page_count), false)))
    times = np.concatenate((history.times[told], draw.random(int(false.sum())) * history.seconds))
    order = np.argsort(times, kind="stable")
    return [Signal(time, page, kind) for time, page in zip(times[order].tolist(), pages[order].tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class Freshness:
    """fresh: the share of the importance whose copy was current, mean over the time counted. age: seconds since a copy
    was last true, 0 for current ones, mean over pages and time; weighted_age: mean by importance. visits: in all."""

    fresh: float
    age: float
    weighted_age: float
    visits: int


def zipf_importance(page_count: int, exponent: float, seed: int) -> FloatArray:
    """Return rank^-exponent for random ranks; sums to 1."""
    values = np.arange(1, page_count + 1) ** -exponent
    values /= values.sum()
    return np.random.default_rng(seed).permutation(values)


class RevisitSimulation:
    """The state of a replay; mutable."""

    def __init__(self, history: ChangeHistory, importance: FloatArray, start: float) -> None:
        self._importance = importance
        self._start, self._end = start + WARM_UP * history.seconds, start + history.seconds
        self._stale_since = np.full(history.page_count, np.inf)
        self._lost = self._aged = self._weighted_aged = 0.0
        self.visits = 0

    def changed(self, page: int, at: float) -> None:
        """A page changes."""
        self._stale_since[page] = min(self._stale_since[page], at)

    def visit(self, page: int, at: float) -> bool:
        """Whether the page is another than the copy, which then is current."""
        since = float(self._stale_since[page])
        if since > at:
            return False
        self._count(page, since, at)
        self._stale_since[page] = np.inf
        return True

    def result(self) -> Freshness:
        """Once, at the end of the history."""
        for page in np.flatnonzero(self._stale_since < self._end).tolist():
            self._count(page, float(self._stale_since[page]), self._end)
        seconds, pages = self._end - self._start, len(self._importance)
        fresh = 1 - self._lost / seconds / float(self._importance.sum())
        weighted = self._weighted_aged / seconds / float(self._importance.sum())
        return Freshness(fresh, self._aged / seconds / pages, weighted, self.visits)

    def _count(self, page: int, since: float, until: float) -> None:
        first, last = max(since, self._start), min(until, self._end)
        if last > first:
            importance = float(self._importance[page])
            aged = ((last - since) ** 2 - (first - since) ** 2) / 2
            self._lost += importance * (last - first)
            self._aged += aged
            self._weighted_aged += importance * aged


def replay(
    history: ChangeHistory,
    schedule: Scheduled,
    importance: FloatArray,
    *,
    signals: Sequence[Signal] = (),
    refresh_seconds: float = 7 * DAY,
    start: float = 0.0,
) -> Freshness:
    """Visit as `schedule` says, which has been told of all pages as fetched at `start`, until the history is over.

    signals: in the order of time. importance: shape (page_count,). refresh_seconds: between two refreshes.
    """
    simulation = RevisitSimulation(history, importance, start)
    changes = list(zip((history.times + start).tolist(), history.pages.tolist(), strict=True))
    now, end = start, start + history.seconds
    next_refresh, change, signal = start + refresh_seconds, 0, 0
    while True:
        step = schedule.next(now)
        at = now if isinstance(step, Revisit) else max(step.until, now)
        if isinstance(step, Wait):
            upcoming = min(
                at,
                next_refresh,
                changes[change][0] if change < len(changes) else end,
                signals[signal].time if signal < len(signals) else end,
            )
            if upcoming >= end:
                return simulation.result()
            now = upcoming
            if now >= next_refresh:
                schedule.refresh(now)
                next_refresh = now + refresh_seconds
            while change < len(changes) and changes[change][0] <= now:
                simulation.changed(changes[change][1], changes[change][0])
                change += 1
            while signal < len(signals) and signals[signal].time <= now:
                schedule.signalled(signals[signal].page, signals[signal].kind, signals[signal].time)
                signal += 1
            continue
        simulation.visits += 1
        schedule.visited(step.page, now, simulation.visit(step.page, now))
