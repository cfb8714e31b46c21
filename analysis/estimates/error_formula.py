"""The formula of the predicted error, without its constants; these are in `error_constants`.

    log ê = intercept + Σ weight · observation

An observation outside the range in which the constants were learnt counts as the end of that range. Then the crawl is
*unlike* those that it was learnt from, and the bound is wider.
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
"""What is observed, in the order of the weights, in the words of messages."""

MOST: Final = 2.0
"""The largest L1 distance between two distributions."""


class ErrorConstants(NamedTuple):
    """What was learnt from crawls of known webs.

    `weights`, `lowest` and `highest` have one entry per observation. Nine in ten errors are below b, which is ê
    exp(`bound`), and in crawls unlike those ê exp(`bound_if_unlike`), but at least `least` and at most MOST: below
    `least` no crawl can tell. Nine in ten pages have a rank within exp(move + `of_pages` · b) of the estimate, and nine
    in ten of the first pages a place within a third of the exponent move + `of_places` · b. After k more pages, ê (1 +
    k / (m + n/5))^-`decay` is left.
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
    """A predicted L1 distance, its bound that holds nine times in ten, and by what the crawl is unlike those known.

    `unlike` holds entries of OBSERVATIONS.
    """

    l1: float
    at_most: float
    unlike: Sequence[str]


def observed(revealed: float, signs: CrawlSigns) -> tuple[float, ...]:
    """Return what is observed of a crawl; `revealed` is what its corrections reveal, above 0."""
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
