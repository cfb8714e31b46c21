"""Hosts are lent to one at a time, in turn with the visits to them."""

from __future__ import annotations

import asyncio
from math import inf

import numpy as np

from crawler.frontier.frontier import Frontier
from crawler.frontier.visits import HostPoliteness, HostTaskKind, Visit, Wait
from crawler.settings import PolitenessSettings
from crawler.visiting.loans import Loans


class Crawl:
    """A frontier with hosts 0 and 1, of which 1 is given up; a clock; and loans, handed out when something changes."""

    def __init__(self, *, has_address: bool = True) -> None:
        self.time = 1000.0
        self.frontier = Frontier(PolitenessSettings(delay_seconds=2.0, delay_factor=0.0), random=lambda: 0.0)
        self.frontier.add_host()
        self.frontier.add_host(HostPoliteness(given_up=True))
        self.frontier.restore_robots(0, inf, None)
        self.frontier.add(np.array([0], np.int32), np.array([0], np.int32), np.zeros(1), self.time)
        self.loans = Loans(self.frontier, lambda: self.time)
        self.loans.open(int, self.find_address, lambda host: None, self.schedule)
        self._has_address = has_address

    def schedule(self) -> None:
        asyncio.get_running_loop().call_soon(self.loans.hand_out)

    async def find_address(self, visit: Visit) -> None:
        if self._has_address:
            self.frontier.resolved(visit, "127.0.0.1", self.time)
        else:
            self.frontier.failed(visit, self.time)

    async def pass_time(self, seconds: float) -> None:
        self.time += seconds
        self.loans.hand_out()
        for _ in range(5):
            await asyncio.sleep(0)


async def test_whoever_asks_second_waits_until_the_host_was_given_back_and_has_rested() -> None:
    crawl = Crawl()
    first, second = (asyncio.create_task(crawl.loans.borrow("0")) for _ in range(2))
    await crawl.pass_time(0.0)
    assert (first.done(), second.done()) == (True, False)
    give_back = first.result()
    assert give_back is not None
    assert crawl.frontier.next_visit(crawl.time) == Wait(inf)
    give_back(0.1, 0.0)
    await crawl.pass_time(1.9)
    assert not second.done()
    await crawl.pass_time(0.2)
    assert second.done()  # before the page that waits


async def test_a_host_rests_as_long_as_whoever_asked_it_says() -> None:
    crawl = Crawl()
    give_back = await crawl.loans.borrow("0")
    assert give_back is not None
    give_back(0.1, 7.0)
    assert crawl.frontier.next_visit(crawl.time) == Wait(crawl.time + 7.0)


async def test_a_host_is_free_again_when_whoever_waited_for_it_waits_no_more() -> None:
    crawl = Crawl()
    give_back = await crawl.loans.borrow("0")
    assert give_back is not None
    give_back(0.0, 0.0)
    waiting, just_lent = (asyncio.create_task(crawl.loans.borrow("0")) for _ in range(2))
    await asyncio.sleep(0)
    waiting.cancel()
    crawl.time += 10.0
    await asyncio.sleep(0)
    crawl.loans.hand_out()
    just_lent.cancel()  # before it could hear of it
    await asyncio.gather(waiting, just_lent, return_exceptions=True)
    crawl.time += 10.0
    assert isinstance(visit := crawl.frontier.next_visit(crawl.time), Visit)
    assert visit.page == 0


async def test_a_host_that_is_given_up_or_has_no_address_is_not_lent() -> None:
    assert await Crawl().loans.borrow("1") is None
    assert await Crawl(has_address=False).loans.borrow("0") is None


async def test_a_page_that_keeps_its_host_ends_when_that_has_been_given_back() -> None:
    crawl = Crawl()
    visit = crawl.frontier.next_visit(crawl.time)
    assert isinstance(visit, Visit)
    assert visit.host_task is not None
    assert visit.host_task.kind is HostTaskKind.RESOLVE
    crawl.frontier.resolved(visit, "127.0.0.1", crawl.time)
    page = crawl.frontier.next_visit(crawl.time)
    assert isinstance(page, Visit)
    borrowing = asyncio.create_task(crawl.loans.borrow("0"))
    await crawl.pass_time(0.0)
    assert not borrowing.done()
    crawl.frontier.kept(page, crawl.time, 0.0)
    await crawl.pass_time(2.0)
    give_back = borrowing.result()
    assert give_back is not None
    ending = asyncio.create_task(crawl.loans.all_returned(0))
    await crawl.pass_time(0.0)
    assert not ending.done()
    give_back(0.5, 0.0)
    await ending
    crawl.frontier.finished(page, crawl.time, 0.0, requests=3)
    assert crawl.frontier.politeness_of(0).next_fetch == crawl.time + 6.0
