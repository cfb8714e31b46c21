"""Crawl a web of hosts that each misbehave in one way, and check that no host harms the others.

    python -m benchmarks.hostile_web [--seconds 120] [--only html/nested-divs floods/links ...] [--keep FOLDER]

Each behaviour has a host and an address of its own and a handful of good pages; six good hosts without an end show how
evenly others are visited meanwhile. They are crawled in one run with the settings as shipped, except for rests and
patience, which are those of RESTS. Ctrl-C stops it when every good page has been fetched or the time is up: some of the
hosts are endless. Required are: no crash, at most 300 MB of memory (proportional set size of all processes together),
at most 10 times the bytes sent on disk, every good page fetched, no good host kept waiting for more than a second
beyond its rest, and an end within 30 s. The processor time that other programs took meanwhile is subtracted. The exit
code is 1 if a requirement is not met. Linux only.
"""

from __future__ import annotations

import argparse
import json
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.hostile.crawler import SHORTER
from benchmarks.hostile.hosts import GROUPS, Host, chosen_hosts
from benchmarks.hostile.starvation import Starvation
from benchmarks.hostile.verdict import Evidence, crawl_violations, gaps, rows
from benchmarks.measuring import descendants, memory_of

ROOT: Final = Path(__file__).parents[1]
_SAMPLE_SECONDS: Final = 0.5
_DELAY: Final = 0.5

RESTS: Final = (
    f"politeness.delay_seconds={_DELAY}",
    "politeness.delay_factor=0",
    "politeness.backoff_seconds=0.5",
    "politeness.max_backoff_seconds=4",
    "politeness.max_retry_after_seconds=5",
    "robots.retry_seconds=1",
    "fetching.connect_timeout_seconds=3",
    "fetching.tls_timeout_seconds=3",
    "fetching.first_byte_timeout_seconds=3",
    "fetching.body_timeout_seconds=10",
)
"""What is not as shipped, so that a run takes minutes and not hours; failed pages are tried again sooner, too."""


def main() -> None:
    """Serve, crawl, stop, judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile_web", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="the crawl is stopped then at the latest")
    parser.add_argument("--at-least", type=float, default=0.0, help="and goes on so long in any case")
    parser.add_argument("--only", nargs="+", default=[], metavar="GROUP/NAME", help="behaviours, or groups, to crawl")
    parser.add_argument("--keep", type=Path, help="a folder for the store, the server's log and the output")
    arguments = parser.parse_args()
    names = [each for name in arguments.only for each in _expanded(name)]
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        folder = arguments.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        hosts = chosen_hosts(names=names)
        evidence = crawled(hosts, names, folder, seconds=arguments.seconds, at_least=arguments.at_least)
        sys.exit(1 if told(hosts, evidence) else 0)


def _expanded(name: str) -> list[str]:
    if name in GROUPS:
        return [f"{name}/{each.name}" for each in GROUPS[name]]
    group, _, behaviour = name.partition("/")
    if behaviour not in {each.name for each in GROUPS.get(group, ())}:
        raise SystemExit(f"{name}: there is no such group or behaviour; groups are {', '.join(GROUPS)}")
    return [name]


def crawled(
    hosts: Sequence[Host], names: Sequence[str], folder: Path, *, seconds: float, at_least: float = 0.0
) -> Evidence:
    """Run the server and the crawl; the names are those of the behaviours."""
    store = folder / "store.db"
    store.unlink(missing_ok=True)
    command = [sys.executable, "-m", "benchmarks.hostile.server", str(folder), *names]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = json.loads(server.stdout.readline())["port"]
            crawl = _Crawl(hosts, port, folder, store)
            starvation = Starvation(crawl.process, [server.pid])
            crawl.watch(seconds, at_least)
            starvation.stop()
        finally:
            server.send_signal(signal.SIGTERM)
    told_by_server = json.loads((folder / "server.json").read_text())
    requests = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    return Evidence(
        port=port,
        requests=[(at, host, path) for at, host, path in requests],
        lags=[(at, late) for at, late in told_by_server["lags"]],
        sent=told_by_server["sent"],
        outcomes=_outcomes(store),
        rest_seconds=_DELAY,
        watched=crawl.watched,
        peak_pss_mb=crawl.peak_pss / 1e6,
        store_bytes=sum(each.stat().st_size for each in folder.glob("store.db*")),
        exit_code=crawl.exit_code,
        stop_seconds=crawl.stop_seconds,
        output=(folder / "crawl.log").read_text(errors="replace"),
        starved=starvation.seconds,
    )


class _Crawl:
    """One run of the crawler, watched from outside."""

    def __init__(self, hosts: Sequence[Host], port: int, folder: Path, store: Path) -> None:
        self._store = store
        self._wanted = {host.url(path, port) for host in hosts for path in host.good_paths}
        self.peak_pss = 0
        self.exit_code = 0
        self.stop_seconds = 0.0
        self.watched = (0.0, 0.0)
        settings = folder / "settings.toml"
        names = "".join(f'"{host.name}:{port}" = "{host.address}"\n' for host in hosts)
        settings.write_text(
            f'[fetching]\nallow_networks = ["127.0.0.0/8"]\nca_file = "{folder / "authority.pem"}"\n'
            f"[fetching.addresses]\n{names}"
        )
        seeds = folder / "seeds.txt"
        paths = {"control": "/c/1"}
        seeds.write_text("".join(host.url(paths.get(host.group, "/"), port) + "\n" for host in hosts))
        command = [sys.executable, "-m", "benchmarks.hostile.crawler", "crawl", "--seeds", str(seeds)]
        command += ["--store", str(store), "--settings", str(settings)]
        command += [part for each in RESTS for part in ("--set", each)]
        self._log = (folder / "crawl.log").open("w")
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=self._log, stderr=subprocess.STDOUT)

    @property
    def process(self) -> int:
        return self._process.pid

    def watch(self, seconds: float, at_least: float) -> None:
        """Until every good page is there, or the time is up; then Ctrl-C."""
        begun, is_done = time.time(), False
        while self._process.poll() is None and not is_done:
            time.sleep(_SAMPLE_SECONDS)
            self._sample()
            passed = time.time() - begun
            is_done = passed > seconds or (passed > at_least and self._wanted <= _fetched(self._store))
        stopped = time.time()
        self.watched = (begun + 5.0, stopped)
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        while self._process.poll() is None:
            time.sleep(_SAMPLE_SECONDS)
            self._sample()
            if time.time() - stopped > 120:
                self._process.kill()
        self.stop_seconds = time.time() - stopped
        self.exit_code = self._process.wait()
        self._log.close()

    def _sample(self) -> None:
        processes = [self._process.pid, *descendants(self._process.pid)]
        self.peak_pss = max(self.peak_pss, sum(memory_of(each)[0] for each in processes))


def _fetched(store: Path) -> set[str]:
    return {url for url, outcome in _outcomes(store).items() if outcome == "fetched"}


def _outcomes(store: Path) -> dict[str, str]:
    if not store.exists():
        return {}
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=20)) as connection:
            return dict(connection.execute("SELECT url, outcome FROM fetch JOIN page ON page.id = fetch.page"))
    except sqlite3.OperationalError:  # it is only just being made
        return {}


def told(hosts: Sequence[Host], evidence: Evidence) -> int:
    """Print the table; returns the number of violations."""
    table = rows(hosts, evidence)
    print(f"{'group':10} {'hosts':>5} {'requests':>8} {'sent MB':>8} {'good pages':>11} {'violations':>10}")
    for group, row in table.items():
        good = f"{row.good_fetched}/{row.good}"
        print(f"{group:10} {row.hosts:5} {row.requests:8} {row.sent / 1e6:8.1f} {good:>11} {len(row.violations):10}")
    sent = sum(evidence.sent.values())
    worst = gaps(hosts, evidence)
    print(
        f"memory {evidence.peak_pss_mb:.0f} MB at most; store {evidence.store_bytes / 1e6:.1f} MB,"
        f" {evidence.store_bytes / max(sent, 1):.1f} times the {sent / 1e6:.1f} MB sent;"
        f" good hosts waited {max(worst[0][0], 0.0) if worst else 0.0:.2f} s longer than their rest at most"
        f" (the server itself was late by up to {max((late for _, late in evidence.lags), default=0.0):.2f} s;"
        f" other programs kept them from the processor for {sum(seconds for _, seconds in evidence.starved):.1f} s);"
        f" ended {evidence.stop_seconds:.1f} s after Ctrl-C with code {evidence.exit_code};"
        f" failed pages were tried again {SHORTER:g} times sooner"
    )
    violations = [each for row in table.values() for each in row.violations]
    violations += crawl_violations(hosts, evidence)
    for each in violations:
        print(f"  violation: {each}")
    print("no violations" if not violations else f"{len(violations)} violations")
    return len(violations)


if __name__ == "__main__":
    main()
