"""What it costs to look at, resume and stop a store of a million fetched pages.

    python -m benchmarks.million_pages make FILE --pages 1000000
    python -m benchmarks.million_pages measure FILE
    python -m benchmarks.million_pages resume FILE

`make` writes a random store of that many fetched pages, three times as many URLs and twelve times as many links.
`measure` queries it: the pages and the API of `serve`, `status`, the views, and the time to restore a crawl. All
figures are CPU time of the process that answers: for the first time, and again after cached answers have expired.
`resume` only restores a crawl, and tells the memory that it takes at most and afterwards.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Final

import aiohttp
from aiohttp import web

from benchmarks.store_reading import opened
from benchmarks.synthetic_store import StorePlan, make_store
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.assembly.process_limits import collect_garbage_rarely
from hinterland.crawler.assembly.restoring import RestoreOptions, restore
from hinterland.crawler.fetching.robots.robots_cache import RobotsCache
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.crawl_start import CoreState
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import Settings
from hinterland.search.index.index_folder import default_folder
from hinterland.search.index.searcher import SearchIndex
from hinterland.storage.link_store import LinkStore
from hinterland.web.application import application
from hinterland.web.search_service import ReloadingIndex

_STALE_SECONDS: Final = 1.5
_LARGEST_HOST: Final = "SELECT host FROM page_count GROUP BY host ORDER BY sum(pages) DESC LIMIT 1"
_BEST_PAGES: Final = "SELECT page FROM rank WHERE estimator = 'local' ORDER BY place LIMIT 2"
_QUESTIONS: Final = {
    "view ranks, the best five": "SELECT url, as_web_sees FROM ranks ORDER BY as_web_sees DESC LIMIT 5",
    "view ranks, the biggest movers": "SELECT url, ratio FROM ranks ORDER BY moved DESC LIMIT 20",
    "view hosts, the largest twenty": "SELECT * FROM hosts ORDER BY pages_fetched DESC LIMIT 20",
    "view errors": "SELECT * FROM errors",
}


def main() -> None:
    """Make a store, or measure one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make", help="write a store of --pages pages")
    make.add_argument("store", type=Path)
    make.add_argument("--pages", type=int, default=1_000_000, help="fetched pages (default 1,000,000)")
    make.add_argument("--seed", type=int, default=1, help="another seed, another store (default 1)")
    make.add_argument("--killed", action="store_true", help="as a kill leaves it: no run ended, no index was built")
    measure = commands.add_parser("measure", help="ask a store, and restore the crawl in it")
    measure.add_argument("store", type=Path)
    resume = commands.add_parser("resume", help="restore the crawl of a store, and tell the memory it takes")
    resume.add_argument("store", type=Path)
    resume.add_argument("--policy", default="bfs", help="of the crawl (default bfs)")
    arguments = parser.parse_args()
    if arguments.command == "make":
        _make(arguments)
    elif arguments.command == "resume":
        asyncio.run(_resumed(arguments.store, arguments.policy))
    else:
        _measure(arguments.store)


def _make(arguments: argparse.Namespace) -> None:
    if arguments.store.exists():
        raise SystemExit(f"{arguments.store} is there already")
    began = time.process_time()
    asyncio.run(make_store(arguments.store, StorePlan(arguments.pages, arguments.seed, arguments.killed)))
    size = arguments.store.stat().st_size / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"{arguments.store}: {size:,.0f} MB in {time.process_time() - began:.0f} s of CPU, {peak:,.0f} MB of memory")


def _measure(store: Path) -> None:
    print("| what | first, ms of CPU | later |\n|---|--:|--:|")
    asyncio.run(_serve(store))
    for name, sql in _QUESTIONS.items():
        _row(name, *(_asked(store, sql) for _ in range(2)))
    _row("`status`", *(_status(store) for _ in range(2)))
    for policy in ("bfs", "opic"):
        seconds, urls, _ = asyncio.run(_restored(store, policy))
        print(f"\nresume with {policy}: {seconds:.1f} s of CPU, {seconds / urls * 1e6:.2f} µs a URL")


def _row(name: str, first: float, later: float) -> None:
    print(f"| {name} | {first * 1e3:,.0f} | {later * 1e3:,.0f} |", flush=True)


def _asked(store: Path, sql: str) -> float:
    began = time.process_time()
    with opened(store) as connection:
        connection.execute(sql).fetchall()
    return time.process_time() - began


def _status(store: Path) -> float:
    """Return the CPU seconds of the whole command, with the start of Python."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "run.py", "status", str(store)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


async def _serve(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        [(host,)] = connection.execute(_LARGEST_HOST)
        pages = [page for (page,) in connection.execute(_BEST_PAGES)]
    settings = Settings().search
    searches = ReloadingIndex(default_folder(store), lambda folder: SearchIndex(folder, settings), "index")
    runner = web.AppRunner(application(store, searches, only_this_machine=True), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        async with aiohttp.ClientSession() as session:
            await _get(session, f"{base}/healthz")
            for name, paths in (
                ("dashboard", ("/crawl", "/crawl")),
                ("list of hosts", ("/hosts", "/hosts")),
                ("ranks", ("/ranks", "/ranks")),
                ("largest host", (f"/host/{host}", f"/host/{host}")),
                ("broken links", ("/broken-links", "/broken-links")),
                ("a page, then another", tuple(f"/page/{page}" for page in pages)),
                ("/api/status", ("/api/status", "/api/status")),
                ("/api/hosts", ("/api/hosts", "/api/hosts")),
                ("/api/host", (f"/api/host?number={host}", f"/api/host?number={host}")),
                ("/api/page, the same two", tuple(f"/api/page?number={page}" for page in pages)),
                ("/metrics", ("/metrics", "/metrics")),
            ):
                costs = []
                for path in paths:
                    await asyncio.sleep(_STALE_SECONDS)
                    costs.append(await _get(session, base + path))
                _row(name, *costs)
    finally:
        await runner.cleanup()


async def _get(session: aiohttp.ClientSession, url: str) -> float:
    """Return the CPU time of the answer and of all background work for it."""
    began = time.process_time()
    async with session.get(url) as response:
        await response.read()
        response.raise_for_status()
    return time.process_time() - began


async def _resumed(store: Path, policy: str) -> None:
    before = _resident_bytes()
    seconds, urls, core = await _restored(store, policy)
    after = _resident_bytes()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{urls:,} URLs, {len(core.known.host_urls):,} hosts", end="; ")
    print(f"resumed with {policy}: {seconds:.1f} s of CPU, {seconds / urls * 1e6:.2f} µs a URL;", end=" ")
    print(f"memory without the program's own {before / 1e6:.0f} MB:", end=" ")
    for name, size in (("at most", peak - before), ("afterwards", after - before)):
        print(f"{name} {size / 1e6:.0f} MB, {size / urls:.1f} bytes a URL", end="; ")
    print()


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


async def _restored(store: Path, policy_name: str) -> tuple[float, int, CoreState]:
    """(seconds of CPU, URLs, the state)."""
    collect_garbage_rarely()  # as crawls do
    settings = Settings()
    scope = Scope(settings.scope)
    known = KnownPages(scope, max_depth=None)
    async with LinkStore(store) as links:
        began = time.process_time()
        policy = make_policy(policy_name, 1)
        core = CoreState(
            scope,
            known,
            Frontier(settings.politeness, random=lambda: 0.5),
            policy,
            RobotsCache(settings.identity.name),
            LinkLog() if policy.needs_refresh else None,
        )
        await restore(links, core, RestoreOptions.under(settings), time.time())
        return time.process_time() - began, len(known), core


if __name__ == "__main__":
    main()
