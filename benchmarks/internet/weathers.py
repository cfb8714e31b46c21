"""Run every mode of crawling in every weather of the box, and check that nothing is lost.

    python -m benchmarks.internet.weathers                                    all of it, some twenty minutes
    python -m benchmarks.internet.weathers --weather foul worst --mode bfs
    python -m benchmarks.internet.weathers --weather tls --mode recrawl --seed 7 --keep FOLDER

Each cell is a crawl of a small world whose hosts have an end, so every page that must be found is known. A cell has
lost something if a page of a living host is missing from the store, a failure is attributed to a living host or it is
given up, the log of the server shows impoliteness, or the crawl ended badly. Needs root and Linux, and Chromium for the
mode render. Exit code 1 if anything was lost in any cell.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.internet.certificates import CertificatesFailed
from benchmarks.internet.crawls import BoxFailed, Conditions, Place, run_in_box
from benchmarks.internet.crawls_modes import LOCAL_SHARE, Mode, ours, politeness_of
from benchmarks.internet.ideal import Schedule, lives
from benchmarks.internet.link import LinkUnusable, read_counters
from benchmarks.internet.names_log import read_questions
from benchmarks.internet.network import BoxUnusable
from benchmarks.internet.report import report_of
from benchmarks.internet.request_log import read_requests
from benchmarks.internet.weather import WEATHERS, draw_world
from benchmarks.internet.weathers_judge import Seen, Stored, judged
from benchmarks.internet.weathers_report import Key, as_json, in_words, table
from benchmarks.internet.world import Host, Quirk, World

_REPOSITORY: Final = Path(__file__).resolve().parents[2]
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_SETTINGS: Final = (
    "politeness.delay_seconds=0.2",
    "politeness.delay_factor=0",
    "politeness.backoff_seconds=1",
    "robots.retry_seconds=2",
)
"""The settings as shipped, except for shorter rests, so that a cell ends in a quarter of a minute."""
_PATIENT: Final = 4
"""Times as many pages have hosts that withhold them after some: else they would never come to it."""
_UNFIT: Final = frozenset({"resolver-gone"})
"""Weathers in which nothing can be fetched, so that nothing can be lost."""


def main() -> None:
    """Run the cells and print the table."""
    arguments = _arguments()
    modes, left_out = _modes(arguments.mode)
    folder = arguments.keep or Path(tempfile.mkdtemp(prefix="weathers-"))
    cells: dict[Key, Seen] = {}
    try:
        for weather in arguments.weather:
            for mode in modes:
                began = time.monotonic()
                seen = cells[weather, mode] = run_cell(
                    world_of(weather, hosts=arguments.hosts, pages=arguments.pages, seed=arguments.seed),
                    mode,
                    [*_SETTINGS, *arguments.settings],
                    seconds=arguments.seconds,
                    folder=folder / f"{weather}-{mode}",
                )
                print(in_words(weather, mode, seen, time.monotonic() - began), flush=True)
    except (BoxUnusable, LinkUnusable, BoxFailed, CertificatesFailed) as error:
        sys.exit(f"the box could not be used: {error}")
    finally:
        if arguments.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    print(table(cells, left_out), end="")
    if arguments.json:
        arguments.json.write_text(json.dumps(as_json(cells), indent=1) + "\n", encoding="utf-8")
    sys.exit(any(seen.lost for seen in cells.values()))


def world_of(weather: str, *, hosts: int, pages: int, seed: int) -> World:
    """Draw a small world whose hosts have an end. Its local hosts in the mode hinterland can be reached, if any can."""
    world = draw_world(seed, hosts=hosts, machines=max(hosts * 3 // 4, 1), weather=weather)
    withholding = (Quirk.FORBIDS, Quirk.CHALLENGE)
    finite = [replace(host, pages=pages * (_PATIENT if host.quirk in withholding else 1)) for host in world.hosts]
    world = replace(world, hosts=finite)

    def is_local_last(host: Host) -> tuple[bool, bool]:
        return not lives(world, host), host.quirk is not Quirk.NONE

    best = sorted(world.hosts, key=is_local_last)
    count = len(range(0, hosts, LOCAL_SHARE))
    local, others = best[:count], [host for host in world.hosts if host not in best[:count]]
    for number, host in enumerate(local):
        others.insert(number * LOCAL_SHARE, host)
    return replace(world, hosts=others)


def run_cell(world: World, mode: Mode, settings: Sequence[str], *, seconds: float, folder: Path) -> Seen:
    """Crawl a world in a mode, and judge it. seconds: that it may take. Raises what `run_in_box` does."""
    conditions = Conditions(seconds, window_begin=0.0, crawl_cpu=None, server_cpu=None)
    run = run_in_box(world, ours(mode, settings, _REPOSITORY), conditions, folder)
    report = report_of(
        world,
        run,
        conditions,
        requests=list(read_requests(run.place.requests)),
        questions=read_questions(run.place.questions),
        counters=read_counters(run.counters)[0],
        ideal=Schedule([], []),
        politeness=politeness_of(settings),
    )
    return judged(
        world,
        seeds=run.place.seeds.read_text(encoding="utf-8").split(),
        stored=_stored(run.place),
        exit_codes=run.exit_codes,
        output=run.output,
        failures=run.failures,
        manners=report.manners,
    )


def _stored(place: Place) -> dict[str, Stored]:
    """Return what the store of a crawl says about each page; for a cluster, after its shards were joined."""
    if not place.store.exists():
        return {}
    with closing(sqlite3.connect(f"{place.store.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT url, state, coalesce(outcome, '') FROM page LEFT JOIN fetch ON fetch.page = page.id"
        ).fetchall()
    return {url: Stored(state, outcome) for url, state, outcome in rows}


def _modes(wanted: Sequence[str]) -> tuple[list[Mode], list[str]]:
    """Return the modes that can be run, and a sentence for each that is left out."""
    modes = [Mode(name) for name in wanted]
    if Mode.RENDER not in modes or any(map(shutil.which, _BROWSERS)):
        return modes, []
    modes.remove(Mode.RENDER)
    return modes, [f"The mode render was left out: it needs a browser, one of {', '.join(_BROWSERS)}."]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.internet.weathers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    weathers = [name for name in WEATHERS if name not in _UNFIT]
    modes = [mode.value for mode in Mode]
    parser.add_argument("--weather", nargs="+", choices=weathers, default=weathers, help="default: all")
    parser.add_argument("--mode", nargs="+", choices=modes, default=modes, help="default: all")
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=6, help="of each host (default 6)")
    parser.add_argument("--seconds", type=float, default=45.0, help="that a cell may take (default 45)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="SECTION.KEY=VALUE")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keeps the logs and stores there")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args()


if __name__ == "__main__":
    main()
