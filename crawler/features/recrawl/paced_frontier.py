"""The frontier of crawls that keep a store fresh: a schedule of revisits, and new pages that share its budget."""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from math import inf
from typing import Any, Final

import numpy as np

from hinterland.crawler.features.recrawl.schedule import Revisit, RevisitSchedule
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.visits import Exhausted, Visit, Wait
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray
from hinterland.crawler.settings import PolitenessSettings

NEW_PAGES_SHARE: Final = 0.5
"""Share of the budget for pages that were never visited. If there are too few of them, revisits use the rest."""
_REVISITS_A_HOST: Final = 4
"""At most this many due pages of a host wait in the frontier. Meanwhile the schedule hands out pages of other hosts."""
_FORGIVEN_AFTER: Final = 86_400.0
_CENSUS_EVERY: Final = 3_600.0
"""In seconds: a host that was given up gets another chance after a day, which is checked every hour."""
_URGENT: Final = 1e6
"""The urgency of due pages, which puts them before new pages. New pages are queued only as their share allows."""


class PacedFrontier(Frontier):
    """A frontier that takes the pages to revisit from a schedule.

    Pages that were never visited are held back until their share of the budget allows one to be queued. Pages to
    revisit come from the schedule, whose budget covers both kinds.
    """

    def __init__(
        self,
        settings: PolitenessSettings,
        schedule: RevisitSchedule,
        *,
        budget: float,
        new_share: float = NEW_PAGES_SHARE,
        **options: Any,
    ) -> None:
        """Divide `budget` visits per second between new pages and revisits; inf means that only hosts limit the visits.

        The share `new_share` goes to pages that were never visited, while any of them wait. `options` are passed to
        Frontier.
        """
        super().__init__(settings, **options)
        self.schedule = schedule
        self._new_pause = 0.0 if budget == inf else (1 / (budget * new_share) if new_share else inf)
        self._next_new = -inf
        self._new: list[tuple[float, int, int]] = []
        self._revisits_waiting = Counter[int]()
        self._given_up_since: dict[int, float] = {}
        self._next_census = -inf

    def add(self, pages: IntArray, hosts: IntArray, urgencies: FloatArray, now: float) -> None:
        """Add pages that were never visited; shape (k,) each."""
        if not self._new_pause:
            super().add(pages, hosts, urgencies, now)
            return
        for page, host, urgency in zip(pages.tolist(), hosts.tolist(), urgencies.tolist(), strict=True):
            heappush(self._new, (-urgency, page, host))

    def next_visit(self, now: float, *, lookups: bool = True) -> Visit | Wait | Exhausted:
        """Return the next visit, or how long to wait for one."""
        self._forgive(now)
        self._let_new_pages_wait(now)
        due_at = self._let_due_pages_wait(now)
        said = super().next_visit(now, lookups=lookups)
        if isinstance(said, Visit):
            return said
        later = min(due_at, self._next_new if self._new else inf)
        if isinstance(said, Wait):
            return Wait(min(said.until, later))
        return Wait(later) if later < inf or self._revisits_waiting else said

    def revisited(self, page: int, host: int) -> None:
        """Note that a revisit has ended, which makes room for other due pages of the host."""
        if self._revisits_waiting[host] == _REVISITS_A_HOST:
            self.schedule.release(host)
        self._revisits_waiting[host] -= 1
        if not self._revisits_waiting[host]:
            del self._revisits_waiting[host]

    def has_only_retries(self) -> bool:
        """Return False, because more pages will become due."""
        return False

    def _let_new_pages_wait(self, now: float) -> None:
        while self._new and self._next_new <= now:
            urgency, page, host = heappop(self._new)
            self._wait_here(page, host, -urgency, now)
            self._next_new = max(self._next_new, now) + self._new_pause
            self.schedule.spend(now)

    def _let_due_pages_wait(self, now: float) -> float:
        """Move due pages from the schedule into the queue; return when to ask the schedule again."""
        while isinstance(said := self.schedule.next(now), Revisit):
            self._revisits_waiting[said.host] += 1
            if self._revisits_waiting[said.host] == _REVISITS_A_HOST:
                self.schedule.hold(said.host)
            self._wait_here(said.page, said.host, _URGENT, now)
        return said.until

    def _wait_here(self, page: int, host: int, urgency: float, now: float) -> None:
        if self._pages.was_taken(page):
            self._pages.forget(page)
        super().add(np.array([page], np.int32), np.array([host], np.int32), np.array([urgency]), now)

    def _forgive(self, now: float) -> None:
        """Give hosts that were given up long enough ago another chance."""
        if now < self._next_census:
            return
        self._next_census = now + _CENSUS_EVERY
        given_up = set(self.hosts_given_up().tolist())
        self._given_up_since = {host: self._given_up_since.get(host, now) for host in given_up}
        for host, since in list(self._given_up_since.items()):
            if now - since >= _FORGIVEN_AFTER:
                del self._given_up_since[host]
                self.forgive(host, now)
