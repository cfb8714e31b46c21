"""What a store of a million fetched pages costs those who look at it, resume it and stop it.

    python -m benchmarks.million_pages make FILE --pages 1000000
    python -m benchmarks.million_pages measure FILE

`make` writes a store of so many fetched pages, three times as many URLs and twelve times as many links, drawn by lot.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import time
from pathlib import Path

from benchmarks.synthetic_store import StorePlan, make_store


def main() -> None:
    """Make a store, or measure one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make", help="write a store of so many pages")
    make.add_argument("store", type=Path)
    make.add_argument("--pages", type=int, default=1_000_000, help="fetched pages (default 1,000,000)")
    make.add_argument("--seed", type=int, default=1, help="another seed, another store (default 1)")
    make.add_argument("--killed", action="store_true", help="as a kill leaves it: no run ended, no index was built")
    arguments = parser.parse_args()
    _make(arguments)


def _make(arguments: argparse.Namespace) -> None:
    if arguments.store.exists():
        raise SystemExit(f"{arguments.store} is there already")
    began = time.process_time()
    asyncio.run(make_store(arguments.store, StorePlan(arguments.pages, arguments.seed, arguments.killed)))
    size = arguments.store.stat().st_size / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(f"{arguments.store}: {size:,.0f} MB in {time.process_time() - began:.0f} s of CPU, {peak:,.0f} MB of memory")


if __name__ == "__main__":
    main()
