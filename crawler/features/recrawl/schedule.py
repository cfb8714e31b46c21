"""Schedules revisits: which known page to revisit, and when. Pure: the time is an argument.

A page is added once, after its first visit. From then on the schedule hands it out (`next`) and receives what the visit
found (`visited`, `failed`). A refresh computes change rates from the evidence, and from these the time at which each
page is due. A refresh takes time in proportion to the number of pages, and may run in another thread:

  work = schedule.begin_refresh(now)  ──►  refreshed = work()  ──►  schedule.install(refreshed)

Between two refreshes every operation is O(log n). Pages and hosts are the caller's dense numbers. Times are seconds of
any clock that does not go back, kept as whole seconds from 0 to 2^32 - 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, expm1, inf
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hinterland.crawler.features.recrawl.budget import Bounds, Outlook, bounded_waits, outlook, price_now
from hinterland.crawler.features.recrawl.change_rates import GammaPrior, learnt_prior, learnt_rates
from hinterland.crawler.features.recrawl.due_order import NEVER, Base, DueOrder, sorted_by_due
from hinterland.crawler.features.recrawl.policy import FloatArray, IntArray, RevisitPolicy
from hinterland.crawler.features.recrawl.scheduled_pages import FAILED, KNOWN, ScheduledPages
from hinterland.crawler.features.recrawl.signals import SIGNAL_BITS, SignalKind, SignalTrust, count_of, with_signal
from hinterland.crawler.frontier.visits import Wait

_MOVED_FLOOR: Final = 4096
_MOVED_SHARE: Final = 80
_HORIZON: Final = 3_600.0
_LEAST_VISITS: Final = 2.0
"""A refresh finds the price at which as many pages become due as the budget pays for, within an hour, or within the
time of this many visits if that is longer.
"""
_OWED_SECONDS: Final = 60.0
_OWED_VISITS: Final = 1.0
"""Visits that are late, because hosts rest or the machine is busy, are made up for: at most the visits of a minute, but
at least one.
"""


@dataclass(frozen=True, slots=True)
class Revisit:
    """Permission to revisit a page now. `host` is its host, and `due` the time at which it was due, in seconds."""

    page: int
    host: int
    due: float


@dataclass(frozen=True, slots=True)
class DueExplanation:
    """Why a page is due when it is.

    `rate` is in changes per second. `wait` is the time between two visits at the present price, in seconds.
    `next_visit` is when the page is due, None while it is in flight or retired. `current` is the chance that its copy
    is current. `importance` is relative to the mean of all pages. `bound` is "shortest" or "longest" if a bound decides
    the wait, else None. `changes` counts all changes seen, and `dated_changes` the changes with a known time.
    `quiet_seconds` is the total time for which the page is known not to have changed. `signals` holds the kinds of
    signals since the last visit.
    """

    rate: float
    wait: float
    last_visit: float
    next_visit: float | None
    current: float
    importance: float
    bound: str | None
    changes: int
    dated_changes: int
    quiet_seconds: float
    signals: tuple[SignalKind, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Refreshed:
    """The result of a refresh, to be installed.

    `pages` are the pages that waited, and `rates` their change rates. `due` holds the times of all pages, by page
    number; pages that did not wait have their former times. `ways` holds the class of each host's notices (see
    `way_of`), by host number.
    """

    pages: IntArray
    rates: NDArray[np.float32]
    due: NDArray[np.uint32]
    base: Base
    prior: GammaPrior
    price: float
    bounds: Bounds
    ways: NDArray[np.uint8]


class RevisitSchedule:
    """The schedule of all pages. All mutable state is in this object; every method is synchronous and atomic.

    A page costs 38 bytes in flat arrays. If more than one page in 80 is in a heap, the schedule `wants_refresh`.
    """

    def __init__(self, policy: RevisitPolicy, budget: float, bounds: Bounds) -> None:
        """Plan for `budget` visits per second; inf means that only the hosts limit the visits.

        Raises ValueError if the budget is not above 0.
        """
        if not budget > 0:
            raise ValueError(f"a budget of {budget} visits a second is not above 0")
        self._policy = policy
        self._budget = budget
        self._asked_bounds, self._bounds = bounds, bounds.within(budget, 0)
        self._owed = max(_OWED_VISITS / budget, _OWED_SECONDS)
        self._next_slot = -inf
        self._price = 1.0
        self._prior = GammaPrior.uninformed()
        self._pages = ScheduledPages()
        self._order = DueOrder()
        self.signals = SignalTrust()

    def __len__(self) -> int:
        """Return how many pages were added and not retired since; takes time proportional to the number of pages."""
        return len(self._pages.known())

    # --- pages come, are visited, and go ------------------------------------------------------------------------------

    def add(self, pages: ArrayLike, hosts: ArrayLike, importance: ArrayLike, fetched_at: ArrayLike) -> None:
        """Add pages after their first visit; arguments have shape (k,) or are one number for all pages.

        A page that was retired before keeps its earlier evidence. `importance` is above 0, in any unit common to all
        pages.
        """
        numbers = np.atleast_1d(np.asarray(pages, np.int64))
        values = np.broadcast_to(np.asarray(importance, np.float64), numbers.shape)
        if not (np.isfinite(values) & (values > 0)).all():
            raise ValueError("the importance of a page must be a number above 0")
        times = np.broadcast_to(np.asarray(fetched_at, np.float64), numbers.shape)
        self._grow(numbers)
        known = self._pages
        self._order.hosts[numbers] = hosts
        known.importance[numbers] = values
        known.last_visit[numbers] = _ticks(times)
        known.flags[numbers] = KNOWN
        unknown = self._prior.shape / self._prior.of_hosts(self._order.hosts[numbers])
        known.rate[numbers] = np.where(known.rate[numbers] > 0, known.rate[numbers], unknown)
        self._order.put_all(numbers, _ticks(times + self._waits(numbers)))

    def next(self, now: float) -> Revisit | Wait:
        """Return the page to visit now, or how long to wait.

        The page is in flight until `visited`, `failed` or `retired` is called for it. The wait is without end (until
        inf) if no page can be visited before another call adds a page or makes one due. The whole budget is used: if
        nothing is due yet, the page that will be due first is visited early, but not before its shortest wait.
        """
        if now < self._next_slot:
            return Wait(self._next_slot)
        entry = self._order.first()
        if entry is None:
            return Wait(inf)
        due, page, host = entry
        if due > now:
            earliest = self._earliest(page, due)
            if earliest > now:
                return Wait(earliest)
        self._order.take_first()
        self.spend(now)
        return Revisit(page, host, due)

    def spend(self, now: float) -> None:
        """Spend one visit of the budget, on a page of the schedule or on another page."""
        pause = 1 / self._budget
        begun = now if self._next_slot == -inf else max(self._next_slot, now - self._owed)
        self._next_slot = begun + pause

    def visited(self, page: int, at: float, changed: bool, last_modified: float | None = None) -> None:
        """Record a visit that was answered.

        `changed` says whether the page has changed since the last visit. `last_modified` is when the page last changed;
        pass None unless this time can be trusted.
        """
        before, known = self._last_visit_of(page), self._pages
        host, flags, interval = int(self._order.hosts[page]), int(known.flags[page]), max(at - before, 0.0)
        sureness = self._prior.shape + float(known.evidence.changes[page]) + float(known.evidence.dated_changes[page])
        if not changed:
            known.evidence.unchanged(page, interval)
        elif last_modified is not None and before <= last_modified <= at:
            known.evidence.changed_ago(page, at - last_modified)
        else:
            self._changed_since(page, host, interval)
        self.signals.visited(host, flags, float(known.rate[page]) * interval, sureness, changed=changed)
        known.last_visit[page] = _tick(at)
        known.flags[page] = KNOWN
        self._order.put(page, self._due(page))

    def _changed_since(self, page: int, host: int, interval: float) -> None:
        """Record a change whose time is unknown.

        Let r be the share of changes that are signalled. A change without any signal has the likelihood e^(-rΔτ)
        (1-e^(-(1-r)Δτ)). If there was a true signal, the change came with it, and the likelihood is rΔ e^(-rΔτ).
        """
        evidence, flags, unseen = self._pages.evidence, int(self._pages.flags[page]), self.signals.unseen(host)
        missed = -expm1(-unseen * float(self._pages.rate[page]) * interval)
        untrue = exp(-self.signals.strength(host, flags))
        if flags & SIGNAL_BITS and 1 - untrue > untrue * missed:
            evidence.changed_ago(page, (1 - unseen) * interval)
        else:
            evidence.unchanged(page, (1 - unseen) * interval)
            evidence.changed(page, unseen * interval)

    def failed(self, page: int, again_at: float) -> None:
        """Record a visit without an answer; the page is due again at `again_at`."""
        self._last_visit_of(page)
        self._pages.flags[page] |= FAILED
        self._order.put(page, _tick(again_at))

    def retired(self, page: int) -> None:
        """Retire a page that is gone. Its evidence is kept in case it is added again."""
        self._last_visit_of(page)
        self._pages.flags[page] = 0
        self._order.remove(page)

    def moved(self, page: int, to: int) -> None:
        """Record that a page redirects to another, known or not, from now on.

        Its evidence moves to the other page, unless the schedule has evidence about the other page already. The
        redirecting page starts again with the usual rate of its host.
        """
        self._last_visit_of(page)
        self._grow(np.array([to]))
        known = self._pages
        if page == to or not known.evidence.moved(page, to):
            return
        known.rate[to] = known.rate[page]
        known.rate[page] = self._prior.shape / float(self._prior.of_hosts(self._order.hosts[page : page + 1])[0])
        if self._order.waits(to) and not known.flags[to] & FAILED:
            self._order.put(to, self._due(to))

    def signalled(self, page: int, kind: SignalKind, at: float) -> None:
        """Record a signal that the page changed at the time `at`, in epoch seconds.

        Between two visits up to three signals of each kind count.
        """
        if at <= self._last_visit_of(page):
            return
        self._pages.flags[page] = with_signal(int(self._pages.flags[page]), kind)
        if self._order.waits(page) and not self._pages.flags[page] & FAILED:
            self._order.put(page, self._due(page))

    def hold(self, host: int) -> None:
        """Return no page of this host from `next` until `release` is called; the host's order is kept."""
        self._order.hold(host)

    def release(self, host: int) -> None:
        """End what `hold` began for a host: return its pages again."""
        self._order.release(host)

    # --- learning -----------------------------------------------------------------------------------------------------

    @property
    def wants_refresh(self) -> bool:
        """Whether the heaps hold enough pages for a refresh to save memory."""
        return self._order.moved_count > max(_MOVED_FLOOR, len(self._pages) // _MOVED_SHARE)

    def refresh(self, now: float, importance: FloatArray | None = None) -> None:
        """Learn the change rates again and compute when each page is due, in this thread."""
        self.install(self.begin_refresh(now, importance)())

    def begin_refresh(self, now: float, importance: FloatArray | None = None) -> Callable[[], Refreshed]:
        """Copy what a refresh needs, and return a pure function that does its work in any thread.

        Only one refresh may be under way. `importance`, if given, holds new values for all pages, by page number.
        """
        known = self._pages
        if importance is not None:
            known.importance[: len(importance)] = importance[: len(known)]
        # copied whole, because to copy only the pages that wait takes ten times as long
        copied, all_evidence = known.copy(), known.evidence.of(slice(0, len(known)))
        all_hosts, all_due, trust = self._order.hosts.copy(), self._order.due.copy(), self.signals.copy()
        pages = self._order.begin()
        policy, budget, price = self._policy, self._budget, self._price
        bounds = self._asked_bounds.within(budget, len(pages))
        horizon = max(_HORIZON, _LEAST_VISITS / budget)

        def work() -> Refreshed:
            evidence, hosts, due = all_evidence.of(pages), all_hosts[pages], all_due[pages]
            flags, last = copied.flags[pages], copied.last_visit[pages].astype(np.float64)
            values, elapsed = copied.importance[pages].astype(np.float64), now + horizon - last
            ways = trust.learn_ways()
            notices = trust.notices_of(hosts, flags)
            prior = learnt_prior(evidence, hosts)
            rates, _ = learnt_rates(evidence, prior.shape, prior.of_hosts(hosts))
            found = price_now(
                policy=policy,
                visits=budget * horizon,
                elapsed=elapsed,
                rates=rates,
                importance=values,
                bounds=bounds,
                notices=notices,
                start=price,
            )
            new = _ticks(last + bounded_waits(policy, found, rates, values, bounds, notices))
            new = np.where(flags & FAILED > 0, due, new)
            all_due[pages] = new
            learnt = rates.astype(np.float32)
            return Refreshed(
                pages=pages,
                rates=learnt,
                due=all_due,
                base=sorted_by_due(pages, hosts, new),
                prior=prior,
                price=found,
                bounds=bounds,
                ways=ways,
            )

        return work

    def install(self, refreshed: Refreshed) -> None:
        """Install the result of a refresh."""
        self._pages.rate[refreshed.pages] = refreshed.rates
        self._prior, self._price, self._bounds = refreshed.prior, refreshed.price, refreshed.bounds
        self.signals.go_by(refreshed.ways)
        self._order.install(refreshed.base, refreshed.due)

    # --- questions ----------------------------------------------------------------------------------------------------

    def explain(self, page: int, now: float) -> DueExplanation:
        """Return why a page is due at its time."""
        last, rate, wait = self._last_visit_of(page), float(self._pages.rate[page]), self._waits(np.array([page]))[0]
        evidence, order = self._pages.evidence, self._order
        mean = float(self._pages.importance[self._pages.known()].mean())
        return DueExplanation(
            rate=rate,
            wait=float(wait),
            last_visit=last,
            next_visit=float(order.due[page]) if order.waits(page) else None,
            current=exp(-self._stale_exponents(np.array([page]), now)[0]),
            importance=float(self._pages.importance[page]) / mean,
            bound={self._bounds.shortest: "shortest", self._bounds.longest: "longest"}.get(float(wait)),
            changes=int(evidence.changes[page]) + int(evidence.dated_changes[page]),
            dated_changes=int(evidence.dated_changes[page]),
            quiet_seconds=float(evidence.quiet[page]),
            signals=tuple(kind for kind in SignalKind if count_of(int(self._pages.flags[page]), kind)),
        )

    def outlook(self, budget: float | None = None) -> Outlook:
        """Return the freshness and age that a budget brings in the long run.

        The budget is in visits per second; None stands for the budget of the schedule.

        There must be at least one page.
        """
        pages = self._pages.known()
        rates, values = self._pages.rate[pages].astype(np.float64), self._pages.importance[pages].astype(np.float64)
        return outlook(self._policy, self._budget if budget is None else budget, rates, values, self._asked_bounds)

    def freshness(self, now: float) -> float:
        """Return the expected share of pages, weighted by importance, whose copy is current now.

        There must be at least one page.
        """
        pages = self._pages.known()
        values = self._pages.importance[pages].astype(np.float64)
        return float(values @ np.exp(-self._stale_exponents(pages, now)) / values.sum())

    def oldest_visit(self) -> float:
        """Return the earliest of the pages' last visits, in seconds. There must be at least one page."""
        return float(self._pages.last_visit[self._pages.known()].min())

    def memory_bytes(self) -> int:
        """Return the bytes of the flat arrays, the order and its heaps."""
        return self._pages.memory_bytes() + self._order.memory_bytes()

    # --- as rows ------------------------------------------------------------------------------------------------------

    def state(self, pages: ArrayLike | None = None) -> dict[str, NDArray[np.generic]]:
        """Return the columns that `restore` takes, of some pages or of all pages added; copies, shape (k,) each.

        They are `page`, `host`, `due`, `importance`, `last_visit`, `rate`, `flags`, and the columns of
        `ChangeEvidence`.
        """
        chosen = self._pages.known() if pages is None else np.atleast_1d(np.asarray(pages, np.int64))
        places: dict[str, NDArray[np.generic]] = {
            "page": chosen,
            "host": self._order.hosts[chosen],
            "due": self._order.due[chosen],
        }
        return places | self._pages.columns(chosen)

    def restore(self, columns: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore pages from columns returned by `state`, in arrays of any numeric type.

        A page that was in flight is due at its former time. A `refresh` must follow, which learns priors and price.
        Raises ValueError if a column is missing.
        """
        missing = {"page", "host", "due"} - columns.keys()
        if missing:
            raise ValueError(f"missing columns: {', '.join(sorted(missing))}; given: {', '.join(sorted(columns))}")
        pages = np.asarray(columns["page"]).astype(np.int64)
        self._grow(pages)
        self._pages.set_columns(pages, columns)
        self._order.hosts[pages] = columns["host"]
        known = self._pages.flags[pages] & KNOWN > 0
        self._order.put_all(pages[known], np.asarray(columns["due"]).astype(np.uint32)[known])

    # --- inside -------------------------------------------------------------------------------------------------------

    def _grow(self, pages: IntArray) -> None:
        needed = int(pages.max(initial=-1)) + 1
        if needed > len(self._pages):
            needed = max(needed, len(self._pages) * 17 // 16)
            self._pages.grow(needed)
            self._order.grow(needed)

    def _last_visit_of(self, page: int) -> float:
        if not (0 <= page < len(self._pages) and self._pages.flags[page] & KNOWN):
            raise ValueError(f"page {page} was not added to the schedule")
        return float(self._pages.last_visit[page])

    def _waits(self, pages: IntArray) -> FloatArray:
        """Return the seconds between two visits if no signal comes, shape (k,)."""
        rates, values = self._pages.rate[pages].astype(np.float64), self._pages.importance[pages].astype(np.float64)
        notices = self.signals.notices_of(self._order.hosts[pages], np.zeros(len(pages), np.uint8))
        return bounded_waits(self._policy, self._price, rates, values, self._bounds, notices)

    def _due(self, page: int) -> int:
        known, own = self._pages, slice(page, page + 1)
        rate, value = known.rate[own].astype(np.float64), known.importance[own].astype(np.float64)
        notices = self.signals.notices(int(self._order.hosts[page]), int(known.flags[page]))
        waits = bounded_waits(self._policy, self._price, rate, value, self._bounds, notices)
        return _tick(float(known.last_visit[page]) + float(waits[0]))

    def _stale_exponents(self, pages: IntArray, now: float) -> FloatArray:
        """Return x of each page, shape (k,). The copy of a page is current with probability e^-x."""
        known, hosts = self._pages, self._order.hosts[pages]
        elapsed = np.maximum(now - known.last_visit[pages], 0.0)
        notices = self.signals.notices_of(hosts, known.flags[pages])
        return np.asarray(notices.unseen * known.rate[pages] * elapsed + notices.strength, np.float64)

    def _earliest(self, page: int, due: int) -> float:
        """Return when a page that is not due yet may be visited."""
        if self._budget == inf or self._pages.flags[page] & FAILED:
            return float(due)
        return min(due, int(self._pages.last_visit[page]) + self._bounds.shortest)


def _tick(time: float) -> int:
    """Return a time in whole seconds, NEVER if it is too late to be stored. Raises ValueError for a negative time."""
    if not time >= 0:
        raise ValueError(f"a time of {time} seconds is negative")
    return int(min(time, NEVER))


def _ticks(times: FloatArray) -> NDArray[np.uint32]:
    if len(times) and not times.min() >= 0:
        raise ValueError(f"a time of {times.min()} seconds is negative")
    return np.minimum(times, NEVER).astype(np.uint32)
