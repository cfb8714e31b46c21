"""Crawls random small sites in every mode, and tells what does not hold that must hold of any site.

    python -m benchmarks.crawl_fuzzer --minutes 10 --seed 1
    python -m benchmarks.crawl_fuzzer --seed 4711 --sites 1 --keep folder      one site again, its files kept
    python -m benchmarks.crawl_fuzzer --minutes 5 --modes crawl resume
    python -m benchmarks.crawl_fuzzer --seed 4711 --sites 1 --without troubles odd     does it need those?

Each finding is printed with the seed of its site and the command that repeats that one site. Sites are served on
loopback addresses; nothing else is asked for anything. The exit code is 1 if there was a finding.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path

from benchmarks.crawl_fuzzer.commands import prepare
from benchmarks.crawl_fuzzer.drawing import drawn_site
from benchmarks.crawl_fuzzer.invariants import Finding
from benchmarks.crawl_fuzzer.modes import MODES, drawn_modes, worked_on
from benchmarks.crawl_fuzzer.report import Report
from benchmarks.crawl_fuzzer.server import Addresses
from benchmarks.crawl_fuzzer.simplifying import FEATURES, simplified

_TELLS_SECONDS = 60.0


def main() -> None:
    """Fuzz random sites until the time or the number of sites is used up, and print the findings."""
    arguments = _arguments()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    prepare()
    addresses = Addresses()
    report = Report(arguments.modes, arguments.without)
    began = time.monotonic()
    seed, told = arguments.seed, began
    with suppress(KeyboardInterrupt):
        while report.sites < arguments.sites and time.monotonic() - began < arguments.minutes * 60:
            with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
                folder = arguments.keep or Path(name)
                folder.mkdir(parents=True, exist_ok=True)
                modes = arguments.modes or drawn_modes(seed)
                try:
                    findings = worked_on(simplified(drawn_site(seed), arguments.without), modes, folder, addresses)
                except Exception as error:  # of the fuzzer itself: told, and the next site has its turn
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    what = f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}"
                    findings = [("fuzzer", Finding("the fuzzer works", what, str(error)))]
            report.add(seed, findings)
            seed += 1
            if time.monotonic() - told > _TELLS_SECONDS:
                told = time.monotonic()
                print(f"{report.sites} sites, {len(report.kinds)} kinds of findings; next seed {seed}", file=sys.stderr)
    report.tell(time.monotonic() - began)
    sys.exit(1 if report.kinds else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.crawl_fuzzer",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=10.0, metavar="M", help="then no further site; default 10")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the first site; the next has S + 1")
    parser.add_argument("--sites", type=int, default=1_000_000, metavar="N", help="at most")
    parser.add_argument("--modes", nargs="+", choices=MODES, help="default: a choice that is drawn for each site")
    parser.add_argument("--without", nargs="+", choices=FEATURES, default=[], help="leave these out of the sites")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the files of the (last) site there")
    return parser.parse_args()


if __name__ == "__main__":
    main()
