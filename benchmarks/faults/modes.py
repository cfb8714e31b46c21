"""The ways of working that faults happen to: what is started, what goes on with it, and what must come of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.faults.comparison import (
    compare_archive,
    compare_history,
    compare_index,
    compare_ranks,
    compare_stores,
)
from benchmarks.faults.web import WebPlan

CommandLine = Callable[["Place", WebPlan], list[str]]
Compare = Callable[["Place", "Place"], list[str]]
"""(undisturbed, disturbed) -> what is lost or different, in words; empty if nothing is."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the files of one piece of work lie."""

    folder: Path
    name: str = "crawl.db"

    @property
    def store(self) -> Path:
        """The file of the store."""
        return self.folder / self.name

    @property
    def archive(self) -> Path:
        """The folder of the archive."""
        return self.folder / "warc"


@dataclass(frozen=True, slots=True)
class Mode:
    """first, again: command lines of run.py. needs: the mode whose undisturbed result it works on.

    is_crawl: whether it uses the network and clocks of a crawl. edited: see WebPlan. retry: what has it ask again for
    what has failed.
    """

    name: str
    first: CommandLine
    again: CommandLine
    compare: Compare
    needs: str = ""
    is_crawl: bool = True
    edited: bool = False
    retry: tuple[str, ...] = ("--retry", "failed")

    def prepare(self, place: Place, needed: Place | None) -> None:
        """Put into a new place what the work begins with."""
        place.folder.mkdir(parents=True, exist_ok=True)
        if needed is not None and self.name in ("index", "recrawl"):
            shutil.copy(needed.store, place.store)
        elif needed is not None:
            shutil.copytree(needed.archive, place.folder / "given")


def _crawl(
    *more: str, everywhere: bool = True
) -> tuple[Callable[[Place, WebPlan], list[str]], Callable[[Place, WebPlan], list[str]]]:
    def first(place: Place, plan: WebPlan) -> list[str]:
        hosts = ",".join(f"{host}:{plan.port}" for host in plan.addresses)
        scope = ["--set", f"scope.hosts={hosts}"] if everywhere else []
        archive = [str(place.archive)] if more[-1:] == ("--warc",) else []
        return ["crawl", plan.seed, "--store", str(place.store), *scope, *more, *archive]

    def again(place: Place, plan: WebPlan) -> list[str]:
        command = first(place, plan)
        return [command[0], *command[2:], "--resume"]

    return first, again


def _index(place: Place, _plan: WebPlan) -> list[str]:
    return ["index", str(place.store)]


def _recrawl(place: Place, _plan: WebPlan) -> list[str]:
    return ["recrawl", str(place.store)]


def _import(place: Place, plan: WebPlan) -> list[str]:
    return ["import", str(place.folder / "given"), "--store", str(place.store), "--local", plan.seed]


def _with_archive(calm: Place, disturbed: Place) -> list[str]:
    return compare_stores(calm.store, disturbed.store) + compare_archive(
        calm.archive, disturbed.archive, disturbed.store
    )


def _with_ranks(calm: Place, disturbed: Place) -> list[str]:
    return compare_stores(calm.store, disturbed.store) + compare_ranks(calm.store, disturbed.store)


def _with_history(calm: Place, disturbed: Place) -> list[str]:
    return compare_stores(calm.store, disturbed.store) + compare_history(calm.store, disturbed.store)


def _stores(calm: Place, disturbed: Place) -> list[str]:
    return compare_stores(calm.store, disturbed.store)


def _indexes(calm: Place, disturbed: Place) -> list[str]:
    return compare_index(calm.store, disturbed.store)


_OUTSIDE: Final = ("--policy", "indegree", "--hinterland", "1000", "--refresh-pages", "25")
"""More than there is, so that what is fetched in the end does not depend on what was found when."""

MODES: Final = {
    mode.name: mode
    for mode in (
        Mode("bfs", *_crawl(), _stores),
        Mode("hinterland", *_crawl(*_OUTSIDE, everywhere=False), _with_ranks),
        Mode("warc", *_crawl("--warc"), _with_archive),
        Mode("recrawl", _recrawl, _recrawl, _with_history, needs="bfs", edited=True, retry=()),
        Mode("index", _index, _index, _indexes, needs="bfs", is_crawl=False),
        Mode("import", _import, _import, _stores, needs="warc", is_crawl=False),
    )
}
