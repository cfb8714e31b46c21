"""The formula of the predicted error. Its constants are in `error_constants`.

    log ê = intercept + Σ weight · observation

If an observation is outside the range in which the constants were learnt, the nearest end of that range is used. The
crawl then counts as *unlike* the crawls from which the constants were learnt, and its bound is wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final, NamedTuple

from hinterland.analysis.estimates.crawl_signs import CrawlSigns

OBSERVATIONS: Final = (
    "how far the estimate moved, for the number of pages outside",
    "the share of the site's PageRank that its own links give",
    "the share of the site's links that lead out",
)
"""The observations, as messages name them, in the order of their weights."""

MOST: Final = 2.0
"""The largest L1 distance between two distributions."""


class ErrorConstants(NamedTuple):
    """The constants that were learnt from crawls of completely known webs.

    `weights`, `lowest` and `highest` have one entry per observation. Nine in ten errors are below b = ê exp(`bound`),
    or b = ê exp(`bound_if_unlike`) for crawls unlike those. b is at least `least`, since no crawl can show that its
    error is smaller, and at most MOST.

    For nine in ten pages, the true rank is within a factor exp(move + `of_pages` · b) of the estimate. A page's place
    in the ranking gets a narrower interval: a third of the exponent move + `of_places` · b. It holds for nine in ten of
    the first pages. After k more pages, the error is ê (1 + k / (m + n/5))^-`decay`.
    """

    intercept: float
    weights: Sequence[float]
    lowest: Sequence[float]
    highest: Sequence[float]
    bound: float
    bound_if_unlike: float
    least: float
    of_pages: float
    of_places: float
    decay: float


class Prediction(NamedTuple):
    """A predicted L1 distance, and a bound that is met nine times in ten.

    `unlike` holds the OBSERVATIONS that are outside the range in which the constants were learnt.
    """

    l1: float
    at_most: float
    unlike: Sequence[str]


def observed(revealed: float, signs: CrawlSigns) -> tuple[float, ...]:
    """Return the observations of a crawl. `revealed`, above 0, is what the corrections of its estimate reveal."""
    return log(revealed), signs.inside_rank, signs.outward_links


def predicted(revealed: float, signs: CrawlSigns, constants: ErrorConstants) -> Prediction:
    """Return the predicted error of a crawl."""
    exponent, unlike = constants.intercept, list[str]()
    columns = (OBSERVATIONS, observed(revealed, signs), constants.weights, constants.lowest, constants.highest)
    for name, value, weight, lowest, highest in zip(*columns, strict=True):
        exponent += weight * min(max(value, lowest), highest)
        if not lowest <= value <= highest:
            unlike.append(name)
    bound = exp(exponent + (constants.bound_if_unlike if unlike else constants.bound))
    return Prediction(min(exp(exponent), MOST), min(max(bound, constants.least), MOST), unlike)
