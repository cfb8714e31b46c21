"""What waiting pages cost, and how long the event loop stands still for them. Needs no network.

    python -m benchmarks.frontier [--pages 1000000] [--hosts 50000] [--visits 200000] [--json FILE]

Time is virtual: hosts answer after about half a second and rest a second, a fifth of them share an address with
nineteen others, up to 1,000 requests are in flight. Beside the frontier stands the plain way to build one: a heap of
(-urgency, URL) per host, a heap of resting hosts, a heap of ready ones and a set of URLs seen; it knows no shared
addresses, no robots.txt, no fairness and no re-ordering but to rebuild every heap. Each contestant runs in a process
of its own. Times are CPU times of the thread that an event loop would run in: neighbours on the machine lengthen
them by their cache misses only.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import inf
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np

from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.visits import Visit, Wait
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray
from hinterland.crawler.settings import PolitenessSettings
from hinterland.crawler.urls.url_table import UrlTable

_FOUND_TOGETHER = 20
"""New pages that one visit brings to light."""
_IN_FLIGHT = 1000
_FOREVER = 1e18

Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


@dataclass(frozen=True, slots=True)
class Load:
    """Pages spread over hosts, a few hosts having most; urgencies at random."""

    pages: int
    hosts: int
    visits: int

    def hosts_of_pages(self) -> IntArray:
        """Return the host of each page; the first pages are the first of each host."""
        others = self.hosts * np.random.default_rng(1).random(self.pages - self.hosts) ** 2
        return np.concatenate([np.arange(self.hosts), others]).astype(np.int32)

    def urgencies(self, seed: int) -> FloatArray:
        """Return random urgencies of all pages, shape (n,)."""
        return np.random.default_rng(seed).random(self.pages)

    def found_together(self, first: int = 0) -> Iterator[slice]:
        """Yield the pages from `first` on in the portions that single visits find."""
        for start in range(first, self.pages, _FOUND_TOGETHER):
            yield slice(start, min(start + _FOUND_TOGETHER, self.pages))


def url_of(page: int, host: int) -> str:
    """67 characters, about the mean of real URLs."""
    return f"https://www.host-{host:06}.example/articles/2024/{page:010}/index.html"


def address_of(host: int) -> str:
    """Return the address of a host; one host in five shares its address with others."""
    return f"own-{host}" if host % 5 else f"shared-{host // 100}"


@dataclass(slots=True)
class Steps:
    """CPU times of one kind of step; seconds."""

    count: int = 0
    total: float = 0.0
    longest: float = 0.0

    def measure(
        self, step: Callable[Arguments, Answer], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Answer:
        """Run a step and record its CPU time."""
        started = thread_time()
        answer = step(*arguments, **named)
        took = thread_time() - started
        self.count += 1
        self.total += took
        self.longest = max(self.longest, took)
        return answer

    def figures(self) -> dict[str, float]:
        """Return the mean time in microseconds and the longest in milliseconds."""
        return {"microseconds": 1e6 * self.total / max(self.count, 1), "longest_ms": 1e3 * self.longest}


class Contestant(Protocol):
    """A frontier that can be measured."""

    def next_visit(self, now: float) -> Visit | Wait:
        """Return the next visit, or how long to wait."""

    def finished(self, visit: Visit, now: float, seconds: float) -> None:
        """Report the end of a visit that took `seconds`."""


# --- the contestants ----------------------------------------------------------------------------


class OurFrontier:
    """The frontier with all hosts resolved and their robots.txt known."""

    def __init__(self, load: Load) -> None:
        """Create the frontier with all hosts and their robots.txt known."""
        self.frontier = Frontier(PolitenessSettings(), random=lambda: 0.5)
        for _ in range(load.hosts):
            self.frontier.restore_robots(self.frontier.add_host(), _FOREVER, None)

    def resolve_all(self, now: float) -> None:
        """Resolve all hosts that have a waiting page."""
        visits = []
        while isinstance(visit := self.frontier.next_visit(now), Visit):
            visits.append(visit)
        for visit in visits:
            self.frontier.resolved(visit, address_of(visit.host), now)

    def next_visit(self, now: float) -> Visit | Wait:
        """Return the next visit, or how long to wait."""
        answer = self.frontier.next_visit(now)
        assert isinstance(answer, Visit | Wait), "pages are left"
        return answer

    def finished(self, visit: Visit, now: float, seconds: float) -> None:
        """Report the end of a visit that took `seconds`."""
        self.frontier.finished(visit, now, seconds)


class PlainHeaps:
    """A heap of (-urgency, URL) per host, as one would write it first."""

    def __init__(self, load: Load) -> None:
        """Start with empty heaps."""
        self.waiting: list[list[tuple[float, str]]] = [[] for _ in range(load.hosts)]
        self.seen: set[str] = set()
        self._ready: list[tuple[float, int]] = []
        self._resting: list[tuple[float, int]] = []

    def add(self, url: str, host: int, urgency: float) -> None:
        """Add a URL unless it is known."""
        if url not in self.seen:
            self.seen.add(url)
            heappush(self.waiting[host], (-urgency, url))

    def start(self) -> None:
        """Make all hosts with waiting pages ready."""
        self._ready = [(heap[0][0], host) for host, heap in enumerate(self.waiting) if heap]
        heapify(self._ready)

    def next_visit(self, now: float) -> Visit | Wait:
        """Return a visit to the ready host with the most urgent page, or how long to wait."""
        while self._resting and self._resting[0][0] <= now:
            _, host = heappop(self._resting)
            heappush(self._ready, (self.waiting[host][0][0], host))
        if self._ready:
            _, host = heappop(self._ready)
            heappop(self.waiting[host])
            return Visit(host, 0)
        return Wait(self._resting[0][0] if self._resting else inf)

    def finished(self, visit: Visit, now: float, seconds: float) -> None:
        """Let the host rest after a visit of `seconds`."""
        if self.waiting[visit.host]:
            heappush(self._resting, (now + max(1.0, min(10.0 * seconds, 30.0)), visit.host))

    def reorder(self, urgencies: FloatArray) -> None:
        """Give all waiting pages new urgencies."""
        values = iter(urgencies.tolist())
        for heap in self.waiting:
            heap[:] = [(-next(values), url) for _, url in heap]
            heapify(heap)
        self.start()


def crawl(contestant: Contestant, visits: int, now: float = 0.0) -> dict[str, dict[str, float]]:
    """Simulate `visits` visits, with requests in flight that take about half a second each."""
    asking, finishing = Steps(), Steps()
    durations = np.random.default_rng(3).gamma(2.0, 0.25, visits).tolist()
    under_way: list[tuple[float, int, Visit]] = []
    started = 0
    while started < visits:
        until = inf
        if len(under_way) < _IN_FLIGHT:
            answer = asking.measure(contestant.next_visit, now)
            if isinstance(answer, Visit):
                heappush(under_way, (now + durations[started], started, answer))
                started += 1
                continue
            until = answer.until
        if under_way and under_way[0][0] <= until:
            now, _, visit = heappop(under_way)
            finishing.measure(contestant.finished, visit, now, 0.05)
        else:
            now = until
    return {"next_visit": asking.figures(), "finished": finishing.figures()}


# --- measurements, each in a process of its own ---------------------------------------------------


def resident_bytes() -> int:
    """Return the resident memory in bytes, without what the allocator keeps in reserve."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return _status_bytes("VmRSS")


def peak_bytes(work: Callable[[], None]) -> int:
    """Return the most memory that the process had during some work."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forgets the peak so far
    work()
    return _status_bytes("VmHWM")


def _status_bytes(name: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise LookupError(name)


@dataclass(slots=True)
class Growth:
    """Bytes by which the process grew, step by step."""

    last: int = field(default_factory=resident_bytes)

    def since_last(self) -> int:
        """Return the growth since the last call, in bytes."""
        before, self.last = self.last, resident_bytes()
        return self.last - before


def measure_memory(load: Load) -> dict[str, Any]:
    """Measure the memory of our frontier."""
    hosts, urgencies, pages = load.hosts_of_pages(), load.urgencies(1), np.arange(load.pages, dtype=np.int32)
    host_list = hosts.tolist()
    growth = Growth()
    table = UrlTable()
    for found in load.found_together():
        table.add_all([url_of(page, host_list[page]) for page in range(found.start, found.stop)], found.start)
    bytes_table = growth.since_last()
    ours, first = OurFrontier(load), slice(load.hosts)
    ours.frontier.add(pages[first], hosts[first], urgencies[first], 0.0)
    ours.resolve_all(0.0)
    bytes_hosts = growth.since_last()

    def reorder() -> None:
        ours.frontier.install(ours.frontier.begin_reordering().sorted(), 0.0)

    for found in load.found_together(load.hosts):
        ours.frontier.add(pages[found], hosts[found], urgencies[found], 0.0)
        if ours.frontier.wants_compaction:
            reorder()
    bytes_before_last, said_before_last = growth.since_last(), ours.frontier.memory_bytes()
    reorder()
    bytes_waiting = bytes_before_last + growth.since_last()
    return {
        "reordering_bytes_per_page": (peak_bytes(reorder) - growth.last) / load.pages,
        "waiting_bytes_per_page": bytes_waiting / load.pages,
        "waiting_bytes_per_page_said": ours.frontier.memory_bytes() / load.pages,
        "waiting_bytes_per_page_before_the_last_folding": bytes_before_last / load.pages,
        "waiting_bytes_per_page_before_the_last_folding_said": said_before_last / load.pages,
        "url_table_bytes_per_page": bytes_table / load.pages,
        "url_table_bytes_per_page_said": table.memory_bytes() / load.pages,
        "host_bytes": bytes_hosts / load.hosts,
        "host_bytes_per_page": bytes_hosts / load.pages,
    }


def measure_memory_plain(load: Load) -> dict[str, Any]:
    """Measure the memory of plain heaps."""
    hosts, urgencies = load.hosts_of_pages().tolist(), load.urgencies(1).tolist()
    growth = Growth()
    plain = PlainHeaps(load)
    for page, (host, urgency) in enumerate(zip(hosts, urgencies, strict=True)):
        plain.add(url_of(page, host), host, urgency)
    plain.start()
    return {"bytes_per_page": growth.since_last() / load.pages}


def measure_speed(load: Load) -> dict[str, Any]:
    """Measure the speed of our frontier."""
    ours = OurFrontier(load)
    ours.frontier.add(np.arange(load.pages, dtype=np.int32), load.hosts_of_pages(), load.urgencies(1), 0.0)
    ours.resolve_all(0.0)
    beginning, sorting, installing = Steps(), Steps(), Steps()
    with ThreadPoolExecutor(1) as beside:
        for seed in range(2, 7):
            snapshot = beginning.measure(ours.frontier.begin_reordering)
            urgencies = load.urgencies(seed)[: len(snapshot.pages)]
            order = beside.submit(sorting.measure, snapshot.sorted, urgencies).result()
            installing.measure(ours.frontier.install, order, 0.0)
    return {
        "begin_reordering": beginning.figures(),
        "sort": sorting.figures(),
        "install": installing.figures(),
        **crawl(ours, load.visits),
    }


def measure_speed_plain(load: Load) -> dict[str, Any]:
    """Measure the speed of plain heaps."""
    plain = PlainHeaps(load)
    hosts, urgencies = load.hosts_of_pages().tolist(), load.urgencies(1).tolist()
    for page, (host, urgency) in enumerate(zip(hosts, urgencies, strict=True)):
        plain.add(url_of(page, host), host, urgency)
    plain.start()
    reordering = Steps()
    for seed in (2, 3):
        reordering.measure(plain.reorder, load.urgencies(seed))
    return {"reorder": reordering.figures(), **crawl(plain, load.visits)}


def measure_lag(load: Load) -> dict[str, Any]:
    """Measure visits and discoveries while re-orderings are sorted in another thread, one after another.

    Each visit comes with a millisecond of other work, like the parsing, storing and networking of a crawl.
    """
    gc.set_threshold(200_000, 50, 100)  # as crawls do
    hosts, urgencies, pages = load.hosts_of_pages(), load.urgencies(1), np.arange(load.pages, dtype=np.int32)
    ours, known = OurFrontier(load), load.pages - min(100_000, load.pages // 2)
    ours.frontier.add(pages[:known], hosts[:known], urgencies[:known], 0.0)
    ours.resolve_all(0.0)
    asking, finishing, adding, beginning, installing = Steps(), Steps(), Steps(), Steps(), Steps()
    under_way: list[tuple[float, Visit]] = []
    now, reorderings = 0.0, 0
    with ThreadPoolExecutor(1) as beside:
        sorting = beside.submit(beginning.measure(ours.frontier.begin_reordering).sorted)
        for found in load.found_together(known):
            now += 0.001
            answer = asking.measure(ours.next_visit, now)
            if isinstance(answer, Visit):
                under_way.append((now + 0.5, answer))
            while under_way and under_way[0][0] <= now:
                _, visit = under_way.pop(0)
                finishing.measure(ours.finished, visit, now, 0.05)
            adding.measure(ours.frontier.add, pages[found], hosts[found], urgencies[found], now)
            busy_until = perf_counter() + 0.001
            while perf_counter() < busy_until:
                pass
            if sorting.done():
                order = sorting.result()
                installing.measure(ours.frontier.install, order, now)
                reorderings += 1
                sorting = beside.submit(beginning.measure(ours.frontier.begin_reordering).sorted)
    return {
        "reorderings": reorderings,
        "next_visit": asking.figures(),
        "finished": finishing.figures(),
        "add": adding.figures(),
        "begin_reordering": beginning.figures(),
        "install": installing.figures(),
    }


def measure_urls(load: Load) -> dict[str, Any]:
    """Measure the check whether URLs have been seen, for the pages that one visit finds."""
    hosts, table = load.hosts_of_pages().tolist(), UrlTable()
    finding, adding = Steps(), Steps()
    for found in load.found_together():
        urls = [url_of(page, hosts[page]) for page in range(found.start, found.stop)]
        finding.measure(table.find_all, urls)
        adding.measure(table.add_all, urls, found.start)
    return {"find_all": finding.figures(), "add_all": adding.figures()}


MEASUREMENTS: dict[str, Callable[[Load], dict[str, Any]]] = {
    "memory": measure_memory,
    "memory_plain": measure_memory_plain,
    "speed": measure_speed,
    "speed_plain": measure_speed_plain,
    "lag": measure_lag,
    "urls": measure_urls,
}


def measure_apart(name: str, load: Load) -> dict[str, Any]:
    """Run one measurement in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.frontier", "--only", name]
    sizes = ["--pages", str(load.pages), "--hosts", str(load.hosts), "--visits", str(load.visits)]
    result = subprocess.run([*command, *sizes], capture_output=True, text=True, check=False)
    if result.returncode:
        raise SystemExit(f"{name} failed:\n{result.stderr}")
    figures: dict[str, Any] = json.loads(result.stdout)
    return figures


# --- the report ---------------------------------------------------------------------------------


def report(load: Load, figures: dict[str, Any]) -> str:
    """Return the table of all measurements."""
    memory, plain_memory = figures["memory"], figures["memory_plain"]
    speed, plain_speed, lag, urls = (figures[name] for name in ("speed", "speed_plain", "lag", "urls"))
    whole = sum(memory[f"{part}_bytes_per_page"] for part in ("waiting", "url_table", "host"))

    def visit(of: dict[str, Any]) -> float:
        return float(of["next_visit"]["microseconds"] + of["finished"]["microseconds"])

    def row(what: str, ours: str, plain: str = "", note: str = "") -> str:
        return f"  {what:<44}{ours:>14}{plain:>14}   {note}".rstrip()

    def ms(step: dict[str, float]) -> str:
        return f"{step['microseconds'] / 1e3:,.1f} ms"

    def us(step: dict[str, float]) -> str:
        return f"{step['microseconds']:.1f} us"

    def longest(step: dict[str, float]) -> str:
        return f"{step['longest_ms']:,.1f} ms"

    ratio, quicker = plain_memory["bytes_per_page"] / whole, visit(plain_speed) / visit(speed)
    lines = [
        f"{load.pages:,} waiting pages over {load.hosts:,} hosts",
        "",
        row("", "frontier", "plain heaps"),
        "memory, bytes per waiting page (growth of the process)",
        row("all of the below", f"{whole:.1f}", f"{plain_memory['bytes_per_page']:.1f}", f"{ratio:.1f} times less"),
        row(
            "waiting: order, urgency, host, state",
            f"{memory['waiting_bytes_per_page']:.1f}",
            note=f"memory_bytes() says {memory['waiting_bytes_per_page_said']:.1f}; the rest is room for new ones",
        ),
        row(
            "the same just before it was folded",
            f"{memory['waiting_bytes_per_page_before_the_last_folding']:.1f}",
            note=f"memory_bytes() says {memory['waiting_bytes_per_page_before_the_last_folding_said']:.1f}",
        ),
        row(
            "on top of it, while a re-ordering is sorted",
            f"{memory['reordering_bytes_per_page']:.1f}",
            note="not counted above",
        ),
        row(
            "URL table",
            f"{memory['url_table_bytes_per_page']:.1f}",
            note=f"memory_bytes() says {memory['url_table_bytes_per_page_said']:.1f}",
        ),
        row(
            "hosts, addresses, their heaps",
            f"{memory['host_bytes_per_page']:.1f}",
            note=f"{memory['host_bytes']:.0f} a host",
        ),
        "",
        f"visits, {load.visits:,} of them, CPU time",
        row(
            "visits per second",
            f"{1e6 / visit(speed):,.0f}",
            f"{1e6 / visit(plain_speed):,.0f}",
            f"{quicker:.2f} times as many",
        ),
        row("next_visit", us(speed["next_visit"]), us(plain_speed["next_visit"])),
        row("finished", us(speed["finished"]), us(plain_speed["finished"])),
        "",
        "re-ordering all that waits, all hosts ready, CPU time",
        row("on the event loop: begin", ms(speed["begin_reordering"])),
        row("on the event loop: install", ms(speed["install"]), ms(plain_speed["reorder"])),
        row("in a thread: sort", ms(speed["sort"])),
        "",
        f"longest step of the event loop, CPU time, with {lag['reorderings']} re-orderings sorted beside it",
        row("begin_reordering", longest(lag["begin_reordering"])),
        row("install", longest(lag["install"])),
        row("next_visit", longest(lag["next_visit"]), longest(plain_speed["next_visit"]), "plain: alone"),
        row("finished", longest(lag["finished"]), longest(plain_speed["finished"]), "plain: alone"),
        row(f"add, {_FOUND_TOGETHER} pages of one visit", longest(lag["add"]), note=f"mean {us(lag['add'])}"),
        row(
            f"URL table: find and add {_FOUND_TOGETHER}",
            f"{urls['find_all']['longest_ms'] + urls['add_all']['longest_ms']:.1f} ms",
            note=f"mean {us(urls['find_all'])} + {us(urls['add_all'])}",
        ),
    ]
    return "\n".join(lines)


def main() -> None:
    """Run all measurements and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=50_000)
    parser.add_argument("--visits", type=int, default=200_000)
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep all figures")
    parser.add_argument("--only", choices=MEASUREMENTS, help="one measurement in this process, as JSON")
    arguments = parser.parse_args()
    load = Load(arguments.pages, arguments.hosts, arguments.visits)
    if arguments.only:
        json.dump(MEASUREMENTS[arguments.only](load), sys.stdout)
        return
    started = perf_counter()
    figures = {name: measure_apart(name, load) for name in MEASUREMENTS}
    print(report(load, figures))
    print(f"\n{perf_counter() - started:.0f} s; Python {sys.version.split()[0]}, numpy {np.__version__}")
    if arguments.json is not None:
        sizes = {"pages": load.pages, "hosts": load.hosts, "visits": load.visits}
        arguments.json.write_text(json.dumps({"load": sizes, **figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
