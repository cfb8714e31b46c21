"""Pages with notices are visited when a visit is worth as much as anywhere else, future notices included."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.notices import thresholds, way_of

PLAIN = np.geomspace(0.01, 100, 60)


def time_to(levels: np.ndarray, unseen: float, precision: float) -> np.ndarray:
    """How long x takes to reach some levels, in units of 1/Δ: the mean of many drawn paths."""
    draw, paths, notices = np.random.default_rng(3), 4000, 60
    often, jump = (1 - unseen) / precision, -np.log1p(-precision)
    told_at = np.cumsum(draw.exponential(1 / often, (paths, notices)), axis=1)
    number = np.arange(notices)
    found = []
    for level in levels.tolist():
        is_over = unseen * told_at + (number + 1) * jump >= level
        first = is_over.argmax(axis=1)
        found.append(np.minimum(told_at[np.arange(paths), first], (level - first * jump) / unseen).mean())
    return np.array(found)


@pytest.mark.parametrize("recall, precision", [(0.8, 0.75), (0.5, 0.25), (0.9, 0.95)])
@pytest.mark.parametrize("plain", [0.3, 1.0, 3.0])
def test_a_visit_at_the_threshold_is_worth_what_it_would_be_without_notices(
    recall: float, precision: float, plain: float
) -> None:
    way = way_of(np.array([1 - recall]), np.array([precision]))
    [threshold] = thresholds(np.array([plain]), way)
    levels = np.linspace(0, threshold, 41)[1:]
    growth = time_to(levels, 1 - recall, precision) * -np.expm1(-levels) / levels
    worth = np.trapezoid(np.concatenate(([0.0], growth)), dx=float(levels[0]))
    assert worth == pytest.approx(plain + np.expm1(-plain), rel=0.12)


def test_where_nobody_tells_of_changes_nothing_is_expected() -> None:
    ways = way_of(np.ones(60), np.full(60, 0.9))
    assert (thresholds(PLAIN, ways) == PLAIN).all()


def test_pages_are_visited_sooner_if_little_is_expected_and_later_if_a_notice_will_come() -> None:
    way = way_of(np.array([0.2]), np.array([0.8]))
    found = thresholds(PLAIN, np.repeat(way, 60))
    assert (np.diff(found) > 0).all()
    assert found[0] < PLAIN[0]
    assert found[-1] > PLAIN[-1]
    assert thresholds(np.array([0.0, np.inf]), np.repeat(way, 2)).tolist() == [0.0, np.inf]
