"""What a whole crawl costs: ours beside a lean Scrapy and two floors, in one run on one core.

    python -m benchmarks.crawl [--repeats 3] [--json FILE]
    python -m benchmarks.crawl --before ../old/run.py           # another tree, measured in the same rounds

Crawls the webfarm's small set whole, then the first 20,000 pages of its full set, with no rests between
requests. Rounds are interleaved (A B C D, A B C D, ...), ratios are taken within a round, and the table
shows medians with the least and the greatest value. See benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks.contestants import BASE, CONTESTANTS, DEFAULT_PROGRAM, OURS, Contestant, Task, Work, before
from benchmarks.farm import REPOSITORY, SETS, Farm, add_farm_options, farm_of
from benchmarks.measuring import Cost, measure

MAX_PAGES: Final = {"small": None, "full": 20_000}
_IN_PYTHON: Final = "parsing pages in Python"
"""What a crawl warns of if the page reader in C is missing."""
_HOW_TO_BUILD: Final = "run `python -m hinterland.crawler.parsing.compiled` in its tree"
_DEPENDENCIES: Final = ("aiohttp", "uvloop", "selectolax", "ada-url", "scrapy")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One contestant in one round over one set."""

    set: str
    round: int
    contestant: str
    work: Work
    cost: Cost

    @property
    def cpu_per_1000(self) -> float:
        """CPU seconds per 1,000 pages."""
        return self.cost.cpu_seconds / self.work.pages * 1000


def main() -> None:
    """Measure, print the table, and write the numbers to a file if asked to."""
    arguments = _arguments()
    measurements = []
    farm = farm_of(arguments)
    chosen = [each for each in CONTESTANTS if each.name not in arguments.without]
    if arguments.before is not None:
        chosen.insert(0, before(arguments.before.resolve()))
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        for name in arguments.sets:
            task = _task(farm, name, arguments, Path(folder))
            with farm.serving(name, spread=arguments.spread):
                of_set = list(_rounds(name, task, chosen, arguments))
            print("\n".join(table(of_set)), flush=True)
            measurements += of_set
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(_report(measurements, arguments), indent=1), encoding="utf-8")


def _rounds(
    name: str, task: Task, contestants: Sequence[Contestant], arguments: argparse.Namespace
) -> Iterable[Measurement]:
    for number in range(1, arguments.repeats + 1):
        for contestant in contestants:
            _clear(task)
            cost = measure(contestant.command(task), cpu=arguments.client_cpu, cwd=REPOSITORY)
            if cost.exit_code not in contestant.exit_codes:
                sys.exit(f"{contestant.name} ended with {cost.exit_code}:\n{cost.output}\n{cost.errors}")
            if _IN_PYTHON in cost.errors:
                sys.exit(f"{contestant.name} has no page reader in C, and is ten times slower without: {_HOW_TO_BUILD}")
            measurement = Measurement(name, number, contestant.name, contestant.work(task, cost.output), cost)
            print(_progress(measurement), file=sys.stderr, flush=True)
            yield measurement


def _clear(task: Task) -> None:
    for path in task.folder.glob(f"{task.store.name}*"):
        path.unlink()


def _task(farm: Farm, name: str, arguments: argparse.Namespace, folder: Path) -> Task:
    folder = folder / name
    folder.mkdir()
    seeds = folder / "seeds.txt"
    seeds.write_text("\n".join(farm.seeds(name)) + "\n", encoding="utf-8")
    max_pages = arguments.max_pages or MAX_PAGES[name]
    return Task(arguments.program.resolve(), seeds, max_pages, arguments.spread, folder)


# ---------------------------------------------------------------- telling


def table(measurements: Sequence[Measurement]) -> list[str]:
    """Return the comparison of one set, one line per contestant."""
    base = {each.round: each.cpu_per_1000 for each in measurements if each.contestant == BASE}
    rounds = max(each.round for each in measurements)
    columns = f"{'CPU s per 1,000 pages':>24}{'x floor: parse':>21}{'pages/s':>20}{'peak MB (PSS)':>20}{'RSS':>6}"
    lines = [
        f"\n{measurements[0].set} set, {rounds} rounds: median (least-greatest)",
        f"{'':14}{columns}{'pages':>9}{'links':>11}",
    ]
    for name in dict.fromkeys(each.contestant for each in measurements):
        runs = [each for each in measurements if each.contestant == name]
        ratios = [each.cpu_per_1000 / base[each.round] for each in runs if each.round in base]
        lines.append(
            f"{name:14}{_spread([each.cpu_per_1000 for each in runs], 3):>24}{_spread(ratios, 2):>21}"
            f"{_spread([each.work.pages / each.cost.wall_seconds for each in runs], 0):>20}"
            f"{_spread([each.cost.peak_pss_mb for each in runs], 0):>20}"
            f"{median(each.cost.peak_rss_mb for each in runs):6.0f}"
            f"{median(each.work.pages for each in runs):9,.0f}"
            f"{median(each.work.links for each in runs):11,.0f}"
        )
    return [*lines, *_conclusions(measurements)]


def _conclusions(measurements: Sequence[Measurement]) -> Iterator[str]:
    """Ours against each of the others: ratios of CPU time a page within a round, their median."""
    cpu = {(each.contestant, each.round): each.cpu_per_1000 for each in measurements}
    for name in dict.fromkeys(each.contestant for each in measurements if each.contestant != OURS):
        ratios = [cost / cpu[OURS, number] for (other, number), cost in cpu.items() if other == name]
        times = median(ratios)
        if times >= 1:
            yield f"{OURS} takes {times:.1f} times less CPU time a page than {name}"
        else:
            yield f"{OURS} takes {1 / times:.2f} times the CPU time of {name}"


def _spread(values: Sequence[float], digits: int) -> str:
    if not values:
        return "-"
    least, greatest = (f"{value:,.{digits}f}" for value in (min(values), max(values)))
    return f"{median(values):,.{digits}f} ({least}-{greatest})"


def _progress(measurement: Measurement) -> str:
    cost = measurement.cost
    return (
        f"{measurement.set} {measurement.round} {measurement.contestant}: {measurement.work.pages} pages, "
        f"{cost.cpu_seconds:.2f} s CPU, {cost.wall_seconds:.2f} s, {cost.peak_pss_mb:.0f} MB"
    )


def _report(measurements: Sequence[Measurement], arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.platform(),
        "versions": {name: version(name) for name in _DEPENDENCIES},
        "spread": arguments.spread,
        "measurements": [
            asdict(replace(each, cost=replace(each.cost, output="", errors="")))
            | {"cpu_seconds_per_1000_pages": each.cpu_per_1000}
            for each in measurements
        ],
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="rounds (default 3)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, help="sets to crawl (default: both)")
    parser.add_argument("--max-pages", type=int, metavar="N", help="another budget, for every set")
    parser.add_argument(
        "--without", nargs="+", default=(), metavar="NAME",
        choices=[each.name for each in CONTESTANTS if each.name != OURS], help="contestants to leave out",
    )  # fmt: skip
    parser.add_argument("--spread", action="store_true", help="give each host an address of its own")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement there")
    parser.add_argument("--client-cpu", type=int, default=0, help="the core of the crawlers (default 0)")
    parser.add_argument("--program", type=Path, default=DEFAULT_PROGRAM, help="another run.py to measure")
    parser.add_argument(
        "--before", type=Path, metavar="PROGRAM", help="the run.py of an older tree, to measure in the same rounds"
    )
    add_farm_options(parser)
    arguments = parser.parse_args()
    if arguments.client_cpu == arguments.server_cpu:
        parser.error("crawler and server need a core each")
    if shutil.which("taskset") is None:
        parser.error("taskset (util-linux) is needed to pin the server")
    return arguments


if __name__ == "__main__":
    main()
