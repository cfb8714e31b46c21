"""Divides a budget of visits among pages, and computes the freshness and age that the budget brings.

A policy derives the wait between two visits to a page from a *price* of a visit, the same for all pages. The price is
chosen so that the budget is used up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, isinf, log
from typing import Final

import numpy as np

from hinterland.crawler.features.recrawl.notices import PageNotices, thresholds
from hinterland.crawler.features.recrawl.policy import FloatArray, RevisitPolicy

_BISECTIONS: Final = 60
_PRICE_TOLERANCE: Final = 1e-4
"""Tolerance of the logarithm of the price."""
_LEAST_RATE: Final = 1e-12
"""In changes per second: one in 30,000 years. Lower rates count as this one, as they cannot be measured."""
_CHUNK: Final = 8_192
"""How many pages are handled together, so that the arrays of one step fit into the processor's cache."""
_MOST_SPENT_ON_THE_BOUND: Final = 0.5
_PLANNED_SHARE: Final = 7 / 8


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of the wait between two visits to a page, in seconds.

    No wait is shorter than `shortest`. None is longer than `longest`, unless the budget is too small for that.
    """

    shortest: float
    longest: float

    def __post_init__(self) -> None:
        """Raise ValueError unless 0 < shortest <= longest."""
        if not 0 < self.shortest <= self.longest:
            raise ValueError(f"waits from {self.shortest} to {self.longest} s: expected 0 < shortest <= longest")

    def within(self, budget: float, page_count: int) -> Bounds:
        """Return the bounds to plan with for a budget of `budget` visits per second.

        The longest wait is planned an eighth shorter, to allow for delays. It is lengthened if more than half of the
        budget would be needed to keep to it for `page_count` pages.
        """
        payable = page_count / (_MOST_SPENT_ON_THE_BOUND * budget)
        return Bounds(self.shortest, max(_PLANNED_SHARE * self.longest, payable, self.shortest))


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a budget brings in the long run, if pages change at the learnt rates.

    `budget` is in visits per second. `freshness` is the share of pages, weighted by importance, whose copy is current.
    `age` is the mean, weighted by importance, of the seconds since a copy was last current (0 if it is current now).
    `longest_wait` is the bound of the wait between two visits, in seconds, that the budget can pay for.
    """

    budget: float
    freshness: float
    age: float
    longest_wait: float


def price_of(
    policy: RevisitPolicy, budget: float, rates: FloatArray, importance: FloatArray, bounds: Bounds, start: float = 1.0
) -> float:
    """Return the price at which the pages together are visited `budget` times per second.

    `rates` and `importance` have shape (n,). The price is 0 if the budget is enough for the shortest waits of all
    pages, and inf if it is not even enough for the longest waits. The search begins at `start`, such as an earlier
    price.
    """
    if not len(rates) or isinf(budget) or len(rates) <= budget * bounds.shortest:
        return 0.0
    if budget <= len(rates) / bounds.longest:
        return float("inf")

    def is_too_cheap(price: float) -> bool:
        """Return whether this price leads to more visits than the budget allows."""
        return float((1 / bounded_waits(policy, price, rates, importance, bounds)).sum()) > budget

    return _least_price(is_too_cheap, start)


def price_now(
    policy: RevisitPolicy,
    visits: float,
    elapsed: FloatArray,
    rates: FloatArray,
    importance: FloatArray,
    bounds: Bounds,
    notices: PageNotices,
    *,
    start: float = 1.0,
) -> float:
    """Return the lowest price at which at most `visits` of these pages are due; all arrays have shape (n,).

    The last visit to each page was `elapsed` seconds ago. When too many pages are due, after many signals at once or a
    cut of the budget, this price lets the pages that matter most go first.
    """
    undecided = np.arange(len(rates))
    sure = 0

    def is_too_cheap(price: float) -> bool:
        """Return whether the pages due at this price are more than `visits`.

        `sure` counts the pages that are due at all prices still to be tried. Pages that are due at none of these prices
        are no longer examined.
        """
        nonlocal sure, undecided
        chosen = slice(None) if len(undecided) == len(rates) else undecided  # copying all of them takes long
        waits = bounded_waits(policy, price, rates[chosen], importance[chosen], bounds, notices.of(chosen))
        is_due = waits <= elapsed[chosen]
        due_count = sure + int(np.count_nonzero(is_due))
        if due_count > visits:
            undecided = undecided[is_due]
            return True
        sure, undecided = due_count, undecided[~is_due]
        return False

    if not is_too_cheap(0.0):
        return 0.0
    return float("inf") if is_too_cheap(float("inf")) else _least_price(is_too_cheap, start)


def _least_price(is_too_cheap: Callable[[float], bool], start: float) -> float:
    """Return the lowest price that is not too cheap, found by bisection of its logarithm, from `start`."""
    here = log(start) if 0 < start < float("inf") else 0.0
    low, high, step = here, here, 0.25
    if is_too_cheap(exp(here)):
        while is_too_cheap(exp(high)) and high < 600:
            low, high, step = high, high + step, 2 * step
    else:
        while not is_too_cheap(exp(low)) and low > -600:
            low, high, step = low - step, low, 2 * step
    for _ in range(_BISECTIONS):
        if high - low <= _PRICE_TOLERANCE:
            break
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_cheap(exp(middle)) else (low, middle)
    return exp(high)


def bounded_waits(
    policy: RevisitPolicy,
    price: float,
    rates: FloatArray,
    importance: FloatArray,
    bounds: Bounds,
    notices: PageNotices | None = None,
) -> FloatArray:
    """Return the seconds between two visits to each page at a price, shape (n,).

    A policy that lets a page wait for w seconds waits until x = Δw changes are expected. With notices of changes,
    another threshold replaces x (see `notices`). Notices since the last visit have already added `strength` to the
    expected changes, and only the share `unseen` of changes comes without a notice. So the wait is
    (x - strength) / (unseen Δ) seconds.
    """
    if price <= 0:
        return np.full(len(rates), bounds.shortest)
    if isinf(price):
        return np.full(len(rates), bounds.longest)
    if len(rates) > _CHUNK:
        waits = np.empty(len(rates))
        for first in range(0, len(rates), _CHUNK):
            part = slice(first, first + _CHUNK)
            told = None if notices is None else notices.of(part)
            waits[part] = bounded_waits(policy, price, rates[part], importance[part], bounds, told)
        return waits
    rates = np.maximum(rates, _LEAST_RATE)
    waits = policy.waits(price, rates, importance)
    if notices is not None:
        x = thresholds(waits * rates, notices.ways)
        waits = (x - notices.strength) / (rates * notices.unseen)
    return np.minimum(np.maximum(waits, bounds.shortest), bounds.longest)


def outlook(policy: RevisitPolicy, budget: float, rates: FloatArray, importance: FloatArray, bounds: Bounds) -> Outlook:
    """Return the freshness and age that a budget brings in the long run; the arrays have shape (n,), n >= 1.

    Changes are assumed to be a Poisson process. A page that changes at rate Δ and is visited every I seconds is current
    for a fraction c of the time and has the mean age a, where x = ΔI (Cho & Garcia-Molina, SIGMOD 2000):

      c = (1 - e^-x)/x      a = I/2 - 1/Δ + (1 - e^-x)/(Δ x)
    """
    bounds = bounds.within(budget, len(rates))
    price = price_of(policy, budget, rates, importance, bounds)
    waits = bounded_waits(policy, price, rates, importance, bounds)
    expected = np.maximum(rates, _LEAST_RATE) * waits
    current = -np.expm1(-expected) / expected
    # where the terms cancel, by the power series
    ages = waits * np.where(expected < 1e-3, expected / 6, 0.5 - (1 - current) / expected)
    weights = importance / importance.sum()
    return Outlook(budget, float(weights @ current), float(weights @ ages), float(waits.max()))
