"""Chooses the next visit within the page budget, and decides whether the crawl has come to its end. Pure."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

import numpy as np

from hinterland.crawler.frontier.network_watch import NetworkState
from hinterland.crawler.frontier.visits import Exhausted, Visit, Wait
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.endings import WITHOUT_PAGES, EndReason

_SOON_ENOUGH: Final = 60.0  # seconds: a crawl does not end before a task that is due within them
_PROBE_PAUSE: Final = 1.0  # seconds, while a host that is to be probed rests


class Dispatch:
    """Chooses visits. Mutable: it tracks the visits under way and, once the crawl ends, the reason.

    `depths_are_due` says that depths must be recomputed (see `depths`) before the crawl can end.
    """

    def __init__(
        self,
        components: CrawlComponents,
        crawl_state: CrawlState,
        *,
        max_pages: int | None,
        max_retry_wait_seconds: float,
        has_depth_limit: bool,
        wake_upkeep: Callable[[], None],
    ) -> None:
        """`max_pages` limits the HTML pages in the store; `wake_upkeep` is called when an upkeep job is due."""
        self._frontier = components.frontier
        self._known = components.known
        self._network = components.network
        self._features = components.features
        self._crawl_state = crawl_state
        self._max_pages = inf if max_pages is None else max_pages
        self._max_retry_wait = max_retry_wait_seconds
        self._has_depth_limit = has_depth_limit
        self._wake_upkeep = wake_upkeep
        self._pages_under_way = 0
        self._revisits_under_way: set[int] = set()
        self._has_withheld = False
        self._may_look_up = True
        self.depths_are_due = False
        self.reason: EndReason | None = None

    @property
    def max_pages(self) -> int | None:
        """The limit of HTML pages in the store; None if there is none."""
        return None if self._max_pages == inf else int(self._max_pages)

    def allow(self, max_pages: int) -> int:
        """Change the limit of HTML pages in the store; return the limit in effect.

        The limit in effect is higher than `max_pages` if the visits under way may bring more pages than that. For this
        reason alone it is never raised above the previous limit: while a page is being written, it is counted twice.
        """
        self._max_pages = max(max_pages, min(self._max_pages, self._pages_at_most))
        return int(self._max_pages)

    def end(self, reason: EndReason) -> None:
        """Begin no more visits, and record the reason unless one is recorded already."""
        self.reason = self.reason or reason

    def next_lookup(self, now: float) -> Visit | None:
        """Return the next lookup of a host name that is made ahead of a visit; None if there is none.

        `ended` must be called when the lookup has ended.
        """
        if (
            self.reason is not None
            or self._frontier.is_paused
            or (self._is_full and not self._features.visits_when_full)
        ):
            return None
        return self._frontier.next_lookup(now)

    def next(self, now: float, *, lookups: bool = True) -> Visit | Wait | None:
        """Return the next visit; `ended` must be called when it has ended.

        A Wait means that nothing may begin before its time, unless the state of the crawl changes. None means that the
        crawl has ended, or that its next step depends on visits under way. `lookups` says whether the visit may be the
        lookup of a host name.
        """
        self._features.chooses()
        self._may_look_up = lookups
        said = None if self.reason is not None else self._next(now)
        if self.reason is not None:
            return None
        if isinstance(said, Visit) and said.page >= 0:
            self._pages_under_way += 1
            if self._features.adds_no_page(said.page):
                self._revisits_under_way.add(said.page)
        return said

    def ended(self, visit: Visit) -> None:
        """Note that a visit has ended, whatever its outcome."""
        if visit.page >= 0:
            self._pages_under_way -= 1
            self._revisits_under_way.discard(visit.page)
        self._features.host_visited(visit.host if visit.host_task is None else visit.host_task.owner)

    def consider_upkeep(self, *, is_idle: bool, seconds: float = 0.0) -> bool:
        """Wake the upkeep if a feature's job is due; return whether one is due or running.

        `seconds` is the time until the next visit may begin.
        """
        if self._features.wants_upkeep(is_idle=is_idle, seconds=seconds):
            self._wake_upkeep()
            return True
        return False

    def _next(self, now: float) -> Visit | Wait | None:
        if self._is_full and not self._features.visits_when_full:
            return self._next_when_full(now)
        if self._network.state is not NetworkState.UP:
            probe = self._next_probe(now)
            if probe is not None or self._frontier.is_paused:
                return probe
        task_at = self._features.send_due(now)
        said = self._next_with_a_place(now)
        if task_at is not None and isinstance(said, Wait):
            said = Wait(min(said.until, task_at))
        elif task_at is not None and isinstance(said, Exhausted) and task_at - now < _SOON_ENOUGH:
            return Wait(task_at)
        match said:
            case Wait(until):
                if not self._pages_under_way:
                    self._consider_idling(until - now)
            case Exhausted():
                return self._at_the_end(now)
        return said

    def _next_when_full(self, now: float) -> Visit | Wait | None:
        """Return the next visit if no page may be added: a task of a feature that must still be carried out."""
        if hosts := self._features.finishing(now):
            if self._network.state is not NetworkState.UP:
                probe = self._next_probe(now)
                if probe is not None or self._frontier.is_paused:
                    return probe
            return self._frontier.next_task(hosts, now)  # it may be a lookup: when full, none begins ahead of its visit
        if self._crawl_state.pages_fetched >= self._max_pages:
            self._come_to_end(EndReason.MAX_PAGES)
        return None

    def _next_with_a_place(self, now: float) -> Visit | Wait | Exhausted:
        """Return the frontier's next visit, skipping pages that are not admitted or would exceed the budget."""
        while True:
            said = self._frontier.next_visit(now, lookups=self._may_look_up)
            if not isinstance(said, Visit) or said.page < 0 or self._features.adds_no_page(said.page):
                return said
            if self._is_full:
                self._has_withheld = True
            elif self._features.admits(said.page):
                return said
            self._frontier.withdrawn(said, now)

    @property
    def _is_full(self) -> bool:
        """Whether the store is at its page limit, or will be if every visit under way brings a page."""
        return self._max_pages < inf and self._pages_at_most >= self._max_pages

    @property
    def _pages_at_most(self) -> int:
        """The maximum number of pages that the store can reach if no further visit begins."""
        return self._crawl_state.pages_fetched + self._pages_under_way - len(self._revisits_under_way)

    def _next_probe(self, now: float) -> Visit | Wait | None:
        """Return the next probe, a visit that only tests whether a host answers, while the network is in doubt."""
        if self._network.is_given_up(now):
            self.end(EndReason.NETWORK_DOWN)
            return None
        due = self._network.probe_due(now)
        for host in self._network.hosts_to_ask() if due is None else [due]:
            self._frontier.probe(host)
        visit = self._frontier.next_probe(now)
        if visit is None and self._frontier.is_paused:
            return Wait(min(self._network.next_probe, now + _PROBE_PAUSE))
        return visit

    def _consider_idling(self, seconds: float) -> None:
        """End the crawl if the next visit, `seconds` from now, is not worth waiting for."""
        if self._consider_depths():
            return
        if self._features.is_not_worth_waiting():
            self._come_to_end(self._reason_of_exhaustion())
            return
        if self.consider_upkeep(is_idle=self._frontier.has_only_failing_hosts(), seconds=seconds):
            return
        if seconds > self._max_retry_wait and self._frontier.has_only_retries():
            self._come_to_end(EndReason.RETRIES_LEFT)

    def _at_the_end(self, now: float) -> Visit | Wait | None:
        """Decide what to do when the frontier has nothing left to visit and no request is under way."""
        if self._network.state is NetworkState.DOUBTED and self._frontier.is_probing:
            return Wait(now + _PROBE_PAUSE)
        # A page that is being parsed, or a feature's work under way, may still lead to further pages.
        if self._pages_under_way or self._features.is_busy or self._consider_depths():
            return None
        if self._features.brings_back(now):
            return self._next(now)
        if not self.consider_upkeep(is_idle=True, seconds=inf):
            self._come_to_end(self._reason_of_exhaustion())
        return None

    def _come_to_end(self, reason: EndReason) -> None:
        """End the crawl, unless a feature may still bring new pages, which would remove the reason to end."""
        if self._features.may_end(reason):
            self.end(reason)

    def _consider_depths(self) -> bool:
        """Request that depths be recomputed if some may be too large; return whether that is due or running."""
        if not self._has_depth_limit or not self._known.has_stale_depths:
            return False
        self.depths_are_due = True
        self._wake_upkeep()
        return True

    def _reason_of_exhaustion(self) -> EndReason:
        if not self._crawl_state.pages_fetched:
            return EndReason.NOTHING_FETCHED
        if self._has_withheld:
            return EndReason.MAX_PAGES
        reasons = self._features.end_reasons
        hosts_given_up = np.intersect1d(self._frontier.hosts_given_up(), self._known.hosts()[self._known.local_mask()])
        if len(hosts_given_up):  # only the domain's own hosts matter
            reasons.add(EndReason.HOSTS_GIVEN_UP)
        return next((reason for reason in WITHOUT_PAGES if reason in reasons), EndReason.EXHAUSTED)
