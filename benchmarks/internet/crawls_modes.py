"""The ways in which this project's own crawler, or an older tree of it, is run in a box."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from benchmarks.internet.crawls import Contestant, Failure, Place, Stage
from benchmarks.internet.manners import Politeness
from benchmarks.internet.network import MACHINES_V4, MACHINES_V6
from benchmarks.internet.world import Quirk, World
from hinterland.crawler.settings import load_settings, toml

CONTACT: Final = "https://benchmark.example/"
LOCAL_SHARE: Final = 10
"""In the mode hinterland one of this many hosts is local."""

_FAILED_VISITS: Final = """
SELECT host.url, fetch.outcome, fetch.detail FROM fetch
JOIN page ON page.id = fetch.page JOIN host ON host.id = page.host
WHERE fetch.outcome NOT IN ('fetched', 'other_type', 'redirected', 'robots', 'soft_404')
"""
_FAILED_HOSTS: Final = """
SELECT url, last_error, is_given_up, failures = 0 FROM host WHERE last_error IS NOT NULL OR is_given_up
"""


class Mode(StrEnum):
    """What is run."""

    BFS = "bfs"
    HINTERLAND = "hinterland"  # a tenth of the hosts is local, pages of the others are chosen
    RECRAWL = "recrawl"  # half of the time bfs, half of it looking again
    CLUSTER = "cluster"  # in two parts
    RENDER = "render"  # shells in a browser
    SITEMAPS = "sitemaps"  # also what sitemaps name


_OPTIONS: Final[dict[Mode, Sequence[str]]] = {
    Mode.BFS: (),
    Mode.HINTERLAND: ("--hinterland", "100000", "--hinterland-share", "0.5", "--refresh-pages", "50"),
    Mode.RECRAWL: (),
    Mode.CLUSTER: ("--cluster", "local:2"),
    Mode.RENDER: ("--render", "auto"),
    Mode.SITEMAPS: ("--set", "sitemaps.use=always"),
}


def ours(mode: Mode, settings: Sequence[str], tree: Path, name: str = "hinterland") -> Contestant:
    """Return the crawler of a tree; the settings are as for --set."""
    return Contestant(name, _stages(mode, settings, tree / "run.py"), failures_in_store, cwd=tree)


def politeness_of(settings: Sequence[str]) -> Politeness:
    """Return the politeness of a crawl with these values of --set. Raises SettingsError."""
    found = load_settings(None, "", {}, settings, {}).settings
    named = {name: getattr(found.politeness, name) for name in Politeness.__slots__ if hasattr(found.politeness, name)}
    return replace(Politeness(**named), max_crawl_delay_seconds=found.robots.max_crawl_delay_seconds)


def _stages(mode: Mode, settings: Sequence[str], program: Path) -> Callable[[World, Place], list[Stage]]:
    def stages(world: World, place: Place) -> list[Stage]:
        place.settings.write_text(settings_file(world, place), encoding="utf-8")
        if mode is Mode.HINTERLAND:
            seeds = place.seeds.read_text(encoding="utf-8").splitlines()
            place.seeds.write_text("\n".join(seeds[::LOCAL_SHARE]) + "\n", encoding="utf-8")
        changes = [word for change in settings for word in ("--set", change)]
        run = [sys.executable, str(program)]
        common = ["--settings", str(place.settings), *changes]
        crawl = [*run, "crawl", "--seeds", str(place.seeds), "--store", str(place.store), *common, *_OPTIONS[mode]]
        if mode is not Mode.RECRAWL:
            return [Stage(crawl)]
        return [Stage(crawl, 0.5), Stage([*run, "recrawl", str(place.store), *common], 0.5)]

    return stages


def settings_file(world: World, place: Place) -> str:
    """Return what a crawl must know about a box: its networks, its authority, and redirect targets."""
    redirected = [f"www.{host.name}" for host in world.hosts if host.quirk is Quirk.REDIRECTS_TO_TLS]
    return (
        f"[identity]\ncontact = {toml(CONTACT)}\n"
        f"[scope]\nhosts = {toml(redirected)}\n"
        f"[fetching]\nallow_networks = {toml([MACHINES_V4, MACHINES_V6])}\nca_file = {toml(str(place.authority))}\n"
    )


def failures_in_store(place: Place) -> list[Failure]:
    """Return the failures in the store of a crawl: of the last visit to each page, and of hosts."""
    if not place.store.exists():
        return []
    with closing(sqlite3.connect(f"{place.store.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        visits = [
            Failure(_name(url), kind, detail) for url, kind, detail in connection.execute(_FAILED_VISITS).fetchall()
        ]
        hosts = [
            Failure(_name(url), _kind(error or ""), error or "", bool(given_up), bool(answers and not given_up))
            for url, error, given_up, answers in connection.execute(_FAILED_HOSTS).fetchall()
        ]
    return visits + hosts


def _name(url: str) -> str:
    return url.partition("://")[2].partition(":")[0]


def _kind(error: str) -> str:
    """Return the outcome at the beginning of a host's error."""
    return error.removeprefix("robots.txt: ").partition(":")[0]
