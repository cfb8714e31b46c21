"""A week of revisits as the hosts see it: whether politeness holds, according to the servers' log.

    python -m benchmarks.polite_week --days 7 --budget 600

Five hosts at two addresses: one plain, one slow, one with a Crawl-delay, one that forbids half of its pages from the
third day on, and one that answers 503 for half an hour at the beginning of every day. They are crawled and then kept
fresh by `recrawl --budget` with the default politeness settings, under a clock that leaps over idle time, so rests and
delays are as long as ever. Prints every violation, and the verdict.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Final

import uvloop

from hinterland.crawler.assembly.running import CrawlRequest, run_crawl
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.settings import PolitenessSettings, Settings
from hinterland.storage.link_store import LinkStore
from tests.support.crawling import quick_settings
from tests.support.leaping_clock import LeapingClock
from tests.support.web import HTML, Answer, Exchange, LoopbackWeb, Request
from tests.support.web_behaviours import slow_first_byte

DAY: Final = 86_400.0
BEGINS: Final = 20_000 * DAY
CLOSES: Final = 2.5 * DAY
"""Seconds after the beginning from which /archive/ is forbidden."""
_PEACE: Final = 1_800.0
_TRAVEL: Final = 0.23
"""Seconds by which a request may come later than another that was sent after it. The rest of an address counts from
when a page is handed out; only then its URL and what earlier visits brought are read from the store, in another thread:
0.6 ms in the median, 0.2 s at worst on a busy machine. It may have to open a connection, too."""
_ROBOTS: Final = "/robots.txt"


@dataclass(frozen=True, slots=True)
class Manner:
    """How a host behaves.

    `slow` is the delay before each answer, in seconds, and so is `crawl_delay`. `closes` says that it later forbids
    /archive/, `is_tired` that it answers 503 in the first half hour of a day.
    """

    address: str
    slow: float = 0.0
    crawl_delay: float = 0.0
    closes: bool = False
    is_tired: bool = False


MANNERS: Final = {
    "plain.test": Manner("127.0.0.1"),
    "slow.test": Manner("127.0.0.1", slow=0.12),
    "patient.test": Manner("127.0.0.1", crawl_delay=20.0),
    "closing.test": Manner("127.0.0.2", closes=True),
    "tired.test": Manner("127.0.0.2", is_tired=True),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as its host saw it; virtual epoch seconds."""

    host: str
    path: str
    status: int
    started: float
    finished: float


@dataclass(slots=True)
class Hosts:
    """Who answers, and what was asked. pages: of each host."""

    clock: LeapingClock
    pages: int
    log: list[Seen] = field(default_factory=list)

    def finished(self, request: Request) -> None:
        """Log a finished request."""
        self.log.append(Seen(request.host, request.path, request.status, request.started, request.finished))

    def serve(self, web: LoopbackWeb) -> list[str]:
        """Serve the hosts, and return their front pages."""
        for host, manner in MANNERS.items():
            web.host(host, manner.address)
            web.answer(host, "*", slow_first_byte(manner.slow, self._page))
            web.answer(host, _ROBOTS, self._robots)
        return [web.url(host) for host in MANNERS]

    async def _robots(self, exchange: Exchange) -> None:
        manner = MANNERS[exchange.request.host]
        rules = [f"Crawl-delay: {manner.crawl_delay:g}"] if manner.crawl_delay else []
        rules += ["Disallow: /archive/"] if manner.closes and self.clock() >= BEGINS + CLOSES else []
        await Answer("\n".join(["User-agent: *", *rules, ""]).encode(), 200, "text/plain", self._dated())(exchange)

    def _dated(self) -> dict[str, str]:
        return {"Date": formatdate(self.clock(), usegmt=True)}

    async def _page(self, exchange: Exchange) -> None:
        request, now = exchange.request, self.clock()
        if MANNERS[request.host].is_tired and now - BEGINS > DAY and (now - BEGINS) % DAY < _PEACE:
            asked = {"Retry-After": f"{_PEACE:.0f}"}
            await Answer(b"later", 503, "text/plain", self._dated() | asked)(exchange)
            return
        if request.path == "/":
            names = [f"/{'archive' if n % 2 else 'news'}/{n}" for n in range(self.pages)]
            body = "".join(f"<li><a href={name}>{name}</a>" for name in names)
        elif not (number := request.path.rpartition("/")[2]).isdigit():
            await Answer(b"not here", 404, "text/plain", self._dated())(exchange)
            return
        else:
            body = f"<p>What was said last is of day {int(now / DAY / (1 + int(number) / 8))}.</p>"
        await Answer(f"<title>{request.path}</title><main>{body}</main>".encode(), 200, HTML, self._dated())(exchange)


def broken_promises(log: Sequence[Seen], politeness: PolitenessSettings, robots_seconds: float) -> Iterator[str]:
    """Yield the violations of politeness."""
    of_host, of_address = defaultdict[str, list[Seen]](list), defaultdict[str, list[Seen]](list)
    for seen in sorted(log, key=lambda seen: seen.started):
        of_host[seen.host].append(seen)
        of_address[MANNERS[seen.host].address].append(seen)
    for host, requests in of_host.items():
        for before, after in pairwise(requests):
            rest, owed = after.started - before.finished, _rest_after(before, politeness)
            if rest < owed:
                yield f"{host} rested for {rest:.3f} s instead of {owed:.3f} before {after.path}"
        yield from _unread_rules(host, requests, robots_seconds)
    for address, requests in of_address.items():
        for before, after in pairwise(requests):
            if after.started - before.started < politeness.address_delay_seconds - _TRAVEL:
                yield f"{address} was asked twice within {after.started - before.started:.3f} s"
        if (most := _most_open(requests)) > politeness.address_connections:
            yield f"{address} had {most} open requests"


def _rest_after(seen: Seen, politeness: PolitenessSettings) -> float:
    mercator = min(politeness.delay_factor * (seen.finished - seen.started), politeness.max_delay_seconds)
    asked = min(_PEACE, politeness.page_retry_after_seconds) if seen.status == 503 else 0.0
    return max(politeness.delay_seconds, mercator, MANNERS[seen.host].crawl_delay, asked)


def _unread_rules(host: str, requests: Sequence[Seen], robots_seconds: float) -> Iterator[str]:
    read = [-inf, *(seen.finished for seen in requests if seen.path == _ROBOTS)]
    for seen in requests:
        rules_of = read[bisect_right(read, seen.started) - 1]
        if seen.path != _ROBOTS and seen.started - rules_of > robots_seconds + _TRAVEL:
            yield f"{host} was asked for {seen.path} by rules {seen.started - rules_of:.0f} s old"
        is_forbidden = MANNERS[host].closes and rules_of >= BEGINS + CLOSES and seen.path.startswith("/archive/")
        if is_forbidden:
            yield f"{host} was asked for {seen.path}, which it forbids"


def _most_open(requests: Sequence[Seen]) -> int:
    ends = sorted((time, change) for seen in requests for time, change in ((seen.started, 1), (seen.finished, -1)))
    most = now = 0
    for _, change in ends:
        now += change
        most = max(most, now)
    return most


def most_in_a_day(log: Sequence[Seen]) -> int:
    """Return the most visits to pages within any 24 hours."""
    times = sorted(seen.started for seen in log if seen.path != _ROBOTS)
    return max((bisect_right(times, time + DAY) - place for place, time in enumerate(times)), default=0)


async def looked_at(days: float, budget: float, pages: int) -> tuple[list[Seen], Settings]:
    """Return the log of keeping the hosts fresh with a budget of visits a day."""
    clock = LeapingClock(BEGINS)
    hosts = Hosts(clock, pages)
    addresses = sorted({manner.address for manner in MANNERS.values()})
    with tempfile.TemporaryDirectory(prefix="polite-week-") as folder:
        async with LoopbackWeb(addresses=addresses, on_finished=hosts.finished, clock=clock) as web:
            seeds = hosts.serve(web)
            quick = quick_settings(web.addresses, identity={"contact": "https://benchmark.example/"})
            settings = replace(quick, politeness=PolitenessSettings())
            first = CrawlRequest(settings, seeds, ["crawl"], clock=clock)
            again = CrawlRequest(settings, [], ["recrawl"], asked=[Revisiting(budget / DAY, days * DAY)], clock=clock)
            for request in (first, again):
                async with LinkStore(Path(folder) / "hosts.db") as store:
                    await run_crawl(request, store, clock.watch)
    return hosts.log, settings


def main() -> None:
    """Run the week and print the violations and the verdict."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=float, default=7.0)
    parser.add_argument("--budget", type=float, default=600.0, help="visits a day")
    parser.add_argument("--pages", type=int, default=40, help="of each host")
    arguments = parser.parse_args()
    log, settings = uvloop.run(looked_at(arguments.days, arguments.budget, arguments.pages))
    complaints = list(broken_promises(log, settings.politeness, settings.robots.max_age_seconds))
    for complaint in complaints:
        print(complaint)
    robots = sum(seen.path == _ROBOTS for seen in log)
    days = (max(seen.finished for seen in log) - min(seen.started for seen in log)) / DAY
    print(f"{len(log) - robots} visits in {days:.1f} days, {most_in_a_day(log)} in a day at most; {robots} robots.txt")
    for host in MANNERS:
        requests = sorted((seen for seen in log if seen.host == host), key=lambda seen: seen.started)
        least = min(after.started - before.finished for before, after in pairwise(requests))
        print(f"{host}: {len(requests)} requests, the shortest rest {least:.2f} s")
    print(f"{len(complaints)} broken promises")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    main()
