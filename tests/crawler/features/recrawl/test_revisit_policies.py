"""Every revisit policy: waits that grow with the price; those by index make all pages lose alike."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.budget import Bounds, bounded_waits, outlook, price_of
from hinterland.crawler.features.recrawl.policies import REVISIT_POLICIES, make_revisit_policy

DAY = 86_400.0
RATES = np.geomspace(1e-9, 1e-3, 40)
IMPORTANCE = np.tile([0.1, 1.0, 7.0, 300.0], 10)


@pytest.mark.parametrize("name", REVISIT_POLICIES)
def test_waits_grow_with_the_price(name: str) -> None:
    policy = make_revisit_policy(name)
    before = np.zeros(40)
    for price in np.geomspace(1e-3, 1e12, 30):
        waits = policy.waits(price, RATES, IMPORTANCE)
        assert (waits >= before * (1 - 1e-6)).all()
        assert (waits > 0).all()
        before = waits


@pytest.mark.parametrize("price", [1e-4, 1.0, 1e4, 1e8])
def test_harmonic_makes_the_same_index_of_all_pages(price: float) -> None:
    x = make_revisit_policy("harmonic").waits(price, RATES, IMPORTANCE) * RATES
    excess = np.where(x < 1e-3, x**2 / 2 - x**3 / 6, x + np.expm1(-x))
    assert IMPORTANCE / RATES * excess == pytest.approx(price, rel=1e-4)


@pytest.mark.parametrize("price", [1e-4, 1.0, 1e4, 1e8])
def test_binary_makes_the_same_index_of_all_pages_that_are_worth_a_visit(price: float) -> None:
    waits = make_revisit_policy("binary").waits(price, RATES, IMPORTANCE)
    worthwhile = price * RATES < IMPORTANCE
    assert (np.isinf(waits) == ~worthwhile).all()
    x = (waits * RATES)[worthwhile]
    index = np.where(x < 1e-3, x**2 / 2 - x**3 / 3, -np.expm1(-x) - x * np.exp(-x))
    assert (IMPORTANCE / RATES)[worthwhile] * index == pytest.approx(price, rel=1e-4)


@pytest.mark.parametrize("name", REVISIT_POLICIES)
@pytest.mark.parametrize("budget", [1e-6, 1e-4, 1e-3])
def test_the_price_spends_the_budget(name: str, budget: float) -> None:
    policy, bounds = make_revisit_policy(name), Bounds(60.0, 1e12)
    price = price_of(policy, budget, RATES, IMPORTANCE, bounds)
    assert (1 / bounded_waits(policy, price, RATES, IMPORTANCE, bounds)).sum() == pytest.approx(budget, rel=0.01)


def test_where_the_bounds_leave_no_choice_the_price_is_nothing_or_without_bound() -> None:
    policy, bounds = make_revisit_policy("harmonic"), Bounds(DAY, 10 * DAY)
    assert price_of(policy, 41 / DAY, RATES, IMPORTANCE, bounds) == 0
    assert price_of(policy, 3.9 / DAY, RATES, IMPORTANCE, bounds) == inf


def test_harmonic_buys_more_freshness_than_visits_to_all_alike_and_binary_the_most() -> None:
    bounds = Bounds(60.0, 1e15)
    for budget in (1e-5, 1e-4, 1e-3):
        fresh = {
            name: outlook(make_revisit_policy(name), budget, RATES, IMPORTANCE, bounds).freshness
            for name in REVISIT_POLICIES
        }
        assert fresh["uniform"] < fresh["harmonic"] <= fresh["binary"] + 1e-6
        assert fresh["change"] < fresh["uniform"]
        assert max(fresh, key=lambda name: fresh[name]) == "binary"


def test_the_outlook_is_what_a_replay_of_random_changes_shows() -> None:
    draw, rate, wait = np.random.default_rng(5), 1 / (10 * DAY), 15 * DAY
    ages = []
    for _ in range(4000):
        first = draw.exponential(1 / rate)
        moments = np.linspace(0, wait, 50, endpoint=False) + wait / 100
        ages.append(np.maximum(moments - first, 0.0))
    seen = outlook(make_revisit_policy("uniform"), 1 / wait, np.array([rate]), np.ones(1), Bounds(60.0, 1e12))
    assert seen.freshness == pytest.approx((np.array(ages) == 0).mean(), abs=0.02)
    assert seen.age == pytest.approx(np.mean(ages), rel=0.05)
    assert seen.longest_wait == pytest.approx(wait, rel=0.01)


def test_bounds_that_cross_are_refused() -> None:
    with pytest.raises(ValueError, match="waits from 20 to 10 s"):
        Bounds(20, 10)
