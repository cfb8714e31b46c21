"""What a budget of visits buys: the price at which waits spend it, and the freshness and age to be expected then."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isinf, log
from typing import Final

import numpy as np

from crawler.revisits.policy import FloatArray, RevisitPolicy

_BISECTIONS: Final = 60
_PRICE_TOLERANCE: Final = 1e-4
"""Of its logarithm."""
_LEAST_RATE: Final = 1e-12
"""Changes a second, one in 30,000 years: less is not told from nothing."""
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
        `budget` visits a second can keep to for so many pages."""
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
    shortest waits cost less, inf if even their longest cost more. start: of the search, a price of before."""
    if not len(rates) or isinf(budget) or len(rates) <= budget * bounds.shortest:
        return 0.0
    if budget <= len(rates) / bounds.longest:
        return float("inf")
    rates = np.maximum(rates, _LEAST_RATE)

    def is_too_dear(logarithm: float) -> bool:
        """More visits than the budget has."""
        return float((1 / bounded_waits(policy, exp(logarithm), rates, importance, bounds)).sum()) > budget

    here = log(start) if 0 < start < float("inf") else 0.0
    low, high, step = here, here, 0.25
    if is_too_dear(here):
        while is_too_dear(high) and high < 600:
            low, high, step = high, high + step, 2 * step
    else:
        while not is_too_dear(low) and low > -600:
            low, high, step = low - step, low, 2 * step
    for _ in range(_BISECTIONS):
        if high - low <= _PRICE_TOLERANCE:
            break
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_dear(middle) else (low, middle)
    return exp(high)


def bounded_waits(
    policy: RevisitPolicy, price: float, rates: FloatArray, importance: FloatArray, bounds: Bounds
) -> FloatArray:
    """Seconds between visits at a price, shape (n,)."""
    if price <= 0:
        return np.full(len(rates), bounds.shortest)
    if isinf(price):
        return np.full(len(rates), bounds.longest)
    return np.clip(
        policy.waits(price, np.maximum(rates, _LEAST_RATE), importance), bounds.shortest, bounds.longest
    )


def outlook(
    policy: RevisitPolicy, budget: float, rates: FloatArray, importance: FloatArray, bounds: Bounds
) -> Outlook:
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
