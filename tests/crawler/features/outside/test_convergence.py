"""When an estimate has settled, and when the rounds of a hinterland say nothing of that."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hinterland.crawler.features.outside.convergence import LEAST_PAGES, ConvergenceCheck
from hinterland.crawler.features.outside.sampling_schedule import EarlierEstimate, SamplingSchedule
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.features.outside.statistics import SamplingPhase

LIMIT = 0.01
QUIET, LOUD = 0.001, 0.02
BATCH = 8


def settled_after(rounds: Sequence[tuple[float, int]], batch: int = BATCH) -> int | None:
    """After which round, counted from 1, the estimate has settled; each is how far it moved, and the pages fetched."""
    settling, outside = ConvergenceCheck(LIMIT), 0
    settling.begin(0)
    for number, (change, fetched) in enumerate(rounds, 1):
        outside += fetched
        settling.moved(change, outside, batch)
        if settling.is_settled:
            return number
    return None


def test_an_estimate_has_settled_after_two_quiet_rounds_running() -> None:
    assert settled_after([(QUIET, BATCH), (LOUD, BATCH), (QUIET, BATCH), (QUIET, BATCH)]) == 4


def test_rounds_in_which_no_page_was_fetched_say_nothing() -> None:
    assert settled_after([(0.0, 0)] * 50) is None
    assert settled_after([(QUIET, BATCH), *[(0.0, 0)] * 50, (QUIET, BATCH)]) == 52


def test_rounds_that_fetched_less_than_a_round_are_joined_and_what_they_moved_is_added_up() -> None:
    assert settled_after([(QUIET, BATCH // 2)] * 9) == 4
    assert settled_after([(0.4 * LIMIT, BATCH // 2)] * 9) == 4
    assert settled_after([(0.6 * LIMIT, BATCH // 2)] * 9) is None


def test_a_round_of_one_page_says_too_little_by_itself() -> None:
    assert settled_after([(QUIET, 1)] * 50, batch=1) == 2 * LEAST_PAGES


def test_a_page_that_became_local_takes_back_what_it_had_said() -> None:
    assert settled_after([(QUIET, BATCH), (0.0, -BATCH), (QUIET, BATCH), (QUIET, BATCH)]) == 4


def test_without_a_limit_nothing_settles() -> None:
    settling = ConvergenceCheck(0.0)
    for outside in range(0, 1000, BATCH):
        settling.moved(0.0, outside, BATCH)
    assert not settling.is_settled


def quiet_history(rounds: int, *, local_pages: int = 20) -> list[EarlierEstimate]:
    first = EarlierEstimate(local_pages, 0, None)
    return [first, *(EarlierEstimate(local_pages, BATCH * each, QUIET) for each in range(1, rounds + 1))]


def restored(
    history: Sequence[EarlierEstimate], *, local: int = 20, limit: float = LIMIT, done: bool = True
) -> SamplingSchedule:
    made = SamplingSchedule(HinterlandSettings(budget="200", refresh_pages=BATCH, until_change=limit))
    outside = history[-1].outside_pages
    made.restore(
        local_fetched=local, outside_fetched=outside, crawled_since_estimate=0, is_local_done=done, history=history
    )
    return made


def go_on(made: SamplingSchedule, change: float | None, fetched: int) -> bool:
    """One more round; whether the estimate has settled then."""
    made.begin_round(is_idle=True)
    for page in range(fetched):
        made.ended(page, is_fetched=True)
    made.begin_estimate()
    made.estimated(change, None, made.outside_fetched)
    made.end_round([])
    return made.is_settled


def test_a_crawl_that_had_settled_stays_so_when_it_is_resumed_and_wants_nothing_more() -> None:
    made = restored(quiet_history(2))
    assert made.is_settled
    assert made.room == 0
    assert made.rounds == 3


def test_a_resumed_crawl_counts_the_quiet_rounds_of_the_runs_before() -> None:
    made = restored(quiet_history(1))
    assert not made.is_settled
    assert go_on(made, QUIET, BATCH)


def test_a_restart_into_a_dead_web_does_not_settle_anything() -> None:
    made = restored(quiet_history(1))
    assert not any(go_on(made, 0.0, 0) for _ in range(20))


@pytest.mark.parametrize(
    "made",
    [
        restored(quiet_history(2), limit=QUIET / 2),
        restored(quiet_history(2), local=21),
        restored(quiet_history(2), done=False),
        restored([*quiet_history(2, local_pages=19), EarlierEstimate(20, 3 * BATCH, QUIET)]),
        restored([*quiet_history(2), EarlierEstimate(20, 2 * BATCH, None)]),
    ],
    ids=["less is asked for", "a page more", "not complete any more", "it grew", "another estimator"],
)
def test_what_was_quiet_of_another_domain_or_under_another_rule_counts_no_more(made: SamplingSchedule) -> None:
    assert not made.is_settled


def test_estimates_of_a_domain_that_is_still_being_crawled_do_not_settle_it() -> None:
    made = SamplingSchedule(HinterlandSettings(budget="200", refresh_pages=1, until_change=LIMIT, share=0.5))
    for page in range(40):
        made.fetched_local()
        made.begin_round(is_idle=False)
        made.ended(page, is_fetched=True)
        made.estimated(QUIET, None, made.outside_fetched)
        made.end_round([])
    assert made.phase is SamplingPhase.LOCAL
    assert not made.is_settled
