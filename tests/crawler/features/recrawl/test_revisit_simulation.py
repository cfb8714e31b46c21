"""A history of changes replayed: what is counted is what a reader of the copies would have met."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.policies import make_revisit_policy
from hinterland.crawler.features.recrawl.schedule import RevisitSchedule
from tests.support.change_history import ChangeHistory
from tests.support.revisit_simulation import Signal, drawn_signals, replay, zipf_importance

DAY = 86_400.0


def replayed(
    history: ChangeHistory,
    importance: np.ndarray,
    policy: str,
    visits_a_change: float,
    signals: Sequence[Signal] = (),
    refresh_days: float = 60,
) -> float:
    """The freshness that a policy reaches."""
    budget = visits_a_change * history.mean_rate
    schedule = RevisitSchedule(make_revisit_policy(policy), budget, Bounds(3600, 10_000 * DAY))
    schedule.add(np.arange(history.page_count), 0, importance, 0.0)
    schedule.refresh(0.0)
    return replay(history, schedule, importance, signals=signals, refresh_seconds=refresh_days * DAY).fresh


def test_a_copy_is_stale_from_the_change_to_the_next_visit() -> None:
    history = ChangeHistory.of_days(np.array([0, 0, 0]), np.array([1, 45, 89]), 1)
    schedule = RevisitSchedule(make_revisit_policy("uniform"), 1 / (10 * DAY), Bounds(3600, 10_000 * DAY))
    schedule.add(0, 0, 1.0, 0.0)
    schedule.refresh(0.0)
    result = replay(history, schedule, np.ones(1))
    # counted are days 30 to 90, visited are days 0, 10, ..., 80, an hour late: stale from 45.5 to 50 and from 89.5 on
    assert result.fresh == pytest.approx(1 - (4.5 + 0.5) / 60, abs=1e-3)
    assert result.age == pytest.approx((4.5**2 + 0.5**2) / 2 / 60 * DAY, rel=0.03)
    assert result.weighted_age == pytest.approx(result.age)
    assert result.visits in (9, 10)


def drawn_history(seed: int) -> ChangeHistory:
    """80 pages that change at random for three years, half of them every 20 days, half every 400."""
    draw = np.random.default_rng(seed)
    means = np.where(np.arange(80) % 2 == 0, 20, 400)
    changes = [(page, day) for page in range(80) for day in np.flatnonzero(draw.random(1000) < 1 / means[page])]
    pages, days = zip(*changes, strict=True)
    return ChangeHistory.of_days(np.array(pages), np.array(days), 80)


@pytest.mark.slow
def test_learning_comes_close_to_knowing_and_beats_what_does_not_learn() -> None:
    history, importance = drawn_history(1), zipf_importance(80, 1.0, 1)
    fresh = {name: replayed(history, importance, name, 1.0) for name in ("harmonic", "uniform", "change")}
    assert fresh["harmonic"] > fresh["uniform"] + 0.05
    assert fresh["uniform"] > fresh["change"]


@pytest.mark.slow
def test_signals_that_are_true_add_freshness() -> None:
    history, importance = drawn_history(1), zipf_importance(80, 1.0, 1)
    none = replayed(history, importance, "harmonic", 1.0)
    signals = drawn_signals(history, 0.8, 0.8, 1)
    assert replayed(history, importance, "harmonic", 1.0, signals, refresh_days=30) > none + 0.05


@pytest.mark.slow
def test_the_same_is_replayed_alike() -> None:
    history, importance = drawn_history(2), zipf_importance(80, 1.0, 2)
    assert replayed(history, importance, "harmonic", 0.5) == replayed(history, importance, "harmonic", 0.5)
