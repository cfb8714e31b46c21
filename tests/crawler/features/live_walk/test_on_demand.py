"""A frontier on demand hands out what it is asked for, and nothing else."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.frontier.visits import Exhausted, Visit, Wait
from hinterland.crawler.settings import PolitenessSettings
from hinterland.lab.live_walk.on_demand import OnDemandFrontier


def test_pages_stand_aside_until_they_are_asked_for() -> None:
    frontier = OnDemandFrontier(PolitenessSettings(), random=lambda: 0.5)
    host = frontier.add_host()
    frontier.restore_robots(host, 1e9, None)
    frontier.add(np.array([3, 4], np.int32), np.full(2, host, np.int32), np.zeros(2), 0.0)
    frontier.add_retrying(5, host, 1.0, 60.0)
    assert isinstance(frontier.next_visit(100.0), Exhausted)
    assert frontier.aside() == [3, 4, 5]
    assert frontier.ask_for(4, 100.0)
    assert not frontier.ask_for(4, 100.0)
    assert frontier.aside() == [3, 5]


def test_a_page_that_failed_in_an_earlier_run_is_not_handed_out_before_its_time() -> None:
    frontier = OnDemandFrontier(PolitenessSettings(), random=lambda: 0.5)
    host = frontier.add_host()
    frontier.add_retrying(5, host, 1.0, 60.0)
    assert frontier.ask_for(5, 0.0)
    assert frontier.next_visit(0.0) == Wait(60.0)
    assert isinstance(frontier.next_visit(60.0), Visit)
