"""What `index` holds in memory while it makes the index of a store, phase by phase.

    python -m benchmarks.index_memory STORE [STORE ...] [--folder FOLDER] [--keep]

Stores of any size come from `benchmarks.million_pages make`. Each index is made from nothing, in a process of its own
that is sampled ten times a second. *Own* is memory that only this process can give back (RssAnon): what it has
computed, tantivy's included. *Files* are the pages of files that it has mapped (RssFile, RssShmem), among them its
program, the index and its own files without names: the system reclaims them when memory is short. The processes that
read pages are not counted in memory, only in the CPU time of all. Linux only.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Final

from benchmarks.store_memory import sizes_of
from hinterland.search.index.building import build
from hinterland.search.index.index_folder import IndexFolder

_LOOK_SECONDS: Final = 0.1
_BEGINNING: Final = "what there is"


@dataclass(slots=True)
class Phase:
    """A phase of a build, up to the next one. MB are 10⁶ bytes."""

    name: str
    cpu_seconds: float = 0.0
    own_mb: float = 0.0
    files_mb: float = 0.0


class _Watched:
    """The phases of this process, each with its peaks. A context manager."""

    def __init__(self) -> None:
        self.phases = [Phase(_BEGINNING)]
        self._began = time.process_time()
        self._ends = threading.Event()
        self._looking = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watched:
        self._looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._looking.join()
        self._close()

    def progress(self, what: str, _done: int, _of: int) -> None:
        if what != self.phases[-1].name:
            self._close()
            self.phases.append(Phase(what))

    def _close(self) -> None:
        now = time.process_time()
        self.phases[-1].cpu_seconds, self._began = now - self._began, now

    def _look(self) -> None:
        while not self._ends.wait(_LOOK_SECONDS):
            phase, sizes = self.phases[-1], dict(_sizes())
            phase.own_mb = max(phase.own_mb, sizes["RssAnon"])
            phase.files_mb = max(phase.files_mb, sizes["RssFile"] + sizes["RssShmem"])


def _sizes() -> Iterator[tuple[str, float]]:
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.startswith("Rss"):
            yield name, int(value.split()[0]) * 1024 / 1e6


def phases_of(store: Path, folder: Path) -> tuple[list[Phase], float, int]:
    """Return the phases of a build, the CPU seconds of all its processes, and the documents of the index."""
    context = get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_build, args=(store, folder, its))
    process.start()
    its.close()
    phases: list[Phase]
    phases, seconds, documents = ours.recv()
    process.join()
    return phases, seconds, documents


def _build(store: Path, folder: Path, told: Connection) -> None:
    with _Watched() as watched:
        report = build(store, IndexFolder(folder), rebuild=True, progress=watched.progress)
    usages = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    told.send((watched.phases, sum(each.ru_utime + each.ru_stime for each in usages), report.documents))


def main() -> None:
    """Build, watch and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stores", type=Path, nargs="+")
    parser.add_argument("--folder", type=Path, help="where the indexes go (default: a temporary folder)")
    parser.add_argument("--keep", action="store_true", help="leave the indexes there")
    arguments = parser.parse_args()
    scratch = arguments.folder or Path(tempfile.mkdtemp())
    for store in arguments.stores:
        folder = scratch / f"{store.stem}.index"
        shutil.rmtree(folder, ignore_errors=True)
        phases, seconds, documents = phases_of(store, folder)
        known, fetched, links = sizes_of(store)
        print(f"\n{store.name}: {known:,} pages known, {fetched:,} fetched, {links:,} links, {documents:,} documents")
        print(f"{seconds:.0f} s of CPU in all\n\n| phase | CPU, s | own, MB | files, MB |\n|---|--:|--:|--:|")
        for phase in phases:
            print(f"| {phase.name} | {phase.cpu_seconds:.1f} | {phase.own_mb:.0f} | {phase.files_mb:.0f} |", flush=True)
        if not arguments.keep:
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
