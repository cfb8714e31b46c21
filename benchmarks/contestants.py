"""Who is measured: what each is started as, and how its work is counted afterwards."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.farm import REPOSITORY
from benchmarks.store_reading import count_links, fetched_urls

OURS: Final = "hinterland"
BASE: Final = "floor: parse"
"""What every other cost is divided by."""


@dataclass(frozen=True, slots=True)
class Task:
    """One crawl to make, and where its files go. max_pages: None for all there is."""

    program: Path
    seeds: Path
    max_pages: int | None
    spread: bool
    folder: Path

    @property
    def store(self) -> Path:
        """The file of the crawl's store."""
        return self.folder / "crawl.db"

    @property
    def contact(self) -> str:
        """A contact URL of this crawl alone, by which the server's log tells its requests from others'."""
        return f"https://benchmark.example/{self.folder.parent.name}/{self.folder.name}/"

    @property
    def pages(self) -> Path:
        """The list of the pages that ours fetched, one URL a line; the floors fetch the same."""
        return self.folder / "pages.txt"


@dataclass(frozen=True, slots=True)
class Work:
    """What a contestant did: HTML pages fetched, links stored (ours) or hrefs seen (the others)."""

    pages: int
    links: int


@dataclass(frozen=True, slots=True)
class Contestant:
    """One program in the comparison. `work` is called with the task and with what the program printed."""

    name: str
    command: Callable[[Task], list[str]]
    work: Callable[[Task, str], Work]
    exit_codes: frozenset[int] = frozenset({0})


def crawl_command(task: Task) -> list[str]:
    """Our own crawl: as fast as it may go, on loopback, and otherwise with the default settings."""
    settings = {
        "politeness.delay_seconds": 0,
        "politeness.delay_factor": 0,
        "politeness.address_delay_seconds": 0,
        "fetching.allow_networks": "127.0.0.0/8",
        "identity.contact": task.contact,
    }
    if not task.spread:
        settings["politeness.address_connections"] = 10_000
    budget = [] if task.max_pages is None else ["--max-pages", str(task.max_pages)]
    changes = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    return [
        sys.executable, str(task.program), "crawl", "--seeds", str(task.seeds), "--store", str(task.store),
        *budget, *changes,
    ]  # fmt: skip


def _hinterland_work(task: Task, _output: str) -> Work:
    urls = fetched_urls(task.store)
    task.pages.write_text("\n".join(urls), encoding="utf-8")
    return Work(len(urls), count_links(task.store))


def _scrapy(task: Task) -> list[str]:
    budget = [] if task.max_pages is None else ["--max-pages", str(task.max_pages)]
    return [sys.executable, "-m", "benchmarks.scrapy_spider", str(task.seeds), *budget]


def _floor(kind: str) -> Callable[[Task], list[str]]:
    return lambda task: [sys.executable, "-m", "benchmarks.floors", kind, str(task.pages)]


def _printed_work(_task: Task, output: str) -> Work:
    printed: dict[str, Any] = json.loads(output)
    if printed.get("errors"):
        raise RuntimeError(f"{printed['errors']} of the pages that had been fetched before were not there")
    return Work(printed["pages"], printed["hrefs"])


_OURSELVES: Final = Contestant(OURS, crawl_command, _hinterland_work, exit_codes=frozenset({0, 5}))  # 5: budget used up

CONTESTANTS: Final = (
    _OURSELVES,
    Contestant("floor: fetch", _floor("fetch"), _printed_work),
    Contestant(BASE, _floor("parse"), _printed_work),
    Contestant("scrapy", _scrapy, _printed_work),
)
"""The contestants in the order of a round: ours first, because the floors fetch the pages that it found."""


def before(program: Path) -> Contestant:
    """Ourselves as we were: the run.py of an older tree, given the same crawl."""
    return replace(_OURSELVES, name="before", command=lambda task: crawl_command(replace(task, program=program)))


DEFAULT_PROGRAM: Final = REPOSITORY / "run.py"
