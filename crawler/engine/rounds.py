"""Carries out the rounds of a hinterland: estimates and chooses in another thread, admits what was chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from analysis.crawled_graph import CrawledGraph
from analysis.estimation import Estimate, Estimation
from analysis.link_log import LinkLog
from analysis.rank_history import packed
from crawler.engine.record_writer import RecordWriter
from crawler.fetching.outcomes import OutcomeKind
from crawler.frontier.frontier import Frontier
from crawler.hinterland.hinterland import Hinterland, LeftWaiting, most_urgent
from crawler.hinterland.rank_records import rank_records
from crawler.hinterland.statistics import HinterlandStatistics
from crawler.pages.known_pages import Findings, KnownPages
from crawler.policies import FrontierPolicy
from storage.records import Discovery, EstimateRecord

BoolArray = NDArray[np.bool_]

_AT_ONCE = 250
"""So many pages are admitted before visits go on for a moment."""


@dataclass(frozen=True, slots=True)
class _Moment:
    """Of what an estimate is made: the last visit, and the pages fetched by then."""

    began: float
    visit: int
    local_pages: int
    outside_pages: int


@dataclass(frozen=True, slots=True)
class _Computed:
    moment: _Moment
    estimate: Estimate
    ranks: bytes
    chosen: Sequence[int]
    urgencies: Mapping[int, float]


class Rounds:
    """See crawler.hinterland.hinterland for what is decided there; this is told by the engine what happens."""

    def __init__(
        self,
        hinterland: Hinterland,
        estimation: Estimation,
        *,
        known: KnownPages,
        frontier: Frontier,
        policy: FrontierPolicy,
        log: LinkLog,
        writer: RecordWriter,
        now: Callable[[], float],
        left_waiting: Mapping[int, LeftWaiting],
    ) -> None:
        """left_waiting: pages outside that earlier runs admitted, the most urgent first."""
        self.hinterland = hinterland
        self._estimation = estimation
        self._known = known
        self._frontier = frontier
        self._policy = policy
        self._log = log
        self._writer = writer
        self._now = now
        self._left_waiting = dict(left_waiting)
        self._urgencies = {page: each.urgency for page, each in left_waiting.items()}
        self._pages_at: dict[int, set[int]] = {}  # of each host, the pages admitted
        self._failing_hosts = set[int]()
        self._closings = -1
        self._is_wanted = self._is_idle = False
        self._work: asyncio.Future[_Computed] | None = None
        self._last: tuple[CrawledGraph, Estimate] | None = None
        hinterland.end_round(list(left_waiting))

    # ---------------------------------------------------------------- what the engine tells

    def found(self, findings: Findings) -> None:
        """A visit, or the seeds, brought something to light."""
        known, hinterland = self._known, self.hinterland
        for page in findings.localised:
            hinterland.became_local(page, was_fetched=known.was_fetched_outside(page))
            self._left(page)
        admitted = zip(findings.admitted, findings.admitted_hosts, strict=True)
        self._note_admitted([(page, host) for page, host in admitted if not known.is_local(page)])
        if not self._policy.needs_refresh and (pages := known.new_candidates(findings)):
            depths = np.array([known.depth_of(page) for page in pages], np.int32)
            hinterland.met(pages, self._policy.discovered(np.array(pages, np.int32), depths))

    def begins(self, page: int) -> bool:
        """Whether the visit to a page may begin; if not, the page is withdrawn from the frontier."""
        if self._known.is_local(page) or self.hinterland.begins(page):
            return True
        self._left(page)
        self._known.withdraw(page)
        return False

    def visited(self, page: int, kind: OutcomeKind, *, is_final: bool, has_links: bool) -> None:
        """A visit to a page ended."""
        hinterland, is_fetched = self.hinterland, kind is OutcomeKind.FETCHED
        if has_links:
            hinterland.crawled()
        if not self._known.is_local(page):
            if not is_final:
                hinterland.put_off(page)
                return
            hinterland.ended(page, is_fetched=is_fetched)
            self._left(page)
            if is_fetched:
                self._known.note_fetched(page)
        elif is_fetched:
            hinterland.fetched_local()

    def host_visited(self, host: int) -> None:
        """A visit to a host ended, or an errand on its behalf."""
        if self._frontier.is_failing(host):
            self._failing_hosts.add(host)
            self.hinterland.put_aside(self._pages_at.get(host, ()))
        elif host in self._failing_hosts:
            self._failing_hosts.remove(host)
            self.hinterland.note_news()

    def _note_admitted(self, pages: Sequence[tuple[int, int]]) -> None:
        """These pages, each with its host, wait from now on."""
        self.hinterland.admitted(page for page, _ in pages)
        for page, host in pages:
            self._pages_at.setdefault(host, set()).add(page)
        self.hinterland.put_aside(page for page, host in pages if host in self._failing_hosts)

    def _left(self, page: int) -> None:
        """A page waits no more."""
        host = self._known.host_of(page)
        pages = self._pages_at.get(host, set())
        pages.discard(page)
        if not pages:
            self._pages_at.pop(host, None)

    # ---------------------------------------------------------------- rounds

    def wants_round(self, *, is_idle: bool) -> bool:
        """Whether `run` is to be called; see Hinterland.is_due for is_idle."""
        self._look_for_closed_hosts()
        if self.hinterland.is_due(is_idle=is_idle):
            self._is_wanted, self._is_idle = True, is_idle
        return self._is_wanted

    def statistics(self) -> HinterlandStatistics:
        return self.hinterland.statistics(self._estimation.name)

    @property
    def is_wanted(self) -> bool:
        return self._is_wanted

    def has_only_pages_aside(self) -> bool:
        """Whether the budget is used up, and all that can still be visited are pages outside whose hosts fail."""
        if self._is_wanted or not self.hinterland.has_only_pages_aside:
            return False
        counts, closed = self._frontier.counts(), self._frontier.closed_hosts()
        return counts.waiting - counts.stranded == sum(
            len(pages) for host, pages in self._pages_at.items() if not closed[host]
        )

    async def run(self, last_visit: int) -> None:
        """One round: estimate, choose, admit. last_visit: the number of the last visit whose outcome is known."""
        self._is_wanted = False
        count = self.hinterland.begin_round(is_idle=self._is_idle)
        self._work = self._begin_work(count, last_visit)
        computed = await asyncio.shield(self._work)
        self._work = None
        self._record(computed)
        self._urgencies = dict(computed.urgencies)
        self.hinterland.end_round(computed.chosen)
        while self.admit_chosen():  # noqa: ASYNC110  visits go on between two parts of a large batch
            await asyncio.sleep(0)

    def admit_chosen(self) -> bool:
        """Admit some of the pages chosen, as far as they may go now; whether there were any."""
        pages = self.hinterland.take_chosen(_AT_ONCE)
        if not pages:
            return False
        findings = Findings()
        self._known.admit_outside(pages, findings)
        if findings.admitted:
            self._let_wait(findings.admitted, findings.admitted_hosts)
            self._writer.submit(Discovery(admitted=findings.readmitted))
        return True

    def _let_wait(self, pages: Sequence[int], hosts: Sequence[int]) -> None:
        now, is_urgent = self._now(), self.hinterland.is_interleaved
        self._note_admitted(list(zip(pages, hosts, strict=True)))
        numbers, at = np.array(pages, np.int32), np.array(hosts, np.int32)
        # Among local pages those outside are few and due: else they would not keep to their share.
        urgencies = np.array([inf if is_urgent else self._urgencies.pop(page, 0.0) for page in pages])
        later = np.zeros(len(pages), np.bool_)
        for place, page in enumerate(pages):
            left = self._left_waiting.pop(page, None)
            if left is not None and left.retry_at is not None and left.retry_at > now:
                later[place] = True
                self._frontier.add_retrying(page, hosts[place], float(urgencies[place]), left.retry_at)
                self.hinterland.put_off(page)
        self._frontier.add(numbers[~later], at[~later], urgencies[~later], now)

    def _begin_work(self, count: int, last_visit: int) -> asyncio.Future[_Computed]:
        hinterland = self.hinterland
        hinterland.begin_estimate()
        moment = _Moment(self._now(), last_visit, hinterland.local_fetched, hinterland.outside_fetched)
        crawled = self._log.snapshot(self._known.local_mask(), self._known.hosts())
        candidates = self._known.candidates()
        candidates = candidates[self._is_worth_a_try()[crawled.hosts[candidates]]][: None if count else 0]
        if self._policy.needs_refresh and len(candidates):
            compute = self._policy.begin_refresh(crawled, candidates, count)
        else:
            provisional = hinterland.provisional(candidates)

            def compute() -> np.typing.NDArray[np.float64]:
                return provisional

        def work() -> _Computed:
            estimate = self._estimation.estimate(crawled)
            urgencies = compute()
            chosen = most_urgent(candidates, urgencies, count)
            places = np.searchsorted(candidates, chosen)
            of_chosen = dict(zip(chosen, urgencies[places].tolist(), strict=True))
            self._last = crawled, estimate
            return _Computed(moment, estimate, packed(estimate.pages, estimate.ranks), chosen, of_chosen)

        return asyncio.ensure_future(asyncio.to_thread(work))

    def _record(self, computed: _Computed) -> None:
        """Submitted after all visits it is made of, so whoever finds it in the store finds them, too."""
        estimate, moment, now = computed.estimate, computed.moment, self._now()
        self.hinterland.estimated(estimate.change, estimate.disagreement, moment.outside_pages)
        self._writer.submit(
            EstimateRecord(
                visit=moment.visit,
                local_pages=moment.local_pages,
                outside_pages=moment.outside_pages,
                estimator=estimate.estimator,
                change=estimate.change,
                disagreement=estimate.disagreement,
                seconds=now - moment.began,
                created_at=now,
                ranks=computed.ranks,
            )
        )

    async def last_estimate(self, last_visit: int) -> None:
        """When no visit is under way any more: bring the estimate up to date, and write out the ranks."""
        self.hinterland.close()
        if self._work is not None:
            computed, self._work = await self._work, None
            self._record(computed)
        if not self.hinterland.rounds:
            return
        # A run that was killed may have left the last estimate, but not yet its ranks.
        if self.hinterland.lacks_estimate or self._last is None:
            is_new = self.hinterland.lacks_estimate
            computed = await self._begin_work(0, last_visit)
            if is_new:
                self._record(computed)
        assert self._last is not None
        await self._writer.submit(*await asyncio.to_thread(rank_records, *self._last))

    def _is_worth_a_try(self) -> BoolArray:
        """Of each host, whether its pages may be chosen: not if they cannot be visited any more, and not while it fails
        and pages that will tell when it does so no more wait there. Shape (hosts,)."""
        is_out = self._frontier.closed_hosts().copy()
        is_out[[host for host in self._failing_hosts if host in self._pages_at]] = True
        return ~is_out

    def _look_for_closed_hosts(self) -> None:
        if self._closings != self._frontier.closings:
            self._closings = self._frontier.closings
            closed = self._frontier.closed_hosts()
            for host, pages in self._pages_at.items():
                if closed[host]:
                    self.hinterland.put_aside(pages)


def warm_up(estimator: str) -> None:
    """Estimate thrice on a web of four pages, so that nothing has to be compiled while a crawl is under way: before a
    page outside is crawled, after the first, and from the result before. See crawler.policies.warm_up for what a policy
    needs."""
    log, estimation = LinkLog(), Estimation(estimator)
    for page, outlinks in ((0, [1, 2]), (1, [0]), (2, [0, 3])):
        log.append(page, np.array(outlinks, np.int32))
        crawled = log.snapshot(np.arange(4) == 0, np.zeros(4, np.int32))
        rank_records(crawled, estimation.estimate(crawled))
