"""Whether a crawl kept its manners, by the log of the web side. Pure.

A gap lasts from the end of an answer to the head of the next request to that host. The server hands the answer out
before the crawler has it, and the crawler sends the next request before the server has it; so a gap seen here is never
shorter than the rest of the crawler, and no allowance is made. Two requests to one address may arrive nearer to each
other than they were sent, if the first had to open a connection. So any n that follow one another must take n - 1
delays, less the time that a request may be under way (`travel`).

A Crawl-delay counts between pages. A robots.txt may be read sooner: who was redirected to it from that of another host
does not know yet what it asks for.

The host of a request is scheme and name, as a robots.txt has it (RFC 9309, section 2.3).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from typing import Final

from benchmarks.internet.request_log import Request
from benchmarks.internet.web_answers import ROBOTS_PATH
from benchmarks.internet.web_robots import PRIVATE, RobotsFile

_CLOCK: Final = 0.002
"""Seconds by which no clock, rounding or whole second of a Retry-After can be told better."""
_EXAMPLES: Final = 5
_UNDER_WAY: Final = 0.23
"""Seconds by which a request may be held up on its way on a busy computer, as in `benchmarks.polite_week`."""


@dataclass(frozen=True, slots=True)
class Politeness:
    """The settings of politeness of a crawl, named as there. max_crawl_delay_seconds: of robots."""

    delay_seconds: float = 1.0
    delay_factor: float = 10.0
    max_delay_seconds: float = 30.0
    address_delay_seconds: float = 0.25
    address_connections: int = 8
    backoff_seconds: float = 5.0
    max_backoff_seconds: float = 600.0
    max_retry_after_seconds: float = 3600.0
    max_crawl_delay_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The politeness of a crawl.

    `gaps` counts the pairs of requests to a host that were checked, `starts` those to an address. `violations` counts
    each kind; `examples` has some of each in words.
    """

    gaps: int
    starts: int
    violations: Counter[str]
    examples: list[str]
    shortest_gap: float = inf


@dataclass(slots=True)
class _Complaints:
    counts: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def add(self, kind: str, text: str) -> None:
        self.counts[kind] += 1
        if self.counts[kind] <= _EXAMPLES:
            self.examples.append(f"{kind}: {text}")


def judge(
    requests: Iterable[Request],
    politeness: Politeness,
    robots: Callable[[str], RobotsFile | None],
    travel: Callable[[str], float],
) -> Verdict:
    """Look at all gaps of a log.

    robots: of the host of a request; travel: seconds by which a request to an address may come later than another that
    was sent after it.
    """
    of_host, of_address = defaultdict[str, list[Request]](list), defaultdict[str, list[Request]](list)
    for request in sorted(requests, key=lambda each: each.received):
        of_host[request.host].append(request)
        of_address[request.address].append(request)
    complaints, gaps, shortest = _Complaints(), 0, inf
    for host, asked in of_host.items():
        gaps += len(asked) - 1
        shortest = min(shortest, *_judge_host(host, asked, politeness, robots(host), complaints), inf)
    starts = 0
    for address, asked in of_address.items():
        starts += len(asked) - 1
        _judge_address(address, asked, politeness, travel(address), complaints)
    return Verdict(gaps, starts, complaints.counts, complaints.examples, shortest)


def owed_rest(before: Request, politeness: Politeness, crawl_delay: float) -> float:
    """Return the seconds that a host is owed between an answer and the next request.

    `crawl_delay` is 0 if its robots.txt names none or has not been read yet.
    """
    slowness = min(politeness.delay_factor * (before.ended - before.received), politeness.max_delay_seconds)
    asked = min(before.retry_after, politeness.max_retry_after_seconds)
    return max(politeness.delay_seconds, slowness, asked, min(crawl_delay, politeness.max_crawl_delay_seconds))


def _judge_host(
    host: str, asked: Sequence[Request], politeness: Politeness, robots: RobotsFile | None, complaints: _Complaints
) -> Iterator[float]:
    """Yield the gaps of a host."""
    if asked[0].path != ROBOTS_PATH:
        complaints.add("robots.txt not read first", f"{host} was asked for {asked[0].path}")
    for request in asked:
        if robots is not None and robots.forbids and request.path.startswith(PRIVATE):
            complaints.add("forbidden by robots.txt", f"{host} was asked for {request.path}")
    asked_delay = 0.0
    for before, after in pairwise(asked):
        if before.path == ROBOTS_PATH and before.status == 200 and robots is not None:
            asked_delay = float(robots.crawl_delay or 0)
        gap = after.received - before.ended
        yield gap
        crawl_delay = 0.0 if after.path == ROBOTS_PATH else asked_delay
        owed = owed_rest(before, politeness, crawl_delay)
        where = f"{host} {before.path} -> {after.path} at {after.received:.3f}"
        if gap < 0:
            complaints.add("overlap", f"{where}: {-gap:.3f} s before the answer had ended")
        elif gap < owed - _CLOCK:
            complaints.add(
                _reason(before, politeness, crawl_delay, owed), f"{where}: {gap:.3f} s instead of {owed:.3f}"
            )


def _reason(before: Request, politeness: Politeness, crawl_delay: float, owed: float) -> str:
    if before.retry_after and owed == min(before.retry_after, politeness.max_retry_after_seconds):
        return "Retry-After not obeyed"
    if crawl_delay and owed == min(crawl_delay, politeness.max_crawl_delay_seconds):
        return "Crawl-delay not kept"
    return "gap too short"


def _judge_address(
    address: str, asked: Sequence[Request], politeness: Politeness, travel: float, complaints: _Complaints
) -> None:
    delay, latest = politeness.address_delay_seconds, -inf
    for place, request in enumerate(asked):
        ahead = request.received - place * delay  # how far the address is ahead of one request each delay
        if ahead < latest - travel - _UNDER_WAY:
            early = latest - ahead
            complaints.add("address asked too soon", f"{address} at {request.received:.3f}: {early:.3f} s too early")
        latest = max(latest, ahead)
    ends: list[float] = []
    for request in asked:
        while ends and ends[0] <= request.received:
            heappop(ends)
        heappush(ends, request.ended)
        if politeness.address_connections and len(ends) > politeness.address_connections:
            complaints.add("too many requests at an address", f"{address} at {request.received:.3f}: {len(ends)}")
