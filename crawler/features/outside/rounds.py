"""Runs the sampling rounds, which estimate PageRank and choose pages, in another thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimation import Estimate, Estimation
from hinterland.analysis.link_log import LinkLog
from hinterland.analysis.rank_codec import packed
from hinterland.crawler.features.outside.outside_pages import OutsidePages
from hinterland.crawler.features.outside.rank_records import rank_records
from hinterland.crawler.features.outside.sampling_schedule import most_urgent
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.loop.preparation import Preparation
from hinterland.storage.record_writer import RecordWriter
from hinterland.storage.values.records import EstimateRecord


@dataclass(frozen=True, slots=True)
class _Moment:
    """The state of the crawl that an estimate describes: its last visit, and the numbers of pages fetched by then."""

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
    """Runs rounds. For when a round is due and what it chooses see crawler.features.outside.sampling_schedule."""

    def __init__(
        self,
        outside: OutsidePages,
        estimation: Estimation,
        *,
        known: KnownPages,
        policy: FrontierPolicy,
        log: LinkLog,
        writer: RecordWriter,
        now: Callable[[], float],
        preparation: Preparation,
    ) -> None:
        """Prepare, without starting a round; `now` returns epoch seconds."""
        self._outside = outside
        self._schedule = outside.schedule
        self._estimation = estimation
        self._known = known
        self._policy = policy
        self._log = log
        self._writer = writer
        self._now = now
        self._preparation = preparation
        self._work: asyncio.Future[_Computed] | None = None
        self._last: tuple[CrawledGraph, Estimate] | None = None

    @property
    def is_due(self) -> bool:
        """Whether a round should begin now."""
        return self._outside.is_wanted and self._preparation.is_ready

    async def run(self, last_visit: int) -> None:
        """Run one round: estimate, choose, admit. `last_visit` is the last visit whose outcome is known."""
        outside = self._outside
        outside.is_wanted = False
        count = self._schedule.begin_round(is_idle=outside.is_idle)
        self._work = self._begin_work(count, last_visit)
        computed = await asyncio.shield(self._work)
        self._work = None
        self._record(computed)
        outside.end_round(computed.chosen, computed.urgencies)
        while (admitted := outside.admit_chosen(self._now())) is not None:
            self._writer.submit(admitted)
            await asyncio.sleep(0)  # visits go on between two pieces of a large batch

    def _begin_work(self, count: int, last_visit: int) -> asyncio.Future[_Computed]:
        schedule = self._schedule
        schedule.begin_estimate()
        moment = _Moment(self._now(), last_visit, schedule.local_fetched, schedule.outside_fetched)
        crawled = self._log.snapshot(self._known.local_mask(), self._known.hosts())
        candidates = self._known.candidates()
        candidates = candidates[self._outside.is_worth_a_try()[crawled.hosts[candidates]]][: None if count else 0]
        if self._policy.needs_refresh and len(candidates):
            compute = self._policy.begin_refresh(crawled, candidates, count)
        else:
            provisional = schedule.provisional(candidates)

            def compute() -> np.typing.NDArray[np.float64]:
                return provisional

        def work() -> _Computed:
            estimate = self._estimation.estimate(crawled, moment.outside_pages)
            urgencies = compute()
            chosen = most_urgent(candidates, urgencies, count)
            places = np.searchsorted(candidates, chosen)
            of_chosen = dict(zip(chosen, urgencies[places].tolist(), strict=True))
            self._last = crawled, estimate
            return _Computed(moment, estimate, packed(estimate.pages, estimate.ranks), chosen, of_chosen)

        return asyncio.ensure_future(asyncio.to_thread(work))

    def _record(self, computed: _Computed) -> None:
        """Submit the estimate after all visits that it is based on, so the store never has it without them."""
        estimate, moment, now = computed.estimate, computed.moment, self._now()
        error = estimate.error
        self._schedule.estimated(estimate.change, estimate.disagreement, moment.outside_pages, error)
        self._writer.submit(
            EstimateRecord(
                visit=moment.visit,
                local_pages=moment.local_pages,
                outside_pages=moment.outside_pages,
                estimator=estimate.estimator,
                change=estimate.change,
                disagreement=estimate.disagreement,
                error=None if error is None else error.l1,
                error_at_most=None if error is None else error.at_most,
                seconds=now - moment.began,
                created_at=now,
                ranks=computed.ranks,
            )
        )

    async def last_estimate(self, last_visit: int) -> None:
        """Bring the estimate up to date and write the ranks; no visit may be in flight."""
        self._schedule.close()
        if self._work is not None:
            computed, self._work = await self._work, None
            self._record(computed)
        if not self._schedule.rounds:
            return
        # A run that was killed may have stored the last estimate but not its ranks.
        if self._schedule.lacks_estimate or self._last is None:
            await self._preparation.wait()
            is_new = self._schedule.lacks_estimate
            computed = await self._begin_work(0, last_visit)
            if is_new:
                self._record(computed)
        assert self._last is not None
        await self._writer.submit(*await asyncio.to_thread(rank_records, *self._last))
