"""The results of a crawl in a box: pages and hosts next to the ideal, failures, cost, politeness. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from benchmarks.internet.crawls import Conditions, Run, Sample
from benchmarks.internet.ideal import Schedule, lives
from benchmarks.internet.link import Counters
from benchmarks.internet.manners import Politeness, Verdict, judge
from benchmarks.internet.names_log import Asked
from benchmarks.internet.pages import number_of
from benchmarks.internet.report_blame import Blame, blame_of
from benchmarks.internet.request_log import Request
from benchmarks.internet.web_answers import ROBOTS_PATH, names_of, patience_of
from benchmarks.internet.web_robots import RobotsFile, robots_of
from benchmarks.internet.web_tls import stall_seconds
from benchmarks.internet.world import Quirk, TlsKind, World

_RETRANSMISSION: Final = 1.2
"""Seconds that a lost packet of a handshake may hold a request up."""
_ROUND_TRIPS: Final = 4
"""Round trips of a connection with TLS 1.2 and its first request."""

_STEP_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class LinkUse:
    """The use of the link.

    `wait_*` are the waits in the queue of its bottleneck, in ms. The bits are per second, in the window. `late_p95_ms`
    is how late the box itself was.
    """

    wait_p50_ms: float
    wait_p95_ms: float
    wait_max_ms: float
    down_bits: float
    up_bits: float
    dropped: int
    late_p95_ms: float


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a run.

    Rates are pages a second in the window. living: hosts that can be reached; reached: hosts asked for a page until the
    crawl was asked to stop; ideal_*: the same by the ideal schedule. start_seconds: until the first question or
    request, from which all other times count. cpu_ms: a page, in the window, of all processes of the crawl;
    cpu_ms_host: a host reached, over all the time. queries: questions to the name server by outcome. names_a_second:
    asked for the first time in the busiest second. reached_by: seconds, hosts reached by then, and by the ideal.
    """

    name: str
    hosts: int
    living: int
    start_seconds: float
    names_asked: int
    names_a_second: int
    reached_by: list[tuple[float, int, int]]
    queries: Counter[str]
    reached: int
    ideal_reached: int
    half_reached_after: float | None
    pages: int
    rate: float
    ideal_rate: float
    cpu_ms: float | None
    cpu_ms_host: float | None
    peak_mb: float
    stop_seconds: float
    exit_codes: list[int]
    arrivals: Counter[str]
    link: LinkUse | None
    blame: Blame
    manners: Verdict
    tally: str

    @property
    def ratio(self) -> float:
        """The rate as a share of the ideal one."""
        return self.rate / self.ideal_rate if self.ideal_rate else 0.0


def report_of(
    world: World,
    run: Run,
    conditions: Conditions,
    *,
    requests: Sequence[Request],
    questions: Sequence[Asked],
    counters: Sequence[Counters],
    ideal: Schedule,
    politeness: Politeness,
) -> Report:
    """Put together what is known of a run."""
    heard = [*(question.at for question in questions[:1]), *(request.received for request in requests)]
    start, stopped = min(heard, default=run.begin), run.asked_to_stop
    begin = start + conditions.window_begin
    found = names_of(world.hosts)
    pages = [each for each in pages_of(world, requests) if each.ended < stopped]
    reached = {index: at for index, at in first_asked(world, requests).items() if at < stopped}
    by_then = sorted(at - start for at in reached.values())
    rate = sum(begin <= each.ended < stopped for each in pages) / max(stopped - begin, 1e-9)
    living = sum(lives(world, host) for host in world.hosts)
    length = stopped - start
    used = _between(run.samples, begin, stopped)
    in_window = sum(used[0].at <= each.ended < used[1].at for each in pages) if used else 0
    return Report(
        name=run.name,
        hosts=len(world.hosts),
        living=living,
        start_seconds=start - run.begin,
        names_asked=len({question.name for question in questions if question.name in found}),
        names_a_second=_busiest_second(question.at for question in questions_first(questions)),
        reached_by=[(at, bisect_left(by_then, at), ideal.hosts_by(at)) for at in _steps(length)],
        queries=Counter(question.outcome for question in questions),
        reached=len(reached),
        ideal_reached=ideal.hosts_by(length),
        half_reached_after=by_then[living // 2] if len(by_then) > living // 2 else None,
        pages=len(pages),
        rate=rate,
        ideal_rate=ideal.rate(conditions.window_begin, length) if length > conditions.window_begin else 0.0,
        cpu_ms=1e3 * (used[1].cpu_seconds - used[0].cpu_seconds) / in_window if used and in_window else None,
        cpu_ms_host=1e3 * run.cpu_seconds / len(reached) if reached else None,
        peak_mb=max((sample.memory for sample in run.samples), default=0) / 1e6,
        stop_seconds=run.end - stopped,
        exit_codes=run.exit_codes,
        arrivals=Counter(request.arrival.value for request in requests),
        link=_link_use(counters, conditions.window_begin, length),
        blame=blame_of(world, run.failures),
        manners=judge(requests, politeness, _robots_by_host(world), travel_by_address(world)),
        tally=run.tally,
    )


def questions_first(questions: Iterable[Asked]) -> list[Asked]:
    """Return the first question for each name."""
    first: dict[str, Asked] = {}
    for question in sorted(questions, key=lambda each: each.at):
        first.setdefault(question.name, question)
    return list(first.values())


def _busiest_second(times: Iterable[float]) -> int:
    return max(Counter(int(at) for at in times).values(), default=0)


def _steps(length: float) -> list[float]:
    """Return the moments at which hosts are counted."""
    return [float(at) for at in range(_STEP_SECONDS, int(length) + 1, _STEP_SECONDS)]


def pages_of(world: World, requests: Iterable[Request]) -> list[Request]:
    """Return the requests answered with a page, not an error, a redirect or the page of a bot filter."""
    found = names_of(world.hosts)
    seen = Counter[int]()
    pages = []
    for request in sorted(requests, key=lambda each: each.received):
        index, _ = found[_name(request.host)]
        number = seen[index]
        seen[index] += 1
        challenges = world.hosts[index].quirk is Quirk.CHALLENGE and number >= patience_of(world.seed, index)
        if request.status in (200, 304) and not challenges and _is_page(request.path):
            pages.append(request)
    return pages


def _is_page(path: str) -> bool:
    """Whether a path is one of the small web's pages, or of a farm's."""
    return number_of(path) is not None or path.endswith((".html", ".htm", "/"))


def first_asked(world: World, requests: Iterable[Request]) -> dict[int, float]:
    """When each host was first asked for something else than its robots.txt."""
    found = names_of(world.hosts)
    first: dict[int, float] = {}
    for request in requests:
        if request.path != ROBOTS_PATH:
            index, _ = found[_name(request.host)]
            first[index] = min(request.received, first.get(index, request.received))
    return first


def travel_by_address(world: World) -> Callable[[str], float]:
    """Seconds by which a request to an address may come later than one sent after it: name, connection, handshake."""
    names, stalls = [0.0] * len(world.machines), [0.0] * len(world.machines)
    for index, host in enumerate(world.hosts):
        names[host.machine] = max(names[host.machine], host.resolved.seconds)
        if host.tls is TlsKind.SLOW:
            stalls[host.machine] = max(stalls[host.machine], stall_seconds(world.seed, index))
    buffer = world.link.buffer_seconds if world.link.down_bits or world.link.up_bits else 0.0
    travel = {"": 0.0}
    for number, machine in enumerate(world.machines):
        path = machine.path
        one_trip = path.rtt_seconds + 2 * path.jitter_seconds + buffer + (_RETRANSMISSION if path.loss else 0.0)
        travel[machine.v4] = travel[machine.v6] = names[number] + stalls[number] + _ROUND_TRIPS * one_trip
    return lambda address: travel.get(address, 0.0)


def _robots_by_host(world: World) -> Callable[[str], RobotsFile | None]:
    found = names_of(world.hosts)
    return lambda host: robots_of(world.seed, found[_name(host)][0])


def _name(host: str) -> str:
    """Return the name in scheme and authority."""
    return host.partition("://")[2].partition(":")[0]


def _between(samples: Sequence[Sample], begin: float, end: float) -> tuple[Sample, Sample] | None:
    """Return the first and the last sample of a window; None if it has fewer than two."""
    times = [sample.at for sample in samples]
    first, last = bisect_left(times, begin), bisect_left(times, end) - 1
    return (samples[first], samples[last]) if last > first else None


def _link_use(counters: Sequence[Counters], begin: float, end: float) -> LinkUse | None:
    """Return the use of the link in a window. It began some seconds before the crawl; the last ones are taken."""
    wanted = max(int(end - begin), 1)
    window = [second for second in counters if second.down.packets][-wanted:]
    if not window:
        return None
    down = [second.down for second in window]
    return LinkUse(
        wait_p50_ms=median(way.wait_p50_ms for way in down),
        wait_p95_ms=sorted(way.wait_p95_ms for way in down)[int(0.95 * (len(down) - 1))],
        wait_max_ms=max(way.wait_max_ms for way in down),
        down_bits=8 * sum(way.bytes for way in down) / len(window),
        up_bits=8 * sum(second.up.bytes for second in window) / len(window),
        dropped=sum(way.queue_full for way in down),
        late_p95_ms=max(way.late_p95_ms for way in down),
    )
