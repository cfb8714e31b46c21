"""A frontier whose pages come due by a schedule, under a virtual clock: every answer takes a second."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.paced_frontier import PacedFrontier
from hinterland.crawler.features.recrawl.policies import make_revisit_policy
from hinterland.crawler.features.recrawl.schedule import RevisitSchedule
from hinterland.crawler.frontier.visits import RobotsKnown, Visit, Wait
from hinterland.crawler.settings import PolitenessSettings

pytestmark = pytest.mark.slow

DAY = 86_400.0


class Course:
    """Visits of hosts with a page each, one after another. dead: hosts that do not answer."""

    def __init__(self, *, budget: float, new_share: float = 0.5, hosts: int = 4, **politeness: Any) -> None:
        schedule = RevisitSchedule(make_revisit_policy("harmonic"), budget, Bounds(3_600.0, 20 * DAY))
        self.frontier = PacedFrontier(
            PolitenessSettings(**politeness), schedule, budget=budget, new_share=new_share, random=lambda: 0.5
        )
        self.now, self.dead = 1e6, set[int]()
        self.revisited = Counter[int]()
        self.new = Counter[int]()
        self.stored = set[int]()
        for _ in range(hosts):
            self.frontier.add_host()

    def store(self, count: int, hosts: int = 4) -> None:
        """Pages that were visited before, a host each in turn."""
        pages = np.arange(count)
        self.frontier.schedule.add(pages, pages % hosts, 1.0, self.now)
        self.frontier.schedule.refresh(self.now)
        self.stored.update(pages.tolist())

    def meet(self, pages: range, hosts: int = 4) -> None:
        """Pages that were never visited."""
        numbers = np.array(pages, np.int32)
        self.frontier.add(numbers, numbers % np.int32(hosts), np.zeros(len(numbers)), self.now)

    def run(self, until: float) -> None:
        """As a crawl does it."""
        while self.now < until:
            said = self.frontier.next_visit(self.now)
            if isinstance(said, Visit):
                self._visit(said)
            else:
                assert isinstance(said, Wait), "a schedule never ends"
                self.now = max(self.now + 1e-6, min(said.until, until))

    def _visit(self, visit: Visit) -> None:
        self.now += 1.0
        frontier, page = self.frontier, visit.page
        if visit.host in self.dead:
            frontier.failed(visit, self.now)
        elif visit.host_task is not None and page < 0 and visit.host_task.kind.name == "RESOLVE":
            frontier.resolved(visit, f"192.0.2.{visit.host}", self.now)
        elif visit.host_task is not None and page < 0:
            frontier.robots_fetched(visit, RobotsKnown(inf, None), self.now, 1.0)
        else:
            frontier.finished(visit, self.now, 1.0)
            self._ended(page, visit.host)

    def _ended(self, page: int, host: int) -> None:
        if page in self.stored:
            self.revisited[page] += 1
            self.frontier.schedule.visited(page, self.now, changed=page == 0)
            self.frontier.revisited(page, host)
        else:
            self.new[page] += 1
            self.stored.add(page)
            self.frontier.schedule.add(page, host, 1.0, self.now)


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_new_pages_get_their_share_of_the_budget_and_stored_ones_the_rest(share: float) -> None:
    course = Course(budget=200 / DAY, new_share=share)
    course.store(40)
    course.meet(range(40, 5_000))
    course.run(course.now + 10 * DAY)
    visits = course.revisited.total() + course.new.total()
    assert visits == pytest.approx(2_000, rel=0.02)
    assert course.new.total() == pytest.approx(share * 2_000, rel=0.05)


def test_what_new_pages_leave_goes_to_stored_ones() -> None:
    course = Course(budget=200 / DAY)
    course.store(40)
    course.meet(range(40, 60))
    course.run(course.now + 10 * DAY)
    assert course.new.total() == 20
    assert course.revisited.total() == pytest.approx(1_980, rel=0.02)


def test_without_a_limit_of_the_budget_new_pages_wait_as_in_any_crawl() -> None:
    course = Course(budget=inf)
    course.meet(range(100))
    course.run(course.now + DAY)
    assert course.new.total() == 100


def test_a_page_that_changes_is_visited_more_often_and_none_is_forgotten() -> None:
    course = Course(budget=40 / DAY)
    course.store(40)
    start = course.now
    for day in range(1, 41):
        course.run(start + day * DAY)
        course.frontier.schedule.refresh(course.now)
    others = [course.revisited[page] for page in range(1, 40)]
    assert course.revisited[0] > 2 * max(others)
    assert min(others) >= 1


def test_a_host_that_was_given_up_gets_another_chance_after_a_day() -> None:
    course = Course(budget=200 / DAY, give_up_after_failures=3, give_up_unheard_after_failures=3)
    course.store(8)
    course.dead = {1}
    course.run(course.now + DAY)
    assert course.frontier.hosts_given_up().tolist() == [1]
    assert not course.revisited[1]
    course.dead = set()
    course.run(course.now + 2 * DAY)
    assert course.frontier.hosts_given_up().tolist() == []
    assert course.revisited[1]


def test_a_slow_host_does_not_hold_up_the_others() -> None:
    course = Course(budget=2_000 / DAY, delay_seconds=10.0)
    course.store(400, hosts=2)
    course.dead = {0}
    course.run(course.now + DAY)
    of_the_other = sum(count for page, count in course.revisited.items() if page % 2)
    assert of_the_other > 1_500
