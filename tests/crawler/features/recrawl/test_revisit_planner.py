"""What pages are worth to a schedule, by the ranks that are stored, and when it learns."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.paced_frontier import PacedFrontier
from hinterland.crawler.features.recrawl.policies import make_revisit_policy
from hinterland.crawler.features.recrawl.revisit_planner import RevisitPlanner, importance_of
from hinterland.crawler.features.recrawl.schedule import RevisitSchedule
from hinterland.crawler.features.recrawl.signals import SignalKind
from hinterland.crawler.settings import PolitenessSettings
from hinterland.storage.values.history import SettledPages

DAY = 86_400.0


def test_what_pages_are_worth_goes_by_rank_and_a_part_of_it_is_the_same_for_all() -> None:
    found = importance_of(np.array([0.3, 0.1, 0.0, 0.0]))
    assert found.tolist() == pytest.approx([3.25, 1.25, 0.25, 0.25])


def test_without_ranks_all_pages_are_worth_the_same() -> None:
    assert importance_of(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]


def paced(pages: int) -> RevisitPlanner:
    """Return a planner for `pages` pages of one host, fetched and learnt at 0."""
    bounds = Bounds(3_600.0, 90 * DAY)
    schedule = RevisitSchedule(make_revisit_policy("harmonic"), 1e-3, bounds)
    politeness = PolitenessSettings()
    frontier = PacedFrontier(politeness, schedule, budget=1e-3, new_share=0.5, random=lambda: 0.5)
    frontier.add_host()
    planner = RevisitPlanner(frontier, 1e-3)
    ones, zeros = array("d", [1.0] * pages), array("d", [0.0] * pages)
    stored = SettledPages(array("i", range(pages)), ones, zeros, [None] * pages)
    planner.begin(stored, np.zeros(pages, np.int32), [], 0.0)
    planner.learnt(planner.begin_learning(0.0)())
    return planner


def test_news_of_many_pages_is_learnt_within_the_hour_and_of_few_within_the_day() -> None:
    few, many = paced(320), paced(320)
    few.signalled(0, SignalKind.PUSH, 60.0)
    for page in range(11):
        many.signalled(page, SignalKind.PUSH, 60.0)
    assert [planner.is_learning_due(1_800.0) for planner in (few, many)] == [False, False]
    assert [planner.is_learning_due(3_600.0) for planner in (few, many)] == [False, True]
    assert few.is_learning_due(DAY)
