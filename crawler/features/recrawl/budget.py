"""What a budget of visits buys: the price at which waits spend it, and the freshness and age to be expected then."""

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
"""Of its logarithm."""
_LEAST_RATE: Final = 1e-12
"""Changes a second, one in 30,000 years: less is not told from nothing."""
_CHUNK: Final = 8_192
"""Pages taken together: what the arrays of a step need stays in the processor's cache."""
_MOST_SPENT_ON_THE_BOUND: Final = 0.5
_PLANNED_SHARE: Final = 7 / 8


@dataclass(frozen=True, slots=True)
class Bounds:
    """Of every wait, in seconds: not before `shortest`, and not after `longest`, if the budget can pay that."""

    shortest: float
    longest: float

    def __post_init__(self) -> None:
        if not 0 < self.shortest <= self.longest:
            raise ValueError(f"waits between {self.shortest} and {self.longest} seconds: 0 < shortest <= longest")

    def within(self, budget: float, page_count: int) -> Bounds:
        """What is planned with: a longest wait that leaves an eighth for what may come between, and that half of
        `budget` visits a second can keep to for so many pages.
        """
        payable = page_count / (_MOST_SPENT_ON_THE_BOUND * budget)
        return Bounds(self.shortest, max(_PLANNED_SHARE * self.longest, payable, self.shortest))


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is to be expected of a budget after a while, if the pages change as was learnt.

    budget: visits a second. freshness: share of the importance whose copy is current. age: seconds since a copy was
    last true, 0 for current ones, mean by importance. longest_wait: of any page, seconds, as far as the budget can pay.
    """

    budget: float
    freshness: float
    age: float
    longest_wait: float


def price_of(
    policy: RevisitPolicy, budget: float, rates: FloatArray, importance: FloatArray, bounds: Bounds, start: float = 1.0
) -> float:
    """The price at which these pages are visited `budget` times a second together, shape (n,) each; 0 if even their
    shortest waits cost less, inf if even their longest cost more. start: of the search, a price of before.
    """
    if not len(rates) or isinf(budget) or len(rates) <= budget * bounds.shortest:
        return 0.0
    if budget <= len(rates) / bounds.longest:
        return float("inf")

    def is_too_cheap(price: float) -> bool:
        """More visits than the budget has."""
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
    """The price at which at most `visits` of these pages are due, whose last visits are `elapsed` seconds ago; shape
    (n,) each. So after many signals at once, or when a budget has shrunk, those that matter most go first.
    """
    undecided = np.arange(len(rates))
    sure = 0

    def is_too_cheap(price: float) -> bool:
        """Whether more are due, of which `sure` are at every price that is left, as others are not."""
        nonlocal sure, undecided
        chosen = slice(None) if len(undecided) == len(rates) else undecided  # a copy of all would take its time
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
    """By bisection of its logarithm, from `start`."""
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
    """Seconds from visit to visit at a price, shape (n,).

    A policy that lets a page wait for w seconds does so until x = Δw changes are to be expected, or what it would be if
    it knew of notices (see `notices`). Where only the share `unseen` of changes comes without one, it takes
    (x - strength) / (unseen Δ) seconds until then, `strength` being what the notices count that came since the last
    visit.
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
    """Of visits at the waits that a budget buys, to pages that change at random; shape (n,) each, n >= 1.

    A page that changes at rate Δ and is visited every I seconds is current for (1 - e^-x)/x of the time, x = ΔI, and
    has the mean age I/2 - 1/Δ + (1 - e^-x)/(Δ x) (Cho & Garcia-Molina, SIGMOD 2000).
    """
    bounds = bounds.within(budget, len(rates))
    price = price_of(policy, budget, rates, importance, bounds)
    waits = bounded_waits(policy, price, rates, importance, bounds)
    expected = np.maximum(rates, _LEAST_RATE) * waits
    current = -np.expm1(-expected) / expected
    # by its series where the terms cancel
    ages = waits * np.where(expected < 1e-3, expected / 6, 0.5 - (1 - current) / expected)
    weights = importance / importance.sum()
    return Outlook(budget, float(weights @ current), float(weights @ ages), float(waits.max()))
