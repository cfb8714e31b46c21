"""Slots of a host are granted one at a time, in turn with the visits to it."""

from __future__ import annotations

import asyncio
from math import inf

import numpy as np

from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.visits import (
    HostPoliteness,
    HostTaskKind,
    RobotsKnown,
    RobotsMoved,
    RobotsUnreachable,
    Visit,
    Wait,
)
from hinterland.crawler.loop.host_slots import HostSlots
from hinterland.crawler.settings import PolitenessSettings


class Crawl:
    """A frontier with hosts 0 and 1, of which 1 is given up; a clock; and slots, granted when something changes."""

    def __init__(self, *, has_address: bool = True) -> None:
        self.time = 1000.0
        self.frontier = Frontier(PolitenessSettings(delay_seconds=2.0, delay_factor=0.0), random=lambda: 0.0)
        self.frontier.add_host()
        self.frontier.add_host(HostPoliteness(given_up=True))
        self.frontier.restore_robots(0, inf, None)
        self.frontier.add(np.array([0], np.int32), np.array([0], np.int32), np.zeros(1), self.time)
        self.host_slots = HostSlots(self.frontier, lambda: self.time)
        self.host_slots.open(int, self.find_address, lambda host: None, self.begin, self.schedule)
        self._has_address = has_address
        self.begun: list[Visit] = []

    def schedule(self) -> None:
        asyncio.get_running_loop().call_soon(self.host_slots.hand_out)

    async def find_address(self, visit: Visit) -> None:
        if self._has_address:
            self.frontier.resolved(visit, "127.0.0.1", self.time)
        else:
            self.frontier.failed(visit, self.time)

    def begin(self, visit: Visit) -> None:
        self.begun.append(visit)
        if visit.is_lookup:
            self.frontier.resolved(visit, "127.0.0.1", self.time)
            self.schedule()

    async def pass_time(self, seconds: float) -> None:
        self.time += seconds
        self.host_slots.hand_out()
        for _ in range(5):
            await asyncio.sleep(0)


async def test_the_second_caller_waits_until_the_slot_was_released_and_the_host_has_rested() -> None:
    crawl = Crawl()
    first, second = (asyncio.create_task(crawl.host_slots.acquire("0")) for _ in range(2))
    await crawl.pass_time(0.0)
    assert (first.done(), second.done()) == (True, False)
    release = first.result()
    assert release is not None
    assert crawl.frontier.next_visit(crawl.time) == Wait(inf)
    release(0.1, 0.0)
    await crawl.pass_time(1.9)
    assert not second.done()
    await crawl.pass_time(0.2)
    assert second.done()  # before the page that waits


async def test_a_host_rests_as_long_as_the_caller_says() -> None:
    crawl = Crawl()
    release = await crawl.host_slots.acquire("0")
    assert release is not None
    release(0.1, 7.0)
    assert crawl.frontier.next_visit(crawl.time) == Wait(crawl.time + 7.0)


async def test_a_slot_is_free_again_when_its_caller_waits_no_more() -> None:
    crawl = Crawl()
    release = await crawl.host_slots.acquire("0")
    assert release is not None
    release(0.0, 0.0)
    waiting, just_granted = (asyncio.create_task(crawl.host_slots.acquire("0")) for _ in range(2))
    await asyncio.sleep(0)
    waiting.cancel()
    crawl.time += 10.0
    await asyncio.sleep(0)
    crawl.host_slots.hand_out()
    just_granted.cancel()  # before it could hear of it
    await asyncio.gather(waiting, just_granted, return_exceptions=True)
    crawl.time += 10.0
    assert isinstance(visit := crawl.frontier.next_visit(crawl.time), Visit)
    assert visit.page == 0


async def test_a_host_that_is_given_up_or_has_no_address_gives_no_slot() -> None:
    assert await Crawl().host_slots.acquire("1") is None
    assert await Crawl(has_address=False).host_slots.acquire("0") is None


async def test_a_page_that_keeps_its_host_ends_when_that_has_been_given_back() -> None:
    crawl = Crawl()
    visit = crawl.frontier.next_visit(crawl.time)
    assert isinstance(visit, Visit)
    assert visit.host_task is not None
    assert visit.host_task.kind is HostTaskKind.RESOLVE
    crawl.frontier.resolved(visit, "127.0.0.1", crawl.time)
    page = crawl.frontier.next_visit(crawl.time)
    assert isinstance(page, Visit)
    borrowing = asyncio.create_task(crawl.host_slots.acquire("0"))
    await crawl.pass_time(0.0)
    assert not borrowing.done()
    crawl.frontier.kept(page, crawl.time, 0.0)
    await crawl.pass_time(2.0)
    release = borrowing.result()
    assert release is not None
    ending = asyncio.create_task(crawl.host_slots.all_released(0))
    await crawl.pass_time(0.0)
    assert not ending.done()
    release(0.5, 0.0)
    await ending
    crawl.frontier.finished(page, crawl.time, 0.0, requests=3)
    assert crawl.frontier.politeness_of(0).next_fetch == crawl.time + 6.0


# --- robots.txt ---------------------------------------------------------------------------------


def kinds(crawl: Crawl) -> list[HostTaskKind]:
    return [visit.host_task.kind for visit in crawl.begun if visit.host_task is not None]


async def test_a_robots_txt_that_the_crawl_knows_is_not_requested_again() -> None:
    crawl = Crawl()
    assert await crawl.host_slots.knows_robots("0")
    assert crawl.begun == []


async def test_an_unknown_robots_txt_is_fetched_once_by_the_crawl_for_all_that_wait_for_it() -> None:
    crawl = Crawl()
    host = crawl.frontier.add_host()
    asking = [asyncio.create_task(crawl.host_slots.knows_robots(str(host))) for _ in range(3)]
    await crawl.pass_time(0.0)
    assert kinds(crawl) == [HostTaskKind.RESOLVE, HostTaskKind.ROBOTS]
    crawl.frontier.robots_fetched(crawl.begun[-1], RobotsKnown(crawl.time + 100), crawl.time, 0.1)
    await crawl.pass_time(0.0)
    assert [await task for task in asking] == [True] * 3
    assert await crawl.host_slots.knows_robots(str(host))
    assert len(crawl.begun) == 2


async def test_a_robots_txt_that_has_moved_is_waited_for() -> None:
    crawl = Crawl()
    host = crawl.frontier.add_host()
    asking = asyncio.create_task(crawl.host_slots.knows_robots(str(host)))
    await crawl.pass_time(0.0)
    crawl.frontier.robots_fetched(crawl.begun[-1], RobotsMoved(0, "0/elsewhere"), crawl.time, 0.1)
    await crawl.pass_time(5.0)
    assert not asking.done()
    while isinstance(visit := crawl.frontier.next_visit(crawl.time), Visit) and visit.is_lookup:
        crawl.frontier.resolved(visit, "127.0.0.1", crawl.time)
    assert isinstance(visit, Visit)
    crawl.frontier.robots_fetched(visit, RobotsKnown(crawl.time + 100), crawl.time, 0.1)
    await crawl.pass_time(0.0)
    assert await asking


async def test_a_robots_txt_that_could_not_be_read_is_not_asked_for_by_every_page() -> None:
    crawl = Crawl()
    host = crawl.frontier.add_host()
    asking = asyncio.create_task(crawl.host_slots.knows_robots(str(host)))
    await crawl.pass_time(0.0)
    crawl.frontier.robots_fetched(crawl.begun[-1], RobotsUnreachable(), crawl.time, 0.1)
    await crawl.pass_time(0.0)
    assert not await asking
    assert not await crawl.host_slots.knows_robots(str(host))
    assert not await crawl.host_slots.knows_robots("1")  # it is given up
    assert len(crawl.begun) == 2
    crawl.time += 1e6
    again = asyncio.create_task(crawl.host_slots.knows_robots(str(host)))
    await crawl.pass_time(0.0)
    assert kinds(crawl)[-1] is HostTaskKind.ROBOTS
    crawl.frontier.robots_fetched(crawl.begun[-1], RobotsKnown(crawl.time + 100), crawl.time, 0.1)
    await crawl.pass_time(0.0)
    assert await again
