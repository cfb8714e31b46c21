"""Slots for requests outside the visits: one request to a host at a time, in turn with the host's visits."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from math import inf

from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.visits import HostTaskKind, RobotsState, Visit, Wait

Turn = asyncio.Future[Visit | None]


class HostSlots:
    """Grants slots in the order in which they were requested, ahead of all pages of the host; usable after `open`."""

    def __init__(self, frontier: Frontier, now: Callable[[], float]) -> None:
        """`now` returns epoch seconds."""
        self._frontier = frontier
        self._now = now
        self._asked: dict[int, deque[Turn]] = {}
        self._for_robots: set[Turn] = set()
        self._releases: dict[int, asyncio.Event] = {}
        self._timer: asyncio.TimerHandle | None = None

    def open(
        self,
        number_of: Callable[[str], int],
        find_address: Callable[[Visit], Awaitable[None]],
        released: Callable[[int], None],
        begin: Callable[[Visit], None],
        schedule: Callable[[], None],
    ) -> None:
        """Connect the slots with a crawl.

        `number_of` returns the number of a URL's host, and makes the host known if it is new. `find_address` carries
        out a RESOLVE task. `released` is called with the number of a host whose slot was released. `begin` starts a
        task at a host.
        """
        self._number_of = number_of
        self._find_address = find_address
        self._released = released
        self._begin = begin
        self._schedule = schedule

    async def acquire(self, url: str) -> Callable[[float, float], None] | None:
        """Wait for permission to make one request to the host of a canonical URL.

        Returns a function to call after the request, with the duration of the request and the minimum rest of the host
        afterwards, both in seconds. Returns None if no request may be sent to the host, because it is given up or has
        no address.
        """
        host = self._number_of(url)
        turn = self._turn(host)
        while True:
            visit = await turn
            if visit is None:
                return None
            assert visit.host_task is not None, "a slot is never for a page"
            if visit.host_task.kind is HostTaskKind.EXTRA_REQUEST:
                return partial(self._release, visit)
            await self._find_address(visit)
            self._schedule()
            if self._frontier.is_failing(host):
                return None
            turn = self._turn(host, is_next=True)

    async def knows_robots(self, url: str) -> bool:
        """Return whether the robots.txt rules for a canonical URL's host are known.

        If they are unknown or out of date, the crawl fetches robots.txt first, as before a page. False means that the
        file cannot be read.
        """
        host = self._number_of(url)
        if self._frontier.robots_state(host, self._now()) is RobotsState.UNKNOWN:
            await self._turn(host, for_robots=True)
        return self._frontier.robots_state(host, self._now()) is RobotsState.KNOWN

    def _release(self, visit: Visit, seconds: float, at_least: float) -> None:
        self._frontier.slot_released(visit, self._now(), seconds, at_least=at_least)
        if (release := self._releases.pop(visit.host, None)) is not None:
            release.set()
        self._released(visit.host)
        self._schedule()

    async def all_released(self, host: int) -> None:
        """Wait until no slot is in use at a host that a visit occupies."""
        while (release := self._releases.get(host)) is not None:
            await release.wait()

    def hand_out(self) -> None:
        """Grant all slots that can be granted; call this after every change, before visits are handed out."""
        now, until = self._now(), inf
        for host in list(self._asked):
            until = min(until, self._grant(host, now))
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if until < inf:
            self._timer = asyncio.get_running_loop().call_later(max(until - now, 0.0), self._schedule)

    async def _turn(self, host: int, *, is_next: bool = False, for_robots: bool = False) -> Visit | None:
        turn: Turn = asyncio.get_running_loop().create_future()
        if for_robots:
            self._for_robots.add(turn)
        turns = self._asked.setdefault(host, deque())
        turns.insert(0 if is_next else len(turns), turn)
        self._schedule()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and (visit := turn.result()) is not None:
                self._not_wanted(visit)
            raise
        finally:
            self._for_robots.discard(turn)

    def _not_wanted(self, visit: Visit) -> None:
        if visit.host in self._releases:
            self._release(visit, 0.0, 0.0)
        else:
            self._frontier.abandoned(visit, self._now())
            self._schedule()

    def _grant(self, host: int, now: float) -> float:
        """Grant a slot to the first request in the queue of a host; return when to try again, in epoch seconds."""
        turns = self._asked[host]
        while turns and self._waits_no_more(turns[0], host, now):
            turns.popleft()
        for_robots = bool(turns) and turns[0] in self._for_robots
        said = self._frontier.acquire_slot(host, now, for_robots=for_robots) if turns else None
        if isinstance(said, Wait):
            return said.until
        if said is None:
            for turn in self._asked.pop(host):
                if not turn.done():
                    turn.set_result(None)
            return inf
        if for_robots:
            self._begin(said)
            return inf
        if said.host_task is not None and said.host_task.kind is HostTaskKind.EXTRA_REQUEST:
            self._releases[host] = asyncio.Event()
        turns.popleft().set_result(said)
        return inf

    def _waits_no_more(self, turn: Turn, host: int, now: float) -> bool:
        """Return whether a caller has stopped waiting: it was cancelled, or what it waited for has happened."""
        is_for_robots = turn in self._for_robots and not turn.done()
        if is_for_robots and self._frontier.robots_state(host, now) is not RobotsState.UNKNOWN:
            turn.set_result(None)
        return turn.done()
