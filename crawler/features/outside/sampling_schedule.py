"""Decides which pages outside the local domain are fetched, and when. Pure.

The method is FindGlobalPR of Davis & Dhillon (KDD 2006).

    the local domain is crawled ──► round: estimate, choose k outside pages ──► they are fetched ──► round ... end

In a *round* the estimate is recomputed and the most urgent candidates are chosen, in another thread, while visits go
on. The next round is due as soon as k outside pages have been fetched since the last one. It is also due when half of
the last round's pages have an outcome and no more pages are waiting than are in flight: otherwise, fetching would stop
while the round runs. Pages set aside do not delay a round.

An outside page counts against the budget from its admission on, unless it turns out not to be an HTML page. If it
redirects, the target counts instead. A page that will be retried, or whose host is failing or given up, is set *aside*:
it does not count, and other pages may use the budget. When its next visit should begin, it counts again if the budget
allows; otherwise it is withdrawn and becomes a candidate again. So the budget is never exceeded, and dead hosts do not
keep it from being used up.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, nan

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.estimates.estimate_error import EstimateError
from hinterland.crawler.features.outside.budget import HinterlandBudget
from hinterland.crawler.features.outside.convergence import ConvergenceCheck
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.features.outside.statistics import HinterlandStatistics, SamplingPhase

IntArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]

_ROUNDS = 25


@dataclass(frozen=True, slots=True)
class EarlierEstimate:
    """An estimate that an earlier run made, and the numbers of pages it was based on.

    `change` is its L1 distance from the previous estimate by the current estimator, None if there is no such estimate.
    `error_at_most` bounds the L1 error with a probability of 0.9; None if no bound was predicted for the current
    estimator.
    """

    local_pages: int
    outside_pages: int
    change: float | None
    error_at_most: float | None = None


class SamplingSchedule:
    """The budget and the rounds of a crawl with outside pages. Mutable.

    It decides when a round is due and which pages may be admitted. Its caller must report the outcome of every page.
    """

    def __init__(self, settings: HinterlandSettings) -> None:
        """Start in the local phase."""
        self._settings = settings
        self._budget = HinterlandBudget.parse(settings.budget)
        self.phase = SamplingPhase.LOCAL
        self.local_fetched = 0
        self.outside_fetched = 0
        self.rounds = 0
        self.change: float | None = None
        self.disagreement: float | None = None
        self.error: EstimateError | None = None
        self._is_near = False
        self.is_in_round = False
        self._is_closed = False
        self._admitted = set[int]()  # without a final outcome, including those in flight
        self._aside = set[int]()  # the admitted pages without a place
        self._in_flight = set[int]()  # the admitted pages in flight
        self._chosen = deque[int]()
        self._fetched_since_round = 0
        self._heard_of_since_round = 0
        self._last_chosen = 0
        self._crawled_since_estimate = 0
        self._found_nothing = False
        self._has_news = True  # since the last round began
        self._settling = ConvergenceCheck(settings.until_change)
        self._provisional = array("d")

    # ---------------------------------------------------------------- events

    def crawled(self) -> None:
        """Note that the links of one more page are known."""
        self._crawled_since_estimate += 1
        self._has_news = True

    def fetched_local(self) -> None:
        """Count a local page that was fetched."""
        self.local_fetched += 1

    def begins(self, page: int) -> bool:
        """Return whether a visit to an admitted page may begin.

        If not, other pages have used up the budget, and the page becomes a candidate again.
        """
        if page in self._aside and not self.room:
            self._forget(page)
            self._has_news = True
            return False
        self._aside.discard(page)
        self._in_flight.add(page)
        return True

    def put_off(self, page: int) -> None:
        """Note that an outside page will be retried."""
        self._in_flight.discard(page)
        self.put_aside((page,))

    def put_aside(self, pages: Iterable[int]) -> None:
        """Set aside pages that may never be visited; skip pages that are not admitted or are in flight."""
        new = self._admitted.intersection(pages) - self._in_flight - self._aside
        self._aside |= new
        self._heard_of_since_round += len(new)

    def note_news(self) -> None:
        """Note that the next round may be able to choose pages that the last one could not."""
        self._has_news = True

    def ended(self, page: int, *, is_fetched: bool) -> None:
        """Note that the outcome of an outside page is final."""
        self._forget(page)
        self._heard_of_since_round += 1
        if is_fetched:
            self.outside_fetched += 1
            self._fetched_since_round += 1

    def admitted(self, pages: Iterable[int]) -> None:
        """Note that these outside pages are now waiting."""
        self._admitted.update(pages)

    def became_local(self, page: int, *, was_fetched: bool) -> None:
        """Note that an admitted outside page turned out to belong to the domain."""
        self._forget(page)
        if was_fetched:
            self.outside_fetched -= 1
            self.local_fetched += 1

    def _forget(self, page: int) -> None:
        for pages in (self._admitted, self._aside, self._in_flight):
            pages.discard(page)

    def add_candidates(self, pages: Sequence[int], urgencies: FloatArray) -> None:
        """Note new candidates and their urgencies, shape (k,), which came from a policy without refreshes."""
        known = self._provisional
        if pages and max(pages) >= len(known):
            known.extend([nan] * (max(max(pages) + 1, 2 * len(known)) - len(known)))
        for page, urgency in zip(pages, urgencies.tolist(), strict=True):
            known[page] = urgency

    def provisional(self, pages: IntArray) -> FloatArray:
        """Return the urgencies of these pages that `add_candidates` noted, shape (k,)."""
        return np.frombuffer(self._provisional, np.float64)[pages] if len(pages) else np.empty(0)

    # ---------------------------------------------------------------- places in the budget

    @property
    def budget(self) -> int:
        """How many outside pages may be fetched, given the number of local pages fetched so far."""
        return self._budget.of(self.local_fetched)

    @property
    def batch(self) -> int:
        """k, the number of pages that a round chooses."""
        return self._settings.refresh_pages or max(1, ceil(self.budget / _ROUNDS))

    @property
    def room(self) -> int:
        """How many more pages may be admitted or chosen."""
        if self._is_closed or self.is_settled:
            return 0
        return max(self.budget - self.outside_fetched - self._waiting_for_a_visit - len(self._in_flight), 0)

    @property
    def _waiting_for_a_visit(self) -> int:
        """How many pages, admitted or chosen, count against the budget and are not in flight."""
        return len(self._admitted) - len(self._aside) - len(self._in_flight) + len(self._chosen)

    @property
    def is_interleaved(self) -> bool:
        """Whether outside pages are limited to a share of the visits because the domain is still being crawled."""
        return self._settings.share > 0 and self.phase is SamplingPhase.LOCAL

    def take_chosen(self, at_most: int) -> list[int]:
        """Remove and return chosen pages that may be admitted now, at most `at_most`, most urgent first."""
        count = min(len(self._chosen), at_most)
        if self.is_interleaved:
            share = self._settings.share
            allowed = int(self.local_fetched * share / (1 - share) + 1e-9)
            count = min(count, allowed - self.outside_fetched - len(self._admitted) + len(self._aside))
        return [self._chosen.popleft() for _ in range(max(count, 0))]

    # ---------------------------------------------------------------- rounds

    @property
    def has_only_pages_aside(self) -> bool:
        """Whether the budget is used up and all admitted pages are set aside."""
        return not (self.room or self._chosen or self.is_in_round or self._is_closed) and (
            self.phase is SamplingPhase.HINTERLAND and len(self._aside) == len(self._admitted)
        )

    def is_due(self, *, is_idle: bool) -> bool:
        """Return whether a round should begin.

        `is_idle` says that nothing is in flight, and that all waiting pages are retries or on failing hosts.
        """
        if self.is_in_round or self.is_settled or self._is_closed:
            return False
        if is_idle:
            if self.phase is SamplingPhase.LOCAL:
                return self.local_fetched > 0
            return self.room > 0 and (self._has_news or not self._found_nothing)
        if self.phase is SamplingPhase.LOCAL and not self.is_interleaved:
            return False
        if not self.room:
            return False
        if self._fetched_since_round >= self.batch:
            return True
        if self.is_interleaved and self._found_nothing:
            return self._crawled_since_estimate >= self.batch
        has_taught = 2 * self._heard_of_since_round >= self._last_chosen
        return not self._found_nothing and has_taught and self._waiting_for_a_visit <= len(self._in_flight)

    def begin_round(self, *, is_idle: bool) -> int:
        """Begin a round; return how many pages it must choose."""
        if is_idle:
            self.phase = SamplingPhase.HINTERLAND
        self.is_in_round, self._has_news = True, False
        self._fetched_since_round = self._heard_of_since_round = 0
        return min(self.batch, self.room)

    def begin_estimate(self) -> None:
        """Note that an estimate based on everything crawled so far begins."""
        self._crawled_since_estimate = 0

    def estimated(
        self,
        change: float | None,
        disagreement: float | None,
        outside_pages: int,
        error: EstimateError | None = None,
    ) -> None:
        """Take over the result of an estimate that was based on `outside_pages` outside pages."""
        self.rounds += 1
        self.change, self.disagreement, self.error = change, disagreement, error
        if self.phase is SamplingPhase.HINTERLAND and error is not None:
            self._is_near |= self._is_enough(outside_pages, error.at_most)
        if change is None or self.phase is SamplingPhase.LOCAL:
            self._settling.begin(outside_pages)
        else:
            self._settling.moved(change, outside_pages, self.batch)

    @property
    def is_settled(self) -> bool:
        """Whether the estimate has stopped changing or is probably close enough, which ends the sampling.

        The limits are hinterland.until_change and hinterland.until_error.
        """
        return self._is_near or self._settling.is_settled

    def end_round(self, chosen: Sequence[int]) -> None:
        """End a round that has chosen these pages, most urgent first."""
        self._chosen.extend(chosen[: self.room])
        self._last_chosen = len(chosen)
        self._found_nothing = not chosen
        self.is_in_round = False

    def restore(
        self,
        *,
        local_fetched: int,
        outside_fetched: int,
        crawled_since_estimate: int,
        is_local_done: bool,
        history: Sequence[EarlierEstimate] = (),
    ) -> None:
        """Continue from a store; `history` holds all its estimates, oldest first."""
        self._crawled_since_estimate = crawled_since_estimate
        self.local_fetched, self.outside_fetched, self.rounds = local_fetched, outside_fetched, len(history)
        if is_local_done and (history or outside_fetched):
            self.phase = SamplingPhase.HINTERLAND
            self._retrace(history)

    def _retrace(self, history: Sequence[EarlierEstimate]) -> None:
        """Replay the history under the current settings, to find how far the estimate has converged."""
        last: EarlierEstimate | None = None
        for each in history:
            # Estimates of different numbers of local pages are not comparable.
            if last is None or each.change is None or each.local_pages != last.local_pages:
                self._settling.begin(each.outside_pages)
            else:
                self._settling.moved(each.change, each.outside_pages, self.batch)
            last = each
        if last is not None and last.local_pages != self.local_fetched:
            self._settling.begin(last.outside_pages)
        now = (each for each in history if each.local_pages == self.local_fetched)
        bounds = ((each.outside_pages, each.error_at_most) for each in now)
        self._is_near = any(bound is not None and self._is_enough(outside, bound) for outside, bound in bounds)

    def _is_enough(self, outside_pages: int, at_most: float) -> bool:
        """Return whether the error bound is small enough, and at least as many outside as local pages were fetched."""
        return outside_pages >= max(self.local_fetched, 1) and at_most <= self._settings.until_error

    @property
    def lacks_estimate(self) -> bool:
        """Whether pages were crawled after the last estimate; False without an estimate."""
        return self.rounds > 0 and self._crawled_since_estimate > 0

    def close(self) -> None:
        """Choose no more pages."""
        self._is_closed = True

    def statistics(self, estimator: str) -> HinterlandStatistics:
        """Return the progress of the sampling."""
        return HinterlandStatistics(
            phase=self.phase.value,
            pages_fetched=self.outside_fetched,
            budget=self.budget,
            waiting=len(self._admitted) + len(self._chosen),
            rounds=self.rounds,
            estimator=estimator,
            change=self.change,
            disagreement=self.disagreement,
            error=None if self.error is None else self.error.l1,
            error_at_most=None if self.error is None else self.error.at_most,
            unlike=() if self.error is None else self.error.unlike,
            outlook=None if self.error is None else self.error.outlook(),
        )


def most_urgent(pages: IntArray, urgencies: FloatArray, count: int) -> list[int]:
    """Return the `count` most urgent pages, most urgent first. Ties are broken by the order of discovery.

    Raises ValueError for an urgency that is NaN.
    """
    if np.isnan(urgencies).any():
        raise ValueError("an urgency is NaN: the policy must return a number for every page")
    return [int(page) for page in pages[np.lexsort((pages, -urgencies))[:count]]]
