"""Crawl one host of the webfarm and pages around it, with each policy: is the live estimate the one of the store?

    python -m benchmarks.hinterland small --local http://flask.palletsprojects.com/en/latest/index.html

Each policy crawls the local domain and then as many pages outside as --hinterland says. Afterwards both estimates are
made anew from the links in the finished store, read here without the crawler's code, and compared with those
that the last round stored: L1 distances, which must not exceed --tolerance (exit code 1).
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np

from benchmarks.farm import REPOSITORY, SETS, add_farm_options, farm_of
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimators import ESTIMATORS
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.policies import POLICIES

_LINKS = "SELECT DISTINCT target FROM link WHERE source = ?"
_VISITED = "SELECT page FROM fetch WHERE outcome IN ('fetched', 'redirected') ORDER BY visit"
_PAGES = "SELECT is_local, host FROM page ORDER BY id"
_RANKS = "SELECT pagerank FROM rank WHERE estimator = ? ORDER BY page"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--local", required=True, help="the seed of the local domain")
    parser.add_argument("--hinterland", default="2.0")
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=list(POLICIES))
    parser.add_argument("--tolerance", type=float, default=1e-7)
    add_farm_options(parser)
    arguments = parser.parse_args()
    farm = farm_of(arguments)
    farthest = 0.0
    with tempfile.TemporaryDirectory(prefix="hinterland-") as folder, farm.serving(arguments.set):
        for policy in arguments.policies:
            store = Path(folder) / f"{policy}.db"
            _crawl(store, arguments.local, arguments.hinterland, policy)
            farthest = max(farthest, *_report(policy, store))
    sys.exit(farthest > arguments.tolerance)


def _crawl(store: Path, seed: str, hinterland: str, policy: str) -> None:
    options = ["fetching.allow_networks=['127.0.0.0/8']", "politeness.delay_seconds=0", "politeness.delay_factor=0"]
    options += ["politeness.address_delay_seconds=0", "politeness.address_connections=100"]
    options += ["politeness.backoff_seconds=0.1", "politeness.give_up_after_failures=1"]  # most hosts are not there
    command = [sys.executable, str(REPOSITORY / "run.py"), "crawl", seed, "--store", str(store), "--policy", policy]
    command += ["--hinterland", hinterland, *(part for option in options for part in ("--set", option))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _report(policy: str, store: Path) -> list[float]:
    """Print a line; the distances of the live estimates from those made here."""
    with closing(sqlite3.connect(store)) as connection:
        crawled = _crawled_graph(connection)
        distances, estimates = list[float](), []
        for name, make in ESTIMATORS.items():
            live = np.array(connection.execute(_RANKS, (name,)).fetchall()).ravel()
            estimates.append(make().estimate(crawled))
            distances.append(float(np.abs(live - estimates[-1]).sum()))
        changes = [change for (change,) in connection.execute("SELECT change FROM estimate ORDER BY id")]
        progress = json.loads(connection.execute("SELECT progress FROM run ORDER BY id DESC").fetchone()[0])
    outside = len(crawled.crawled) - len(crawled.local)
    apart = float(np.abs(estimates[0] - estimates[1]).sum())
    print(
        f"{policy:14s} {len(crawled.local):6,} local pages, {outside:6,} outside, {len(changes):3} estimates in "
        f"{progress['seconds']:5.1f} s; last change {changes[-1]:.2e}; live and offline apart by "
        + ", ".join(f"{name} {distance:.1e}" for name, distance in zip(ESTIMATORS, distances, strict=True))
        + f"; the estimators by {apart:.3f}",
        flush=True,
    )
    return distances


def _crawled_graph(connection: sqlite3.Connection) -> CrawledGraph:
    log = LinkLog()
    for (page,) in connection.execute(_VISITED).fetchall():
        targets = [target for (target,) in connection.execute(_LINKS, (page,))]
        log.append(page, np.array(targets, np.int32))
    is_local, hosts = np.array(connection.execute(_PAGES).fetchall(), np.int32).T
    return log.snapshot(is_local.astype(np.bool_), hosts)


if __name__ == "__main__":
    main()
