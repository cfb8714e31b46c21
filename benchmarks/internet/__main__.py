"""A crawl of an internet in a box, with latency, loss, TLS and filters, compared with the best possible schedule.

    python -m benchmarks.internet --weather fair --hosts 400 --machines 200 --seconds 60
    python -m benchmarks.internet --weather foul --hosts 1000 --https 0.5 --set politeness.delay_factor=0
    python -m benchmarks.internet --weather narrow --before ../older-tree
    python -m benchmarks.internet --weather names --peers-python venv/bin/python

Draws a world by its seed, makes network namespaces with a link, a name server and a web server, lets the crawl run in
them for some seconds, and interrupts it as Ctrl-C does. Then it prints the results next to the ideal schedule: a crawl
with the same politeness that knows every latency and has unlimited memory. Needs root and Linux. Exit code 1 if our
crawl fetched nothing, attributed a failure to a living host, or broke its politeness.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path

from benchmarks.internet.certificates import CertificatesFailed
from benchmarks.internet.crawls import BoxFailed, Conditions, Contestant, run_in_box
from benchmarks.internet.crawls_modes import Mode, ours, politeness_of
from benchmarks.internet.ideal import Schedule, ideal_schedule
from benchmarks.internet.link import LinkUnusable, read_counters
from benchmarks.internet.manners import Politeness
from benchmarks.internet.names_log import read_questions
from benchmarks.internet.network import BoxUnusable
from benchmarks.internet.peers import peers_of
from benchmarks.internet.report import Report, report_of
from benchmarks.internet.report_table import as_json, table
from benchmarks.internet.request_log import read_requests
from benchmarks.internet.weather import WEATHERS, Spread, draw_world
from benchmarks.internet.world import Link, NameKind, World
from hinterland.crawler.settings import SettingsError

_REPOSITORY = Path(__file__).resolve().parents[2]


def main() -> None:
    """Run all contestants in the box and print their reports."""
    arguments = _arguments()
    try:
        world = _world(arguments)
        politeness = politeness_of(arguments.settings)
        contestants = _contestants(arguments)
        peers, left_out = peers_of(arguments.peers_python, politeness)
    except (ValueError, SettingsError) as error:
        sys.exit(str(error))
    conditions = Conditions(
        seconds=arguments.seconds,
        window_begin=arguments.seconds / 3 if arguments.window is None else arguments.window,
        crawl_cpu=None if arguments.crawl_cpu < 0 else arguments.crawl_cpu,
        server_cpu=None if arguments.server_cpu < 0 else arguments.server_cpu,
        farm=arguments.farm,
    )
    ideal = ideal_schedule(
        world,
        politeness,
        arguments.seconds,
        pages_a_second=arguments.capacity,
        link_is_used=not arguments.without_link,
    )
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="internet-"))
    try:
        reports = [
            _measured(world, contestant, conditions, ideal, politeness, folder / contestant.name)
            for contestant in (*contestants, *peers)
        ]
    except (BoxUnusable, LinkUnusable, BoxFailed, CertificatesFailed) as error:
        sys.exit(f"the box could not be used: {error}")
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder, ignore_errors=True)
    print(table(reports), end="")
    for sentence in left_out:
        print(sentence)
    if arguments.json:
        arguments.json.write_text(json.dumps([as_json(report) for report in reports], indent=1) + "\n")
    sys.exit(bool(reports[0].blame.hosts or reports[0].manners.violations or not reports[0].pages))


def _measured(
    world: World,
    contestant: Contestant,
    conditions: Conditions,
    ideal: Schedule,
    politeness: Politeness,
    folder: Path,
) -> Report:
    run = run_in_box(world, contestant, conditions, folder)
    report = report_of(
        world,
        run,
        conditions,
        requests=list(read_requests(run.place.requests)),
        questions=read_questions(run.place.questions),
        counters=read_counters(run.counters)[0],
        ideal=ideal,
        politeness=politeness,
    )
    if not report.pages:
        print(f"{run.name} fetched no page and ended with {run.exit_codes}; it said last:\n{run.output[-1_500:]}")
    return report


def _contestants(arguments: argparse.Namespace) -> list[Contestant]:
    mode = Mode(arguments.mode)
    contestants = [ours(mode, arguments.settings, _REPOSITORY)]
    for number, tree in enumerate(arguments.before, start=1):
        if not (tree / "run.py").exists():
            raise ValueError(f"there is no run.py in {tree}; --before takes the folder of a checkout")
        contestants.append(ours(mode, arguments.settings, tree.resolve(), f"before {number}"))
    return contestants


def _world(arguments: argparse.Namespace) -> World:
    weather = WEATHERS[arguments.weather]
    if arguments.name_seconds is not None:
        weather = replace(weather, names=replace(weather.names, seconds=Spread(arguments.name_seconds)))
    if arguments.silent_names is not None:
        silent = {NameKind.SILENT: arguments.silent_names}
        weather = replace(weather, names=replace(weather.names, kinds=silent))
    world = draw_world(
        arguments.seed,
        hosts=arguments.hosts,
        machines=arguments.machines or max(arguments.hosts // 2, 1),
        weather=weather,
        https=arguments.https,
    )
    if arguments.pages:
        world = replace(world, hosts=[replace(host, pages=arguments.pages) for host in world.hosts])
    return replace(world, link=Link()) if arguments.without_link else world


def _arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.internet", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weather", choices=sorted(WEATHERS), default="fair")
    parser.add_argument("--hosts", type=int, default=400)
    parser.add_argument("--machines", type=int, help="addresses on which they live (default: half as many)")
    parser.add_argument("--seconds", type=float, default=60.0, help="that a crawl gets (default 60)")
    parser.add_argument("--window", type=float, help="second from which the rate is measured (default: a third)")
    parser.add_argument("--https", type=float, metavar="SHARE", help="of the hosts (default: that of the weather)")
    parser.add_argument("--name-seconds", type=float, metavar="SECONDS", help="that each name takes")
    parser.add_argument(
        "--silent-names", type=float, metavar="SHARE", help="of names that nobody answers; no others fail"
    )
    parser.add_argument("--pages", type=int, default=0, help="of each host (default: no end)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], dest="settings", metavar="SECTION.KEY=VALUE")
    parser.add_argument("--mode", choices=[mode.value for mode in Mode], default=Mode.BFS.value)
    parser.add_argument("--without-link", action="store_true", help="let the link be as wide as it can")
    parser.add_argument("--farm", type=Path, metavar="FOLDER", help="of a built webfarm whose pages are shown")
    parser.add_argument("--before", type=Path, action="append", default=[], metavar="FOLDER", help="an older checkout")
    parser.add_argument("--peers-python", type=Path, metavar="FILE", help="an interpreter that has Scrapy and Crawlee")
    parser.add_argument(
        "--capacity", type=float, default=inf, metavar="PAGES/S", help="of this computer, for the ideal"
    )
    parser.add_argument("--crawl-cpu", type=int, default=0, help="the core of the crawl (default 0; -1: any)")
    parser.add_argument("--server-cpu", type=int, default=1, help="the core of the box (default 1; -1: any)")
    parser.add_argument("--folder", type=Path, help="keeps the logs and stores there (default: nothing is kept)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
