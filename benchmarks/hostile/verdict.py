"""What a crawl of the hostile web came to, by the store and the server's log, against what is asked of it. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from benchmarks.hostile.hosts import Host

MAX_PSS_MB = 300.0
MAX_DISK_SHARE = 10.0
MAX_DELAY_SECONDS = 1.0
"""What no behaviour may add to the rest between two visits of another host."""
MAX_STOP_SECONDS = 30.0
_EXIT_CODES = (0, 6, 8)
"""Every page visited; stopped by Ctrl-C; hosts given up."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the server and the crawl recorded.

    `requests` are (when, host, path). `lags` are (when, how late) the server itself was. `starved` has (when, how long)
    other programs kept the crawl from the processor, see `starvation`. `outcomes` maps URLs to their last outcome.
    `sent` counts bytes by host. `rest_seconds` is the delay between two visits of a host, as set. `watched` is the
    period in which the good hosts should have been visited evenly.
    """

    port: int
    requests: Sequence[tuple[float, str, str]]
    lags: Sequence[tuple[float, float]]
    sent: Mapping[str, int]
    outcomes: Mapping[str, str]
    rest_seconds: float
    watched: tuple[float, float]
    peak_pss_mb: float
    store_bytes: int
    exit_code: int
    stop_seconds: float
    output: str
    starved: Sequence[tuple[float, float]] = ()


@dataclass(slots=True)
class Row:
    """The results of one group."""

    hosts: int = 0
    requests: int = 0
    sent: int = 0
    good: int = 0
    good_fetched: int = 0
    violations: list[str] = field(default_factory=list)


def rows(hosts: Sequence[Host], evidence: Evidence) -> dict[str, Row]:
    """Return the results by group."""
    asked = Counter(host for _, host, _ in evidence.requests)
    paths: defaultdict[str, set[str]] = defaultdict(set)
    for _, name, path in evidence.requests:
        paths[name].add(path)
    found: dict[str, Row] = defaultdict(Row)
    for host in hosts:
        row = found[host.group]
        row.hosts += 1
        row.requests += asked[host.name]
        row.sent += evidence.sent.get(host.name, 0)
        row.violations += [f"{host.name}: {each}" for each in _wrongs(host, evidence, paths[host.name], row)]
    return found


def _wrongs(host: Host, evidence: Evidence, asked: set[str], row: Row) -> Iterator[str]:
    fetched = [path for path in host.good_paths if evidence.outcomes.get(host.url(path, evidence.port)) == "fetched"]
    row.good += len(host.good_paths)
    row.good_fetched += len(fetched)
    if missing := [path for path in host.good_paths if path not in fetched]:
        shown = ", ".join(f"{path} ({evidence.outcomes.get(host.url(path, evidence.port))})" for path in missing[:3])
        yield f"{len(missing)} of {len(host.good_paths)} good pages were not fetched: {shown}"
    for path in host.behaviour.forbidden:
        if path in asked:
            yield f"{path} was asked for, though robots.txt forbids it"
    for path, wanted in host.behaviour.expected.items():
        outcome = evidence.outcomes.get(host.url(path, evidence.port))
        if outcome != wanted:
            yield f"{path} came to {outcome}, not {wanted}"


def gaps(hosts: Sequence[Host], evidence: Evidence) -> list[tuple[float, float, str]]:
    """Return (how much longer than its rest a good host waited, when, host), the longest first.

    The lag of the server in that time is subtracted, and so is the time in which other programs kept the crawl from the
    processor.
    """
    controls = {host.name for host in hosts if host.group == "control"}
    begin, end = evidence.watched
    times = defaultdict(list)
    for at, host, _ in evidence.requests:
        if host in controls and begin <= at <= end:
            times[host].append(at)
    found = []
    for host, moments in times.items():
        for one, other in pairwise([*moments, end]):
            late = sum(seconds for at, seconds in evidence.lags if one <= at <= other + seconds)
            late += sum(seconds for at, seconds in evidence.starved if one <= at <= other)
            found.append((other - one - evidence.rest_seconds - late, one - begin, host))
    return sorted(found, reverse=True)


def crawl_violations(hosts: Sequence[Host], evidence: Evidence) -> Iterator[str]:
    """Yield what was wrong with the crawl as a whole."""
    if "Traceback" in evidence.output:
        yield "a traceback on the terminal"
    if evidence.exit_code not in _EXIT_CODES:
        yield f"exit code {evidence.exit_code}"
    if evidence.stop_seconds > MAX_STOP_SECONDS:
        yield f"it took {evidence.stop_seconds:.1f} s to end after Ctrl-C"
    if evidence.peak_pss_mb > MAX_PSS_MB:
        yield f"{evidence.peak_pss_mb:.0f} MB of memory, more than {MAX_PSS_MB:.0f}"
    share = evidence.store_bytes / max(sum(evidence.sent.values()), 1)
    if share > MAX_DISK_SHARE:
        yield f"the store has {share:.1f} times the bytes that were sent, more than {MAX_DISK_SHARE:.0f}"
    for longer, at, host in gaps(hosts, evidence)[:5]:
        if longer > MAX_DELAY_SECONDS:
            yield f"{host} waited {longer:.2f} s longer than its rest, {at:.0f} s after the begin"
