"""What `rank` and `index` hold in memory of a store.

    python -m benchmarks.store_memory rank STORE
    python -m benchmarks.store_memory index STORE [--index FOLDER]

Stores of any size come from `benchmarks.million_pages make`. Each command runs in a process of its own, on a store of
three hundred pages, for what the program takes by itself, and then on STORE: the difference is what the store takes.
`rank` writes the ranks into the store. Of `index`, what tantivy takes is counted, the processes that read pages are
not.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from contextlib import redirect_stdout
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Final

from benchmarks.store_reading import opened
from benchmarks.synthetic_store import StorePlan, make_store

_PAGES: Final = 300


@dataclass(frozen=True, slots=True)
class Peak:
    """The peak memory and the CPU time of a process when its work is done."""

    megabytes: float
    cpu_seconds: float


def peak_of(command: str, store: Path, index: Path) -> Peak:
    """Run a command of the program to its end; what it prints is thrown away."""
    context = get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_run, args=(command, store, index, its))
    process.start()
    peak: Peak = ours.recv()
    process.join()
    return peak


def _run(command: str, store: Path, index: Path, told: Connection) -> None:
    from hinterland.cli import main as run

    where = ["--index", str(index)] if command == "index" else []
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        code = run([command, str(store), *where])
    if code:
        raise SystemExit(code)
    usage = getrusage(RUSAGE_SELF)
    told.send(Peak(usage.ru_maxrss / 1e3, usage.ru_utime + usage.ru_stime))


def sizes_of(store: Path) -> tuple[int, int, int]:
    """Pages known, pages fetched, links."""
    with opened(store) as connection:
        [row] = connection.execute(
            "SELECT (SELECT count(*) FROM page), (SELECT count(*) FROM fetch WHERE outcome = 'fetched'),"
            " (SELECT count(*) FROM link)"
        )
    return row[0], row[1], row[2]


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("rank", "index"))
    parser.add_argument("store", type=Path)
    parser.add_argument("--index", type=Path, help="where the index goes (default: a temporary folder)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        small = Path(scratch) / "small.db"
        asyncio.run(make_store(small, StorePlan(_PAGES)))
        peak_of(arguments.command, small, Path(scratch) / "small.index")  # it may compile
        base = peak_of(arguments.command, small, Path(scratch) / "small.index")
        peak = peak_of(arguments.command, arguments.store, arguments.index or Path(scratch) / "index")
    known, fetched, links = sizes_of(arguments.store)
    print(f"{known:,} pages known, {fetched:,} fetched, {links:,} links: {peak.cpu_seconds:.0f} s of CPU")
    taken = peak.megabytes - base.megabytes
    print(f"{peak.megabytes:.0f} MB at most, {base.megabytes:.0f} MB of them for {_PAGES} pages:", end=" ")
    print(f"{1e6 * taken / links:.1f} bytes a link, {1e6 * taken / fetched:.0f} bytes a fetched page")


if __name__ == "__main__":
    main()
