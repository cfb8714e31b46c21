"""The formula of the predicted error, with constants made by hand."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.analysis.estimates.crawl_signs import CrawlSigns
from hinterland.analysis.estimates.error_constants import CONSTANTS
from hinterland.analysis.estimates.error_formula import MOST, OBSERVATIONS, ErrorConstants, predicted
from hinterland.crawler.features.outside.settings import LEAST_UNTIL_ERROR

BY_HAND = ErrorConstants(
    intercept=0.1,
    weights=(1.0, 0.5, 2.0),
    lowest=(log(0.01), 0.1, 0.0),
    highest=(log(0.5), 0.8, 0.6),
    bound=1.0,
    bound_if_unlike=1.5,
    least=0.05,
    of_pages=1.0,
    of_places=0.5,
    decay=0.2,
)
shares = st.floats(0, 1)


def test_the_logarithm_is_a_sum_and_the_bound_a_multiple() -> None:
    l1, at_most, unlike = predicted(0.1, CrawlSigns(0.5, 0.3), BY_HAND)
    assert l1 == pytest.approx(0.1 * exp(0.1 + 0.25 + 0.6))
    assert at_most == pytest.approx(l1 * exp(1.0))
    assert not unlike


def test_a_crawl_out_of_range_counts_as_the_nearest_in_it_has_a_wider_bound_and_says_by_what_it_is_unlike() -> None:
    at_the_end = predicted(0.1, CrawlSigns(0.8, 0.3), BY_HAND)
    beyond = predicted(0.1, CrawlSigns(0.9, 0.3), BY_HAND)
    assert beyond.l1 == at_the_end.l1
    assert beyond.at_most == pytest.approx(at_the_end.at_most * exp(0.5))
    assert (at_the_end.unlike, beyond.unlike) == ([], [OBSERVATIONS[1]])


def test_no_bound_is_below_the_least_that_a_crawl_can_tell() -> None:
    assert predicted(0.01, CrawlSigns(0.1, 0.0), BY_HAND).at_most == BY_HAND.least


@given(st.floats(1e-6, 10), shares, shares)
def test_with_the_constants_of_the_product_bounds_are_above_what_is_predicted_and_possible(
    revealed: float, inside_rank: float, outward_links: float
) -> None:
    l1, at_most, _ = predicted(revealed, CrawlSigns(inside_rank, outward_links), CONSTANTS)
    assert 0 < l1 <= at_most <= MOST
    assert at_most >= CONSTANTS.least


@given(st.floats(1e-6, 5), st.floats(1, 2), shares, shares)
def test_larger_corrections_never_mean_a_smaller_error(
    revealed: float, more: float, inside_rank: float, outward_links: float
) -> None:
    signs = CrawlSigns(inside_rank, outward_links)
    assert predicted(revealed * more, signs, CONSTANTS).l1 >= predicted(revealed, signs, CONSTANTS).l1


def test_the_least_limit_that_is_offered_is_the_least_that_is_told() -> None:
    assert CONSTANTS.least == LEAST_UNTIL_ERROR
