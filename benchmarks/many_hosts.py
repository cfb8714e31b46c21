"""How near a crawl of very many hosts comes to the rate their rests allow, what a visit costs, and if any came early.

    python -m benchmarks.many_hosts                                    # 2,000 hosts at a visit a second each
    python -m benchmarks.many_hosts --hosts 20000 --rest 60 --seconds 120

Every host has a loopback address of its own, so that no limit per address counts. The server (`many_hosts_server`) is
pinned to one core, of which it takes some per cent; with --one-core the crawl is pinned to another, its parser process
included. The server notes when the first byte of each request came, and when its answer was written, so every gap is
seen from the hosts' side. Measured is what comes after every host was asked for its robots.txt and has rested. Visits/s
are compared with the ideal, hosts / rest: every host visited as soon as it has rested.
Exit code 1 if a gap was shorter than the rest.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path

from benchmarks.many_hosts_server import Served, address_of, serving
from benchmarks.measuring import descendants

REPOSITORY = Path(__file__).resolve().parent.parent
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Load:
    """A load; `rest` is the delay of a host, `seconds` the time measured; a CPU of None stands for any."""

    hosts: int
    rest: float
    kilobytes: int
    seconds: float
    crawler_cpu: int | None
    server_cpu: int | None
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """ideal: visits/s. cpu_ms: of the crawl with all its processes, a visit; server_share: of its core, 0 to 1.

    shortest_gap: seconds between the last moment before an answer was written and the first byte of the next request
    to that host, over the whole crawl; inf if no host was visited twice. Nobody can have had the answer before, so one
    that is shorter than the rest is too short. shortest_from_after: the same from the moment after, which comes late
    whenever the server has to wait for its core just then; longest_write: how long that took at most.
    """

    visits: int
    seconds: float
    ideal: float
    cpu_ms: float
    main_ms: float
    server_share: float
    hosts_seen: int
    shortest_gap: float
    shortest_from_after: float
    longest_write: float

    @property
    def rate(self) -> float:
        """Visits per second."""
        return self.visits / self.seconds


def main() -> None:
    """Measure the load and print the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--rest", type=float, default=1.0, metavar="SECONDS")
    parser.add_argument("--kilobytes", type=int, default=8, help="of a page")
    parser.add_argument("--seconds", type=float, default=30.0, help="rounded up to whole rests: hosts stay in step")
    parser.add_argument("--one-core", action="store_true", help="pin the crawl, with its processes, to one core")
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="SECTION.KEY=VALUE")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    cpus = sorted(os.sched_getaffinity(0))
    load = Load(
        hosts=arguments.hosts,
        rest=arguments.rest,
        kilobytes=arguments.kilobytes,
        seconds=ceil(arguments.seconds / arguments.rest) * arguments.rest,
        crawler_cpu=cpus[0] if arguments.one_core else None,
        server_cpu=cpus[-1],
        settings=tuple(arguments.settings),
    )
    result = measured(load)
    print(
        f"{load.hosts:,} hosts, a visit every {load.rest:g} s each: {result.rate:,.0f} visits/s of {result.ideal:,.0f}"
        f" ({result.rate / result.ideal:.1%}), {result.cpu_ms:.2f} ms CPU a visit ({result.main_ms:.2f} in the main"
        f" process), server {result.server_share:.0%} of its core; {result.hosts_seen:,} hosts seen, shortest gap"
        f" {result.shortest_gap:.4f} s ({result.shortest_from_after:.4f} from after a write; the longest took"
        f" {1e3 * result.longest_write:.1f} ms)"
    )
    if arguments.json:
        arguments.json.write_text(json.dumps(asdict(load) | asdict(result), indent=1) + "\n")
    sys.exit(result.shortest_gap < load.rest)


def measured(load: Load) -> Result:
    """Measure a load. Raises RuntimeError if the crawl ends by itself."""
    with (
        tempfile.TemporaryDirectory(prefix="many-hosts-") as folder,
        serving(load.hosts, load.kilobytes, load.server_cpu) as server,
    ):
        seeds = Path(folder) / "seeds.txt"
        seeds.write_text("".join(f"http://{address_of(n)}:{server.port}/\n" for n in range(load.hosts)))
        command = _command(load, seeds, Path(folder) / "store.db")
        with _pinned(load.crawler_cpu):
            crawl = subprocess.Popen(
                command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
        try:
            while server.served().hosts < load.hosts:
                _let_go_on(crawl, 0.2)
            _let_go_on(crawl, 1.2 * load.rest)
            before, cpu_before = server.served(), _cpu_seconds(crawl.pid)
            _let_go_on(crawl, load.seconds)
            after, cpu_after = server.served(), _cpu_seconds(crawl.pid)
        finally:
            crawl.send_signal(signal.SIGINT)
            crawl.wait()
    return _result(load, before, after, *(now - then for then, now in zip(cpu_before, cpu_after, strict=True)))


def _let_go_on(crawl: subprocess.Popen[bytes], seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        raise RuntimeError(f"the crawl ended with code {crawl.wait(seconds)} before it had been measured")


@contextmanager
def _pinned(cpu: int | None) -> Iterator[None]:
    """Pin the processes started in the block to this core."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, own if cpu is None else {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)


def _command(load: Load, seeds: Path, store: Path) -> list[str]:
    settings = [
        "fetching.allow_networks=['127.0.0.0/8']",
        f"politeness.delay_seconds={load.rest}",
        "politeness.delay_factor=0",
        "identity.contact=mailto:nobody@localhost",
        *load.settings,
    ]
    command = [sys.executable, str(REPOSITORY / "run.py"), "crawl", "--seeds", str(seeds), "--store", str(store)]
    return [*command, *(part for setting in settings for part in ("--set", setting))]


def _result(load: Load, before: Served, after: Served, cpu_seconds: float, main_seconds: float) -> Result:
    visits, seconds = after.requests - before.requests, after.at - before.at
    return Result(
        visits=visits,
        seconds=seconds,
        ideal=load.hosts / load.rest if load.rest else float("inf"),
        cpu_ms=1e3 * cpu_seconds / max(visits, 1),
        main_ms=1e3 * main_seconds / max(visits, 1),
        server_share=(after.cpu_seconds - before.cpu_seconds) / seconds,
        hosts_seen=after.hosts,
        shortest_gap=after.shortest_gap,
        shortest_from_after=after.shortest_from_after,
        longest_write=after.longest_write,
    )


def _cpu_seconds(pid: int) -> tuple[float, float]:
    """Of a process with those below it, and of the process alone."""
    return sum(map(_own_cpu_seconds, [pid, *descendants(pid)])), _own_cpu_seconds(pid)


def _own_cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    main()
