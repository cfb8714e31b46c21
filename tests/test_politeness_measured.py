"""The crawler's manners as 200 hosts see them, and that it does not dawdle: both from the servers' log.

Server and crawler share one clock and one loop. A host's rest begins when the crawler has read the last byte,
which is after the server sent it, and ends before the next request arrives; so what the server sees of a rest
is never too short, however busy the machine, and lower bounds are asserted strictly. Pages are parsed on that loop
too: the time for which a machine has no core for another process would be taken for the crawler's own idling.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.crawling import crawl, fetched
from tests.support.web import Answer, Exchange, LoopbackWeb, Request, most_open
from tests.support.web_behaviours import OK_PAGE, first_times, slow_first_byte, throttled

pytestmark = pytest.mark.slow

ADDRESSES = tuple(f"127.0.0.{n}" for n in range(1, 11))
HOSTS = 200
PAGES = 4  # of each host
RETRY_AFTER = 1
POLITENESS = {
    "delay_seconds": 0.25,
    "delay_factor": 3.0,
    "max_delay_seconds": 2.0,
    "address_delay_seconds": 0.02,
    "address_connections": 2,
    "backoff_seconds": 0.05,
    "max_backoff_seconds": 0.1,
}
ROBOTS_RETRY_SECONDS = 0.1
TRAVEL_SECONDS = 0.2
"""How much later than another a request may arrive that was sent first: it had to open a connection."""
PATIENCE_SECONDS = 0.1
"""For how long a host may be ready, on an idle crawler and an idle machine, before that is idling."""

FEW_MOMENTS = 4
"""Idle ones that say nothing: on a busy machine a dozen moments may be all there are, and one is a large share."""


@dataclass(frozen=True, slots=True)
class Manner:
    """What is special about a host. slow: seconds before each answer."""

    slow: float = 0.0
    crawl_delay: float = 0.0
    throttles: int = 0  # status of the first answer to a page
    hides_robots: int = 0  # status of the first answer to the request for its robots.txt


MANNERS = (
    *(Manner() for _ in range(14)),
    Manner(slow=0.15),
    Manner(slow=0.15, crawl_delay=0.4),
    Manner(crawl_delay=0.4),
    Manner(throttles=429),
    Manner(throttles=503),
    Manner(hides_robots=503),
)
"""Those of the hosts in turn: one in twenty hosts has each."""


def manner_of(host: str) -> Manner:
    return MANNERS[int(host[1 : host.index(".")]) % len(MANNERS)]


def serve_hosts(web: LoopbackWeb) -> list[str]:
    """Fill the web with HOSTS hosts; returns their first pages."""
    for number in range(HOSTS):
        host = web.host(f"h{number}.test", ADDRESSES[number // len(MANNERS)])
        manner = manner_of(host)
        paths = [f"/p{n}" for n in range(1, PAGES)]
        web.page(host, "/", links=paths)
        for path in paths:
            web.answer(host, path, slow_first_byte(manner.slow, OK_PAGE))
        if manner.throttles:
            asks = throttled(manner.throttles, str(RETRY_AFTER))
            web.answer(host, "/p1", first_times(1, asks, OK_PAGE))
        text = f"User-agent: *\nCrawl-delay: {manner.crawl_delay}\n" if manner.crawl_delay else ""
        robots = Answer(text.encode(), 200, "text/plain")
        hidden = throttled(manner.hides_robots or 503, str(RETRY_AFTER))
        web.answer(host, "/robots.txt", first_times(bool(manner.hides_robots), hidden, robots))
    return [web.url(host) for host in web.addresses]


def rest_after(request: Request, overhead: float = 0.0) -> float:
    """The rest that its host is promised after a request; overhead: what the crawler may have measured more."""
    manner = manner_of(request.host)
    if request.status in (429, 503):
        backoff = ROBOTS_RETRY_SECONDS if request.path == "/robots.txt" else 0.0
        return max(RETRY_AFTER, backoff, POLITENESS["delay_seconds"], manner.crawl_delay)
    mercator = POLITENESS["delay_factor"] * (request.finished - request.started + overhead)
    return max(POLITENESS["delay_seconds"], min(mercator, POLITENESS["max_delay_seconds"]), manner.crawl_delay)


def by_host(log: Sequence[Request]) -> dict[str, list[Request]]:
    found = defaultdict(list)
    for request in sorted(log, key=lambda request: request.started):
        found[request.host].append(request)
    return found


def most_started_within(requests: Sequence[Request], seconds: float) -> int:
    """The largest number of requests that began within any `seconds` seconds."""
    starts = sorted(request.started for request in requests)
    most = first = 0
    for last, start in enumerate(starts):
        while start - starts[first] > seconds:
            first += 1
        most = max(most, last - first + 1)
    return most


@dataclass
class Watch:
    """The time of a test on its loop. moments: before which the loop was free for as long as PATIENCE_SECONDS. stalls:
    beginning and end of the times in which nothing that was due ran."""

    moments: list[float] = field(default_factory=list)
    stalls: list[tuple[float, float]] = field(default_factory=list)

    async def keep(self, tick: float = 0.005) -> None:
        free_since = time.monotonic()
        while True:
            before = time.monotonic()
            await asyncio.sleep(tick)
            now = time.monotonic()
            if now - before >= 2 * tick:
                self.stalls.append((before, now))
                free_since = now
            elif now - free_since >= PATIENCE_SECONDS:
                self.moments.append(now)

    def held_up(self, request: Request) -> float:
        """How much longer than the server the crawler may have taken a request to be: as long as nothing ran."""
        first, last = request.started - TRAVEL_SECONDS, request.finished + TRAVEL_SECONDS
        return sum(end - start for start, end in self.stalls if start < last and end > first)


def idle_moments(log: Sequence[Request], watch: Watch) -> list[float]:
    """Those moments at which no request was open although some host might have been visited for a while.

    A host may be visited from the end of its rest until its next request arrives, while its address has rested.
    """
    changes: list[tuple[float, int, int, str]] = []  # when, requests opened, hosts made ready, address
    for request in log:
        changes += [(request.started, 1, 0, request.address), (request.finished, -1, 0, request.address)]
    for requests in by_host(log).values():
        for before, after in itertools.pairwise(requests):
            held_up = watch.held_up(before)
            rest = rest_after(before, overhead=0.03 + held_up)
            ready = before.finished + held_up + rest + PATIENCE_SECONDS
            if ready < after.started:
                changes += [(ready, 0, 1, after.address), (after.started, 0, -1, after.address)]
    changes.sort()
    open_now = position = 0
    ready_at: Counter[str] = Counter()
    last_start: dict[str, float] = {}
    idle = []
    for moment in watch.moments:
        while position < len(changes) and changes[position][0] <= moment:
            time, opened, made_ready, address = changes[position]
            open_now += opened
            ready_at[address] += made_ready
            if opened > 0:
                last_start[address] = time
            position += 1
        rested = moment - POLITENESS["address_delay_seconds"] - PATIENCE_SECONDS
        if not open_now and any(ready_at[address] and last_start[address] < rested for address in last_start):
            idle.append(moment)
    return idle


async def test_200_hosts_are_visited_politely_and_without_dawdling(tmp_path: Path) -> None:
    watch = Watch()
    async with LoopbackWeb(addresses=ADDRESSES) as web:
        seeds = serve_hosts(web)
        ticking = asyncio.create_task(watch.keep())
        crawled = await crawl(
            web.addresses,
            seeds,
            tmp_path / "store.db",
            politeness=POLITENESS,
            robots={"retry_seconds": ROBOTS_RETRY_SECONDS},
            fetching={"max_in_flight": 60},
        )
        ticking.cancel()
    requests = by_host(web.log)

    assert len(fetched(crawled.store)) == HOSTS * PAGES, "nothing was lost"
    assert_each_page_was_fetched_as_often_as_needed(requests)
    assert web.overlaps() == [], "never two open requests to one host"
    for before, after in itertools.chain.from_iterable(map(itertools.pairwise, requests.values())):
        assert after.started - before.finished >= rest_after(before), (before, after)
    for address in ADDRESSES:
        here = [request for request in web.log if request.address == address]
        assert most_open(here) <= POLITENESS["address_connections"]
        most = (1.0 + TRAVEL_SECONDS) / POLITENESS["address_delay_seconds"] + 1
        assert most_started_within(here, 1.0) <= most
    assert_hardly_idle(idle_moments(web.log, watch), watch, 0.01)


def assert_each_page_was_fetched_as_often_as_needed(requests: dict[str, list[Request]]) -> None:
    assert len(requests) == HOSTS
    for host, seen in requests.items():
        manner = manner_of(host)
        assert len(seen) == PAGES + 1 + bool(manner.throttles) + bool(manner.hides_robots)
        first_page = next(request.path for request in seen if request.path != "/robots.txt")
        assert first_page == "/", "nothing before robots.txt, which is asked for first"
        assert seen[0].path == "/robots.txt"


async def test_pages_that_robots_forbid_cost_their_host_no_time(tmp_path: Path) -> None:
    watch = Watch()
    async with LoopbackWeb() as web:
        host = web.host("h0.test")
        paths = [path for n in range(8) for path in (f"/private/{n}", f"/{n}")]
        seed = web.page(host, "/", links=paths)
        web.robots(host, "User-agent: *\nDisallow: /private\n")
        for path in paths:
            web.page(host, path)
        ticking = asyncio.create_task(watch.keep())
        # Waiting until a refusal is written takes as long as results are gathered.
        gathered = {"commit_seconds": 0.5}
        crawled = await crawl(web.addresses, [seed], tmp_path / "s.db", politeness=POLITENESS, storage=gathered)
        ticking.cancel()
    assert crawled.statistics.outcomes == {"fetched": 9, "robots": 8}
    last = max(request.finished for request in web.log)
    watch.moments = [moment for moment in watch.moments if moment < last]
    assert_hardly_idle(idle_moments(web.log, watch), watch, 0.02)


def assert_hardly_idle(idle: Sequence[float], watch: Watch, share: float) -> None:
    few, moments = FEW_MOMENTS, len(watch.moments)
    assert len(idle) <= max(share * moments, few), f"{len(idle)} of {moments} moments were idle"


async def test_a_host_that_names_a_date_is_left_alone_until_then(tmp_path: Path) -> None:
    comes_back: list[float] = []

    async def asks_for_patience(exchange: Exchange) -> None:
        # A date has no fractions of a second: cut, it is sooner than what was meant, never later.
        back = int(time.time() + 2.0)
        comes_back.append(time.monotonic() + back - time.time())  # a pause between the two makes it sooner, not later
        date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(back))
        await throttled(503, date)(exchange)

    async with LoopbackWeb() as web:
        seed = web.answer("a.test", "/", first_times(1, asks_for_patience, OK_PAGE))
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    refused, answered = web.requests("a.test")
    assert crawled.outcome(seed) == "fetched"
    assert (refused.status, answered.status) == (503, 200)
    assert answered.started >= comes_back[0] - 0.001  # two clocks were read


async def test_one_bad_host_does_not_hold_up_the_others(tmp_path: Path) -> None:
    ended_good: list[float] = []
    async with LoopbackWeb() as web:
        for number in range(10):
            web.page(f"good{number}.test", "/", links=["/1", "/2", "/3"])
            for path in ("/1", "/2", "/3"):
                web.page(f"good{number}.test", path)
        web.answer("bad.test", "/", throttled(429, "1"))
        crawled = await crawl(
            web.addresses,
            [web.url(host) for host in web.addresses],
            tmp_path / "store.db",
            politeness={"give_up_after_failures": 3},
        )
        ended_good.extend(request.finished for request in web.log if request.host != "bad.test")
    bad = web.requests("bad.test")
    assert crawled.reason.label == "hosts-given-up"
    assert [request.status for request in bad] == [429, 429, 429]
    assert max(ended_good) < bad[1].started, "all others were done while the bad host was resting"


# --- the measure itself -------------------------------------------------------------------------


THREE_SECONDS = [n / 100 for n in range(300)]


def request(host: str, started: float, finished: float) -> Request:
    return Request(host, "/p2", started, finished, 200, 1, 1, "127.0.0.1")


@pytest.mark.parametrize("start, is_idle", [(1.3, False), (2.0, True)])
def test_the_measure_sees_a_crawler_that_dawdles(start: float, is_idle: bool) -> None:
    # h0 is ready at 1.25, and nothing else is going on until it is asked again.
    log = [request("h0.test", 0.9, 1.0), request("h0.test", start, start + 0.1)]
    assert bool(idle_moments(log, Watch(THREE_SECONDS))) == is_idle


def test_the_measure_takes_no_offence_at_a_crawler_that_is_busy_elsewhere() -> None:
    log = [request("h0.test", 0.9, 1.0), request("h0.test", 2.0, 2.1), request("h1.test", 1.0, 2.5)]
    assert idle_moments(log, Watch(THREE_SECONDS)) == []


def test_the_measure_takes_no_offence_at_a_rest_that_a_busy_machine_makes_longer() -> None:
    """The crawler takes a request to last until it has read the answer, and the host's rest is a multiple of that."""
    log = [request("h0.test", 0.9, 1.0), request("h0.test", 2.0, 2.1)]
    assert idle_moments(log, Watch(THREE_SECONDS, [(1.0, 1.3)])) == []
    assert idle_moments(log, Watch(THREE_SECONDS, [(0.2, 0.5)])) != []
