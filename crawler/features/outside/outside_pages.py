"""Keeps track of pages outside the domain, and decides which may wait or be visited. Pure.

For the rules see crawler.features.outside.sampling_schedule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

import numpy as np

from hinterland.crawler.features.outside.sampling_schedule import SamplingSchedule
from hinterland.crawler.features.outside.statistics import HinterlandStatistics, SamplingPhase
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.feature import BoolArray, Feature, IntArray
from hinterland.crawler.loop.decisions.moments import Ended, PagesFound
from hinterland.crawler.loop.decisions.restored import LeftWaiting
from hinterland.storage.values.records import DiscoveriesRecord, Record

_AT_ONCE = 250
"""How many pages are admitted at a time, before visits get a turn."""


class OutsidePages(Feature):
    """The pages outside the domain. Mutable.

    `is_wanted` says that a round is due, and `is_idle` that the crawl was idle when it became due.
    """

    def __init__(
        self,
        schedule: SamplingSchedule,
        *,
        known: KnownPages,
        frontier: Frontier,
        policy: FrontierPolicy,
        estimator: str,
    ) -> None:
        """Start without outside pages."""
        self.schedule = schedule
        self._known = known
        self._frontier = frontier
        self._policy = policy
        self._estimator = estimator
        self._left_waiting: dict[int, LeftWaiting] = {}
        self.urgencies: dict[int, float] = {}
        self._pages_at: dict[int, set[int]] = {}  # host -> the pages admitted
        self._failing_hosts = set[int]()
        self._closings = -1
        self.is_wanted = self.is_idle = False

    def restore_waiting(self, left_waiting: Mapping[int, LeftWaiting]) -> None:
        """Take over outside pages that earlier runs admitted, most urgent first."""
        self._left_waiting = dict(left_waiting)
        self.urgencies = {page: each.urgency for page, each in left_waiting.items()}

    def requeue_restored(self) -> None:
        """Queue the pages of `restore_waiting` again, up to the budget."""
        self.schedule.end_round(list(self._left_waiting))

    # ---------------------------------------------------------------- events

    def discovered(self, found: PagesFound) -> None:
        """Note which pages became local, which were admitted, and which are new candidates."""
        discoveries, known, schedule = found.discoveries, self._known, self.schedule
        for page in discoveries.localised:
            schedule.became_local(page, was_fetched=known.was_fetched_outside(page))
            self._left(page)
        admitted = zip(discoveries.admitted, discoveries.admitted_hosts, strict=True)
        self._note_admitted([(page, host) for page, host in admitted if not known.is_local(page)])
        if not self._policy.needs_refresh and (pages := known.new_candidates(discoveries)):
            depths = np.array([known.depth_of(page) for page in pages], np.int32)
            schedule.add_candidates(pages, self._policy.discovered(np.array(pages, np.int32), depths))

    def admits(self, page: int) -> bool:
        """Return whether a visit to the page may begin; if not, withdraw the page."""
        if self._known.is_local(page) or self.schedule.begins(page):
            return True
        self._left(page)
        self._known.withdraw(page)
        return False

    def visited(self, ended: Ended) -> None:
        """Count the outcome of a visit, and admit more of the chosen pages."""
        if ended.is_revisit:
            return
        has_links = ended.outlinks.columns is not None
        self._visited(ended.page, ended.verdict.kind, is_final=ended.is_final, has_links=has_links)
        if (admitted := self.admit_chosen(ended.now)) is not None:
            ended.before.append(admitted)

    def settled(self, page: int, kind: OutcomeKind, now: float, *, is_revisit: bool) -> list[Record]:
        """Count a final outcome that needed no visit."""
        if not is_revisit:
            self._visited(page, kind, is_final=True, has_links=False)
        return []

    def _visited(self, page: int, kind: OutcomeKind, *, is_final: bool, has_links: bool) -> None:
        schedule, is_fetched = self.schedule, kind is OutcomeKind.FETCHED
        if has_links:
            schedule.crawled()
        if not self._known.is_local(page):
            if not is_final:
                schedule.put_off(page)
                return
            schedule.ended(page, is_fetched=is_fetched)
            self._left(page)
            if is_fetched:
                self._known.note_fetched(page)
        elif is_fetched:
            schedule.fetched_local()

    def host_visited(self, host: int) -> None:
        """Set aside the pages of a failing host (see sampling_schedule), or note that the host has recovered."""
        if self._frontier.is_failing(host):
            self._failing_hosts.add(host)
            self.schedule.put_aside(self._pages_at.get(host, ()))
        elif host in self._failing_hosts:
            self._failing_hosts.remove(host)
            self.schedule.note_news()

    def _note_admitted(self, pages: Sequence[tuple[int, int]]) -> None:
        """Note that these pages, each with its host, are now waiting."""
        self.schedule.admitted(page for page, _ in pages)
        for page, host in pages:
            self._pages_at.setdefault(host, set()).add(page)
        self.schedule.put_aside(page for page, host in pages if host in self._failing_hosts)

    def _left(self, page: int) -> None:
        """Note that a page is no longer waiting."""
        host = self._known.host_of(page)
        pages = self._pages_at.get(host, set())
        pages.discard(page)
        if not pages:
            self._pages_at.pop(host, None)

    # ---------------------------------------------------------------- rounds

    @property
    def end_reason(self) -> EndReason | None:
        """The reason to end once the estimate has converged, or None."""
        return EndReason.SETTLED if self.schedule.is_settled else None

    @property
    def has_ranked(self) -> bool:
        """Whether all waiting pages were chosen and ranked by a round."""
        return self.schedule.phase is SamplingPhase.HINTERLAND

    def keeps_ahead(self, pages: IntArray) -> BoolArray | None:
        """Return which of `pages` must go first, shape (k,), or None if none must.

        While the domain is being crawled, outside pages must go first. They are few, and among all the local pages they
        would not get their share of the visits.
        """
        return self._known.outside_mask()[pages] if self.schedule.is_interleaved else None

    def wants_upkeep(self, *, is_idle: bool, seconds: float) -> bool:
        """Return whether a round is due or running."""
        if self.schedule.is_in_round:
            return True
        self._look_for_closed_hosts()
        if self.schedule.is_due(is_idle=is_idle):
            self.is_wanted, self.is_idle = True, is_idle
        return self.is_wanted

    def is_not_worth_waiting(self) -> bool:
        """Return whether the budget is used up and only outside pages that were set aside are left to visit."""
        if self.is_wanted or not self.schedule.has_only_pages_aside:
            return False
        counts, closed = self._frontier.counts(), self._frontier.closed_hosts()
        return counts.waiting - counts.stranded == sum(
            len(pages) for host, pages in self._pages_at.items() if not closed[host]
        )

    def statistics(self, now: float, waiting: int) -> dict[str, HinterlandStatistics]:
        """Return the progress of the hinterland."""
        return {"hinterland": self.schedule.statistics(self._estimator)}

    def is_worth_a_try(self) -> BoolArray:
        """Return whether a round may choose pages of each host, shape (hosts,).

        A round may choose no pages of a closed host. The same holds for a failing host with admitted pages, since
        visits to these will show when it recovers.
        """
        is_out = self._frontier.closed_hosts().copy()
        is_out[[host for host in self._failing_hosts if host in self._pages_at]] = True
        return ~is_out

    def end_round(self, chosen: Sequence[int], urgencies: Mapping[int, float]) -> None:
        """Take over the pages that a round has chosen, most urgent first, and their urgencies."""
        self.urgencies = dict(urgencies)
        self.schedule.end_round(chosen)

    def begin(self, now: float) -> list[Record]:
        """Admit the first chosen pages."""
        return [] if (admitted := self.admit_chosen(now)) is None else [admitted]

    def admit_chosen(self, now: float) -> DiscoveriesRecord | None:
        """Admit as many of the chosen pages as may be admitted now, at most _AT_ONCE; return None if there are none."""
        pages = self.schedule.take_chosen(_AT_ONCE)
        if not pages:
            return None
        discoveries = Discoveries()
        self._known.admit_outside(pages, discoveries)
        if discoveries.admitted:
            self._let_wait(discoveries.admitted, discoveries.admitted_hosts, now)
        return DiscoveriesRecord(admitted=discoveries.readmitted)

    def _let_wait(self, pages: Sequence[int], hosts: Sequence[int], now: float) -> None:
        is_urgent = self.schedule.is_interleaved
        self._note_admitted(list(zip(pages, hosts, strict=True)))
        numbers, at = np.array(pages, np.int32), np.array(hosts, np.int32)
        # Outside pages are few among local ones and go first; otherwise they would fall short of their share.
        urgencies = np.array([inf if is_urgent else self.urgencies.pop(page, 0.0) for page in pages])
        later = np.zeros(len(pages), np.bool_)
        for place, page in enumerate(pages):
            left = self._left_waiting.pop(page, None)
            if left is not None and left.retry_at is not None and left.retry_at > now:
                later[place] = True
                self._frontier.add_retrying(page, hosts[place], float(urgencies[place]), left.retry_at)
                self.schedule.put_off(page)
        self._frontier.add(numbers[~later], at[~later], urgencies[~later], now)

    def _look_for_closed_hosts(self) -> None:
        if self._closings != self._frontier.closings:
            self._closings = self._frontier.closings
            closed = self._frontier.closed_hosts()
            for host, pages in self._pages_at.items():
                if closed[host]:
                    self.schedule.put_aside(pages)
