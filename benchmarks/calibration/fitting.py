"""Fits the constants of the predicted error to crawls, and says how they do on webs that were left out.

Every web weighs the same, however many crawls of it there are, up to the point where it has few. A group of webs that
come from one source, such as several queries to one search engine, is left out together and weighs as one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.calibration.crawls import QUANTILES, WIDTHS, Crawl, Seen
from hinterland.analysis.estimates.error_formula import MOST, ErrorConstants, observed
from hinterland.analysis.graph import BoolArray, FloatArray

MOMENTS: Final = (0.1, 0.25, 0.5, 1.0, 2.0)
"""When a crawl is looked at: pages outside, in multiples of n."""
LEAST: Final = 1e-3
"""Smaller errors count as this one: nobody asks which of them it is."""
COVER: Final = 0.9
_RIDGE: Final = 0.05
_FEWEST: Final = 20
"""A web with fewer moments weighs less in proportion."""
_FACTORS: Final = (0.02, 5.0)
_TAIL: Final = 0.005
"""The share of moments, on each side, that the range of an observation leaves out."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of crawls as parallel arrays.

    `values` has shape (k, 3): `observed`. `true` holds the logarithm of the true error, `groups` names what is left out
    together, `weights` gives each group the same weight.
    """

    crawls: Sequence[Crawl]
    seen: Sequence[Seen]
    values: FloatArray
    true: FloatArray
    groups: np.typing.NDArray[np.str_]
    weights: FloatArray

    def only(self, chosen: BoolArray) -> Moments:
        """Return the chosen moments, with the same weights."""
        places = np.flatnonzero(chosen).tolist()
        return Moments(
            [self.crawls[place] for place in places],
            [self.seen[place] for place in places],
            self.values[chosen],
            self.true[chosen],
            self.groups[chosen],
            self.weights[chosen],
        )


def moments(crawls: Sequence[Crawl], group_of: Callable[[str], str], when: Sequence[float] | None = MOMENTS) -> Moments:
    """Return the moments of all crawls with pages outside: those of `when`, or all refreshes if it is None."""
    chosen = list[tuple[Crawl, Seen]]()
    for crawl in crawls:
        seen = crawl.refreshes if when is None else [crawl.near(each * crawl.n) for each in when]
        unique = {one.outside: one for one in seen if one.outside}
        chosen += [(crawl, one) for one in unique.values()]
    values = np.array([observed(one.revealed, one.signs) for _, one in chosen])
    true = np.log([max(one.true, LEAST) for _, one in chosen])
    groups = np.array([group_of(crawl.graph) for crawl, _ in chosen])
    names, counts = np.unique(groups, return_counts=True)
    of_each = dict(zip(names.tolist(), counts.tolist(), strict=True))
    weights = np.array([1 / max(of_each[group], _FEWEST) for group in groups.tolist()])
    return Moments([crawl for crawl, _ in chosen], [one for _, one in chosen], values, true, groups, weights)


@dataclass(frozen=True, eq=False)
class _Line:
    """A fitted line: the intercept, the weights, and the range of each observation."""

    intercept: float
    weights: FloatArray
    lowest: FloatArray
    highest: FloatArray

    def at(self, values: FloatArray) -> FloatArray:
        """Return the predicted logarithms."""
        found: FloatArray = self.intercept + np.clip(values, self.lowest, self.highest) @ self.weights
        return np.minimum(found, np.log(MOST))

    def is_unlike(self, values: FloatArray) -> BoolArray:
        """Return which moments are outside the range."""
        is_outside: BoolArray = (values < self.lowest) | (values > self.highest)
        return np.asarray(is_outside.any(axis=1))


def _line(at: Moments) -> _Line:
    """Fit by least squares of the logarithms, with a ridge on standardised observations."""
    shares = at.weights / at.weights.sum()
    ends = [weighted_quantiles(column, shares, (_TAIL, 1 - _TAIL)) for column in at.values.T]
    lowest, highest = np.array(ends).T
    values = np.clip(at.values, lowest, highest)
    means = shares @ values
    scales = np.sqrt(shares @ (values - means) ** 2) + 1e-9
    standard = (values - means) / scales
    gram = (standard * shares[:, None]).T @ standard + _RIDGE * np.eye(len(scales))
    mean = float(shares @ at.true)
    weights = np.linalg.solve(gram, (standard * shares[:, None]).T @ (at.true - mean)) / scales
    return _Line(mean - float(means @ weights), weights, lowest, highest)


def weighted_quantiles(values: FloatArray, weights: FloatArray, shares: Sequence[float]) -> list[float]:
    """Return the values below which these shares of the weight lie."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    places = np.minimum(np.searchsorted(reached, shares), len(order) - 1)
    return [float(each) for each in values[order][places]]


def _left_out(at: Moments) -> tuple[FloatArray, BoolArray]:
    """Return the predicted logarithm of each moment by the line of the other groups, and whether it is unlike these."""
    found, is_unlike = np.empty(len(at.true)), np.zeros(len(at.true), np.bool_)
    for group in np.unique(at.groups):
        is_out = at.groups == group
        line = _line(at.only(~is_out))
        found[is_out], is_unlike[is_out] = line.at(at.values[is_out]), line.is_unlike(at.values[is_out])
    return found, is_unlike


def fitted(at: Moments) -> ErrorConstants:
    """Return the constants learnt from these moments.

    The widths are quantiles of what the lines of the other groups miss in each group, so the differences between webs
    are in them. A crawl unlike all those seen gets the width that the worst of the webs needed.
    """
    line = _line(at)
    left_out, is_unlike = _left_out(at)
    missed = at.true - left_out
    bound = weighted_quantiles(missed[~is_unlike], at.weights[~is_unlike], [COVER])[0]
    wider = max(bound, _of_the_worst(missed, at))
    bounds = np.minimum(np.exp(left_out + np.where(is_unlike, wider, bound)), MOST)
    least = _least(bounds, at)
    np.maximum(bounds, least, out=bounds)
    return ErrorConstants(
        intercept=line.intercept,
        weights=tuple(line.weights.tolist()),
        lowest=tuple(line.lowest.tolist()),
        highest=tuple(line.highest.tolist()),
        bound=bound,
        bound_if_unlike=wider,
        least=least,
        of_pages=_factor(lambda factor: covered_pages(at.seen, factor * bounds), at.weights),
        of_places=_factor(lambda factor: covered_places(at.seen, factor * bounds), at.weights),
        decay=_decay(at),
    )


def _of_the_worst(missed: FloatArray, at: Moments) -> float:
    """Return the width that holds as often as wanted in the web where it has to be largest."""
    groups, counts = np.unique(at.groups, return_counts=True)
    chosen = [at.groups == group for group in groups[counts >= _FEWEST].tolist()]
    return max((weighted_quantiles(missed[each], at.weights[each], [COVER])[0] for each in chosen), default=0.0)


def _least(bounds: FloatArray, at: Moments) -> float:
    """Return the least limit that errors keep to as often as wanted where the bound is below it, to 0.05."""
    for limit in np.arange(0.01, MOST, 0.01).tolist():
        is_told = bounds < limit
        if np.count_nonzero(is_told) >= _FEWEST:
            keeps = at.true[is_told] <= np.log(limit)
            if float(np.average(keeps, weights=at.weights[is_told])) >= COVER:
                return float(round(20 * limit)) / 20
    return MOST


def _factor(covered: Callable[[float], FloatArray], weights: FloatArray) -> float:
    """Return the least factor, to 1 %, with which the wanted share is covered in the mean over groups."""
    least, most = _FACTORS
    while most > 1.01 * least:
        middle = (least * most) ** 0.5
        if float(np.average(covered(middle), weights=weights)) >= COVER:
            most = middle
        else:
            least = middle
    return most


def covered_pages(seen: Sequence[Seen], exponents: FloatArray) -> FloatArray:
    """Return the share of pages that are within these exponents, beyond their own movement, at each moment."""
    shares = (0.0, *QUANTILES, 1.0)
    found = [
        np.interp(exponent, (one.pages[0] - 1, *one.pages, one.pages[-1] + 1), shares)
        for one, exponent in zip(seen, exponents.tolist(), strict=True)
    ]
    return np.array(found)


def covered_places(seen: Sequence[Seen], exponents: FloatArray) -> FloatArray:
    """Return the share of the first places that are covered with these exponents."""
    widths = np.log(WIDTHS)
    found = [
        np.interp(np.log(exponent), widths, one.places) for one, exponent in zip(seen, exponents.tolist(), strict=True)
    ]
    return np.array(found)


def _decay(at: Moments) -> float:
    """Return the exponent of the error's fall: the weighted median over pairs of moments of a crawl."""
    falls, weights = list[float](), list[float]()
    for crawl, one, weight in zip(at.crawls, at.seen, at.weights.tolist(), strict=True):
        then = crawl.near(one.outside + crawl.n)
        if then.outside > one.outside:
            begun = max(one.outside + crawl.n / 5, 1.0)
            lessened = np.log(max(one.true, LEAST) / max(then.true, LEAST))
            falls.append(float(lessened / np.log1p((then.outside - one.outside) / begun)))
            weights.append(weight)
    return max(weighted_quantiles(np.array(falls), np.array(weights), [0.5])[0], 0.0) if falls else 0.0
