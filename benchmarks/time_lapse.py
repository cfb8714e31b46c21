"""The crawl itself against a real site's history: a repository of documents served as of a virtual date.

    python -m benchmarks.time_lapse peps.git --path peps --years 5 --ratios 0.5 1 3 --seconds 60

Pages are the documents of a git repository, each with the text that it had at that time, ETag and Last-Modified, linked
from an index page. They are crawled at the beginning and then kept true by `recrawl --budget` under a clock that runs
as much faster as --seconds asks for; the budget is so many visits for each day on which a page changed. What is fresh,
and how old what is stale, is told by the server's own log, over the last two thirds, with an importance drawn from
Zipf's law that the store has as its ranks.
"""

from __future__ import annotations

import argparse
import html
import re
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path
from typing import Final

import numpy as np
import uvloop

from analysis.change_history import ChangeHistory
from crawler.apps.experiments.revisit_simulation import Freshness, RevisitSimulation, zipf_importance
from crawler.engine.clock import SteadyClock
from crawler.engine.revisiting import Revisiting
from crawler.engine.running import CrawlRequest, run_crawl
from crawler.settings import Settings
from storage.link_store import LinkStore
from tests.support.crawling import quick_settings
from tests.support.web import HTML, Answer, Exchange, LoopbackWeb

DAY: Final = 86_400.0
HOST: Final = "site.test"
_ZIPF: Final = 0.8


@dataclass(frozen=True, slots=True)
class Version:
    """Of a document, from `time` (epoch seconds) on. blob: its content's name; "" when there is none any more."""

    time: float
    blob: str


class Repository:
    """The versions of the documents of a git repository, by the name of each."""

    def __init__(self, folder: Path, path: str, pattern: str, since: float) -> None:
        self._folder = folder
        named = re.compile(pattern)
        self.versions: dict[str, list[Version]] = {}
        start = self._git("rev-list", "-1", f"--before={since:.0f}", "HEAD").strip()
        for line in self._git("ls-tree", "-r", start, *([path] if path else [])).splitlines():
            blob, name = line.split()[2], line.partition("\t")[2]
            if found := named.search(name):
                self.versions[found[0]] = [Version(since, blob)]
        log = self._git(
            "log", "--reverse", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames", "--format=@%ct",
            f"{start}..HEAD", *(["--", path] if path else []),
        )  # fmt: skip
        at = since
        for line in log.splitlines():
            if line.startswith("@"):
                at = max(float(line[1:]), at)
            elif line.startswith(":") and (found := named.search(line.partition("\t")[2])):
                blob = line.split()[3]
                versions = self.versions.setdefault(found[0], [])
                if not versions or versions[-1].blob != blob:
                    versions.append(Version(at, "" if set(blob) == {"0"} else blob))
        self.until = at
        blobs = {version.blob for versions in self.versions.values() for version in versions} - {""}
        self.texts = self._contents(sorted(blobs))

    def _git(self, *words: str) -> str:
        line = ["git", "-C", str(self._folder), *words]
        return subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")

    def _contents(self, blobs: Sequence[str]) -> dict[str, bytes]:
        line = ["git", "-C", str(self._folder), "cat-file", "--batch"]
        asked = "\n".join(blobs).encode() + b"\n"
        out = subprocess.run(line, input=asked, check=True, stdout=subprocess.PIPE).stdout
        found, place = {}, 0
        for _ in blobs:
            end = out.index(b"\n", place)
            name, _, size = out[place:end].split()
            place = end + 1 + int(size) + 1
            found[name.decode()] = out[end + 1 : place - 1]
        return found

    def at(self, name: str, now: float) -> Version | None:
        """The version that a document has, or had last."""
        found = None
        for version in self.versions[name]:
            if version.time > now:
                break
            found = version
        return found


class TimeLapse:
    """The site as of the clock's date, and who asked for what."""

    def __init__(self, repository: Repository, clock: SteadyClock) -> None:
        self._repository = repository
        self._clock = clock
        self.visits: list[tuple[float, str]] = []

    async def __call__(self, exchange: Exchange) -> None:
        now, path = self._clock(), exchange.request.path
        name = path.strip("/")
        if not name:
            await Answer(self._index(now), 200, HTML)(exchange)
            return
        version = self._repository.at(name, now) if name in self._repository.versions else None
        self.visits.append((now, name))
        if version is None or not version.blob:
            await Answer(b"not here", 404, "text/plain")(exchange)
            return
        fields = {"ETag": f'"{version.blob[:12]}"', "Last-Modified": formatdate(version.time, usegmt=True)}
        if exchange.request.headers.get("if-none-match") == fields["ETag"]:
            await exchange.send(Answer(b"", 304, None, {**fields, "Content-Length": ""}).head())
            return
        await Answer(page_of(name, self._repository.texts[version.blob], now), 200, HTML, fields)(exchange)

    def _index(self, now: float) -> bytes:
        names = [name for name in self._repository.versions if (v := self._repository.at(name, now)) and v.blob]
        items = "".join(f"<li><a href=/{name}/>{name}</a>" for name in names)
        return f"<title>Index</title><main><ul>{items}</ul></main>".encode()


def page_of(name: str, text: bytes, now: float) -> bytes:
    """A document as a site would show it: with a menu, a clock and an advertisement around it."""
    paragraphs = re.split(r"\n\s*\n", text.decode("utf-8", "replace"))
    body = "".join(f"<p>{html.escape(each)}</p>\n" for each in paragraphs)
    served = time.strftime("%d %B %Y %H:%M:%S", time.gmtime(now))
    return (
        f"<!doctype html><title>{name}</title><nav><a href=/>Index</a></nav>"
        f"<aside class=ad>Offer {int(now) % 97} of today</aside><main>{body}</main>"
        f"<footer>Served {served} UTC, request {int(now * 1000):016x}</footer>"
    ).encode()


async def kept(repository: Repository, start: float, ratio: float, seconds: float, policy: str, seed: int) -> Freshness:
    """One run. ratio: visits for each change."""
    names = [name for name in repository.versions if (v := repository.at(name, start)) and v.blob]
    numbers = {name: number for number, name in enumerate(names)}
    changes = [
        (version.time - start, numbers[name])
        for name in names
        for version in repository.versions[name]
        if version.time > start
    ]
    length = repository.until - start
    history = ChangeHistory(
        np.array([page for _, page in sorted(changes)], np.int32),
        np.array([at for at, _ in sorted(changes)]),
        len(names),
        length,
    )
    importance = zipf_importance(len(names), _ZIPF, seed)
    clock = SteadyClock(speed=length / seconds, begins=start)
    site = TimeLapse(repository, clock)
    with tempfile.TemporaryDirectory(prefix="time-lapse-") as folder:
        store = Path(folder) / "site.db"
        async with LoopbackWeb() as web:
            web.answer(HOST, "*", site)
            settings = _settings(web, policy)
            seeds = [web.url(HOST, "/")]
            still = SteadyClock(speed=1e-9, begins=start)
            await _crawl(CrawlRequest(settings, seeds, ["crawl"], clock=still), store)
            _rank(store, web, dict(zip(names, importance.tolist(), strict=True)))
            site._clock = clock = SteadyClock(speed=length / seconds, begins=start)
            site.visits.clear()
            budget = ratio * len({(page, int(at // DAY)) for at, page in changes}) / length
            request = CrawlRequest(settings, [], ["recrawl"], revisiting=Revisiting(budget, length), clock=clock)
            await _crawl(request, store)
    simulation = RevisitSimulation(history, importance, 0.0)
    events = [(at, 0, page) for at, page in changes]
    events += [(at - start, 1, numbers[name]) for at, name in site.visits if name in numbers]
    for at, is_visit, page in sorted(events):
        if is_visit:
            simulation.visit(page, at)
            simulation.visits += 1
        else:
            simulation.changed(page, at)
    return simulation.result()


def _settings(web: LoopbackWeb, policy: str) -> Settings:
    return quick_settings(
        web.addresses,
        parsing={"processes": 1},
        robots={"max_age_seconds": 86_400},
        revisits={"policy": policy, "new_pages_share": 0.2},
        sitemaps={"use": "never"},
        identity={"contact": "https://benchmark.example/"},
    )


async def _crawl(request: CrawlRequest, store: Path) -> None:
    async with LinkStore(store) as opened:
        await run_crawl(request, opened)


def _rank(store: Path, web: LoopbackWeb, importance: dict[str, float]) -> None:
    """Let the store have the importance as its ranks."""
    with closing(sqlite3.connect(store)) as connection:
        pages = dict(connection.execute("SELECT url, id FROM page"))
        rows = [
            ("local", pages[url], weight, 1)
            for name, weight in importance.items()
            if (url := web.url(HOST, f"/{name}/")) in pages
        ]
        connection.executemany("INSERT INTO rank (estimator, page, pagerank, place) VALUES (?, ?, ?, ?)", rows)
        connection.commit()


def _runs(arguments: argparse.Namespace) -> Iterator[tuple[float, str, int]]:
    for ratio in arguments.ratios:
        for policy in arguments.policies:
            for seed in range(arguments.draws):
                yield ratio, policy, seed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path, help="a git repository of documents")
    parser.add_argument("--path", default="", help="the folder in it")
    parser.add_argument("--pattern", default=r"pep-\d+", help="a regular expression: the name of a document")
    parser.add_argument("--years", type=float, default=5.0)
    parser.add_argument("--ratios", type=float, nargs="+", default=[1.0], help="visits for each change")
    parser.add_argument("--policies", nargs="+", default=["harmonic", "uniform"])
    parser.add_argument("--draws", type=int, default=1, help="of the importance")
    parser.add_argument("--seconds", type=float, default=60.0, help="that a run takes")
    arguments = parser.parse_args()
    newest = subprocess.run(
        ["git", "-C", str(arguments.repository), "log", "-1", "--format=%ct"], check=True, stdout=subprocess.PIPE
    ).stdout
    start = float(newest) - arguments.years * 365.25 * DAY
    repository = Repository(arguments.repository, arguments.path, arguments.pattern, start)
    print("visits per change | policy | draw | freshness | age in days, by importance | by pages | visits")
    for ratio, policy, seed in _runs(arguments):
        found = uvloop.run(kept(repository, start, ratio, arguments.seconds, policy, seed))
        ages = f"{found.weighted_age / DAY:.1f} | {found.age / DAY:.1f}"
        print(f"{ratio:g} | {policy} | {seed} | {found.fresh:.3f} | {ages} | {found.visits}", flush=True)


if __name__ == "__main__":
    main()
