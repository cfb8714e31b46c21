"""Addresses that other crawls may visit, too."""

from __future__ import annotations

import itertools

import numpy as np

from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.time_slots import TimeSlots
from hinterland.crawler.frontier.visits import Exhausted, Visit, Wait
from hinterland.crawler.settings import PolitenessSettings

HERE = "192.0.2.1"
BEGIN = 1000.0
HOSTS = 12


class OneAddress:
    """A crawl of some hosts at it, one of four crawls that may visit it."""

    def __init__(self) -> None:
        settings = PolitenessSettings(address_delay_seconds=0.25, address_connections=2)
        self.frontier, self.now = Frontier(settings, random=float, time_slots=TimeSlots(1, 4)), BEGIN
        for host in range(HOSTS):
            self.frontier.restore_robots(self.frontier.add_host(), 1e12, None)
            self.frontier.add(np.array([host], np.int32), np.array([host], np.int32), np.ones(1), BEGIN)
        resolving = [self.frontier.next_visit(BEGIN) for _ in range(HOSTS)]
        for visit in resolving:
            assert isinstance(visit, Visit)
            self.frontier.resolved(visit, HERE, BEGIN)

    def wait(self) -> Visit | Wait | Exhausted:
        """For the next visit, two seconds at most."""
        until = self.now + 2.0
        while isinstance(said := self.frontier.next_visit(self.now), Wait) and said.until < until:
            self.now = said.until
        return said

    def begins(self, visits: int) -> list[float]:
        begins = []
        for _ in range(visits):
            visit = self.wait()
            assert isinstance(visit, Visit)
            begins.append(self.now)
            self.frontier.finished(visit, self.now, 0.01)
        return begins

    def gaps(self, visits: int) -> list[float]:
        return [later - earlier for earlier, later in itertools.pairwise(self.begins(visits))]


def test_no_host_is_visited_at_an_address_before_it_is_known_who_else_visits_it() -> None:
    crawl = OneAddress()
    assert crawl.frontier.addresses_asked() == [HERE]
    assert isinstance(crawl.wait(), Wait)
    crawl.frontier.addresses_told([HERE], [])
    assert crawl.frontier.addresses_asked() == []
    assert isinstance(crawl.wait(), Visit)


def test_an_address_that_a_crawl_has_to_itself_is_visited_as_often_and_by_as_many_as_one_crawl_may() -> None:
    crawl = OneAddress()
    crawl.frontier.addresses_told([HERE], [])
    assert max(crawl.gaps(4)) < 0.3
    under_way = [crawl.wait() for _ in range(8)]
    assert all(isinstance(visit, Visit) for visit in under_way)
    assert not isinstance(crawl.wait(), Visit)


def test_an_address_that_others_visit_is_visited_in_turn_once_that_is_known() -> None:
    crawl = OneAddress()
    crawl.frontier.addresses_told([HERE], [])
    crawl.begins(2)
    crawl.frontier.addresses_told([], [HERE])
    assert min(crawl.gaps(3)) >= 4 * 0.25
    crawl.frontier.addresses_told([HERE], [])  # too late: the other came first
    assert min(crawl.gaps(3)) >= 4 * 0.25
    crawl.wait()
    assert isinstance(crawl.wait(), Visit)
    assert not isinstance(crawl.wait(), Visit)
