"""The predicted error of an estimate, on the ten pages of docs/estimates.md and on histories made by hand."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
import pytest

from hinterland.analysis.estimates.crawl_signs import CrawlSigns
from hinterland.analysis.estimates.error_constants import CONSTANTS
from hinterland.analysis.estimates.error_formula import predicted
from hinterland.analysis.estimates.estimate_error import (
    EstimateError,
    EstimateHistory,
    PastEstimate,
    informative_refreshes,
    place_intervals,
)
from hinterland.analysis.estimates.estimation import Estimate, Estimation
from hinterland.analysis.graph import FloatArray, Graph
from hinterland.analysis.link_log import LinkLog
from hinterland.analysis.pagerank import pagerank

TEN_PAGES = [[1, 2, 3], [0, 4], [0], [0, 5], [0, 6], [1, 7], [5, 8], [0, 3], [6, 9], [2]]
LOCAL = 3
INSIDE_RANK = 0.579
SIGNS = CrawlSigns(0.4, 0.3)
PAGES = np.arange(LOCAL, dtype=np.int32)


def estimates_of_the_ten_pages() -> list[Estimate]:
    """With 0, 1, 2 … pages outside crawled, in the order of their numbers."""
    log, estimation, found = LinkLog(), Estimation(), []
    for page, links in enumerate(TEN_PAGES):
        log.append(page, np.array(links, np.int32))
        if page + 1 >= LOCAL:
            known = 1 + max(page, *(max(each) for each in TEN_PAGES[: page + 1]))
            is_local = np.arange(known) < LOCAL
            crawled = log.snapshot(is_local, (~is_local).astype(np.int32))
            found.append(estimation.estimate(crawled, page + 1 - LOCAL))
    return found


def error_of(estimate: Estimate) -> EstimateError:
    assert estimate.error is not None
    return estimate.error


def past(outside_pages: int, *ranks: float) -> PastEstimate:
    return PastEstimate(outside_pages, np.arange(len(ranks), dtype=np.int32), np.array(ranks))


def test_the_example_of_the_documentation_comes_out_as_it_says() -> None:
    estimates = estimates_of_the_ten_pages()
    assert [estimates[m].ranks.round(4).tolist() for m in (3, 4, 5, 6)] == [
        [0.5204, 0.2990, 0.1805],
        [0.5114, 0.3102, 0.1784],
        [0.5419, 0.2732, 0.1848],
        [0.5390, 0.2778, 0.1832],
    ]
    error = error_of(estimates[6])
    assert error.revealed == pytest.approx(0.35 * 0.0648**0.6 + 0.4 / sqrt(6 + 5), abs=2e-4)
    assert error.signs == pytest.approx((INSIDE_RANK, 1 / 3), abs=1e-3)
    assert (error.l1, error.at_most, error.unlike) == predicted(error.revealed, error.signs, CONSTANTS)
    farthest = estimates[4].ranks
    spreads = np.exp(np.abs(np.log(estimates[6].ranks / farthest)) + CONSTANTS.of_pages * error.at_most)
    assert error.spreads == pytest.approx(spreads, rel=1e-6)
    assert error.after(3) == pytest.approx(error.l1 * ((6 + 3 + 0.6) / (6 + 0.6)) ** -CONSTANTS.decay)
    sources = np.repeat(np.arange(len(TEN_PAGES)), [len(row) for row in TEN_PAGES])
    truth = pagerank(Graph.from_links(sources, np.concatenate(TEN_PAGES), len(TEN_PAGES)))[:LOCAL]
    assert np.abs(estimates[6].ranks - truth / truth.sum()).sum() == pytest.approx(0.0910, abs=1e-4)


@pytest.mark.parametrize("local_pages", [0, 1, 2, 5, 100])
@pytest.mark.parametrize("outside_pages", [0, 1, 20])
def test_the_error_is_what_it_is_before_more_is_crawled_and_never_grows_after(
    local_pages: int, outside_pages: int
) -> None:
    error = EstimateError(0.5, 0.9, np.ones(local_pages), outside_pages)
    assert error.after(0) == error.l1
    assert (error.l1, *error.outlook()) == tuple(sorted((error.l1, *error.outlook()), reverse=True))


def test_an_estimate_after_which_nothing_moved_is_thought_nearer_than_one_that_was_corrected() -> None:
    still = EstimateHistory([past(each, 0.5, 0.5) for each in (0, 50, 100)]).error(
        120, PAGES[:2], np.array([0.5, 0.5]), SIGNS
    )
    moved = EstimateHistory([past(0, 0.5, 0.5), past(60, 0.5, 0.5), past(100, 0.3, 0.7)])
    corrected = moved.error(120, PAGES[:2], np.array([0.5, 0.5]), SIGNS)
    assert still is not None
    assert corrected is not None
    assert still.revealed == pytest.approx(0.4 / sqrt(125))
    assert corrected.revealed == pytest.approx(0.35 * 0.4**0.6 + 0.4 / sqrt(125), rel=1e-6)
    assert still.l1 < corrected.l1


def test_what_was_corrected_before_half_of_the_pages_were_there_counts_no_more() -> None:
    history = [past(0, 0.9, 0.1), past(20, 0.1, 0.9), past(50, 0.5, 0.5)]
    error = EstimateHistory(history).error(100, PAGES[:2], np.array([0.5, 0.5]), SIGNS)
    assert error is not None
    assert error.revealed == pytest.approx(0.4 / sqrt(105))


def test_pages_outside_without_any_earlier_refresh_leave_the_error_unknown() -> None:
    assert EstimateHistory().error(10, PAGES, np.full(3, 1 / 3), SIGNS) is None
    assert EstimateHistory().error(0, PAGES, np.full(3, 1 / 3), SIGNS) is not None


def test_pages_that_became_local_meanwhile_count_as_a_correction_and_have_no_movement_of_their_own() -> None:
    error = EstimateHistory([past(0, 0.5, 0.5)]).error(4, PAGES, np.array([0.5, 0.3, 0.2]), SIGNS)
    assert error is not None
    seen = 0.35 * 0.4**0.6
    assert error.revealed == pytest.approx(seen + 0.4 / 3)
    assert error.spreads[2] == pytest.approx(exp(CONSTANTS.of_pages * error.at_most))


def test_a_crawl_that_is_resumed_predicts_what_it_would_have_predicted() -> None:
    random = np.random.default_rng(1)
    counts = np.cumsum(random.integers(0, 9, 80)).tolist()
    history = [past(count, *random.dirichlet(np.ones(LOCAL))) for count in counts]
    now = random.dirichlet(np.ones(LOCAL))
    for end in range(1, len(history), 7):
        kept = [history[place] for place in informative_refreshes(counts[:end])]
        assert len(kept) < 20
        resumed, whole = (EstimateHistory(each).error(counts[end], PAGES, now, SIGNS) for each in (kept, history[:end]))
        assert resumed is not None
        assert whole is not None
        assert (resumed.l1, resumed.at_most) == (whole.l1, whole.at_most)
        assert np.array_equal(resumed.spreads, whole.spreads)


def test_more_pages_probably_leave_less() -> None:
    error = EstimateError(0.1, 0.3, np.ones(50), 25)
    once, twice, four_times = error.outlook()
    assert 0.1 > once > twice > four_times > 0


def places_one_by_one(ranks: FloatArray, spreads: FloatArray) -> list[tuple[int, int]]:
    narrow = spreads ** (1 / 3)
    low, high = ranks / narrow, ranks * narrow
    return [(1 + int((low > mine).sum()), int((high >= theirs).sum())) for mine, theirs in zip(high, low, strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_a_page_may_be_as_high_as_no_page_is_surely_above_it_and_as_low_as_it_is_surely_above_none(seed: int) -> None:
    random = np.random.default_rng(seed)
    ranks = np.round(random.dirichlet(np.ones(12)), 2) + 0.01
    spreads = 1 + random.random(12)
    highest, lowest = place_intervals(ranks, spreads)
    assert [*zip(highest.tolist(), lowest.tolist(), strict=True)] == places_one_by_one(ranks, spreads)
    places = 1 + np.searchsorted(np.sort(-ranks), -ranks)
    assert (highest <= places).all()
    assert (places <= lowest).all()
