"""The crawl itself against a real site's history: a repository of documents served as of a virtual date.

    python -m benchmarks.time_lapse peps.git --years 5 --ratios 0.5 1 3 --policies harmonic "true rates" uniform
    python -m benchmarks.time_lapse hugoDocs.git --pattern 'content/en/.*(?=\\.md$)' --growing

Pages are the documents of a git repository, each with the text that it had at that time, ETag and Last-Modified, linked
from an index page. They are crawled at the beginning and then kept true by `recrawl --budget`, with a visit for each
day on which a page changed, times the ratio. The clock leaps over the time between visits and goes as fast as the
machine's during one, so nothing depends on how busy that is. What is fresh, and how old what is stale, is told by the
server's own log, over the last two thirds, with an importance drawn from Zipf's law that the store has as its ranks.
Beside it stands what the simulation (see revisit_rivals) says of the same history, budget and importance.
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

from benchmarks.document_history import DocumentHistory
from benchmarks.revisit_rivals import schedule_of
from hinterland.analysis.graph import FloatArray
from hinterland.crawler.assembly.running import CrawlRequest, run_crawl
from hinterland.crawler.features.recrawl import make_revisit_policy
from hinterland.crawler.features.recrawl.pace import importance_of
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.settings import Settings
from hinterland.lab.change_history import ChangeHistory
from hinterland.lab.experiments.revisit_simulation import Freshness, RevisitSimulation, replay, zipf_importance
from hinterland.storage.link_store import LinkStore
from tests.support.crawling import quick_settings
from tests.support.leaping_clock import LeapingClock
from tests.support.web import HTML, Answer, Exchange, LoopbackWeb

DAY: Final = 86_400.0
HOST: Final = "site.test"
TRUE_RATES: Final = "true rates"
"""`harmonic`, told how often each page changes; only in the simulation."""
_ZIPF: Final = 0.8


class TimeLapse:
    """The site as of the clock's date, and who asked for what."""

    def __init__(self, documents: DocumentHistory, clock: LeapingClock, linked: Sequence[str]) -> None:
        """linked: the documents that the index names while there are any."""
        self._documents, self._clock, self._linked = documents, clock, linked
        self.visits: list[tuple[float, str]] = []

    async def __call__(self, exchange: Exchange) -> None:
        now, name = self._clock(), exchange.request.path.strip("/")
        self.visits.append((now, name))
        dated = {"Date": formatdate(now, usegmt=True)}
        if not name:
            await Answer(self._index(now), 200, HTML, dated)(exchange)
            return
        version = self._documents.at(name, now)
        if version is None or not version.blob:
            await Answer(b"not here", 404, "text/plain", dated)(exchange)
            return
        fields = dated | {"ETag": f'"{version.blob[:12]}"', "Last-Modified": formatdate(version.time, usegmt=True)}
        if exchange.request.headers.get("if-none-match") == fields["ETag"]:
            await exchange.send(Answer(b"", 304, None, {**fields, "Content-Length": ""}).head())
            return
        await Answer(page_of(name, self._documents.texts[version.blob], now), 200, HTML, fields)(exchange)

    def _index(self, now: float) -> bytes:
        there = [name for name in self._linked if (version := self._documents.at(name, now)) and version.blob]
        items = "".join(f"<li><a href=/{name}/>{name}</a>" for name in there)
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


@dataclass(frozen=True, slots=True)
class Trial:
    """What is to be kept true, and how. names: of the documents that count, which are there all the time; importance:
    theirs, shape (n,); history: theirs, by days. linked: these, or all; budget: visits a second, for what is linked."""

    documents: DocumentHistory
    start: float
    names: list[str]
    importance: FloatArray
    history: ChangeHistory
    linked: list[str]
    budget: float

    @classmethod
    def drawn(cls, documents: DocumentHistory, start: float, ratio: float, seed: int, *, is_growing: bool) -> Trial:
        """is_growing: whether documents that come or go meanwhile are linked, too."""
        lasting = set(documents.there(documents.until))
        names = [name for name in documents.there(start) if name in lasting]
        others = [name for name in documents.versions if is_growing and name not in set(names)]
        changes = {
            (number, int((version.time - start) // DAY))
            for number, name in enumerate([*names, *others])
            for version in documents.versions[name]
            if version.time > start
        }
        pages, days = np.array(sorted(changes), np.int64).T
        counts = pages < len(names)
        return cls(
            documents,
            start,
            names,
            zipf_importance(len(names), _ZIPF, seed),
            ChangeHistory.of_days(pages[counts], days[counts], len(names)),
            [*names, *others],
            ratio * len(changes) / (documents.until - start),
        )

    def simulated(self, policy: str) -> Freshness:
        """What the schedule reaches by itself, where nothing comes or goes."""
        values, knows_rates = importance_of(self.importance), policy == TRUE_RATES
        followed = make_revisit_policy("harmonic" if knows_rates else policy)
        known = schedule_of(followed, self.history, values, self.budget, knows_rates=knows_rates)
        return replay(self.history, known, self.importance)


async def kept(trial: Trial, policy: str) -> tuple[Freshness, TimeLapse]:
    """One run by the crawl itself."""
    clock = LeapingClock(trial.start)
    site = TimeLapse(trial.documents, clock, trial.linked)
    length = trial.documents.until - trial.start
    with tempfile.TemporaryDirectory(prefix="time-lapse-") as folder:
        store = Path(folder) / "site.db"
        async with LoopbackWeb() as web:
            web.answer(HOST, "*", site)
            settings = _settings(web, policy)
            await _crawl(CrawlRequest(settings, [web.url(HOST, "/")], ["crawl"], clock=clock), store, clock)
            _rank(store, web, dict(zip(trial.names, trial.importance.tolist(), strict=True)))
            site.visits.clear()
            revisiting = Revisiting(trial.budget, length)
            await _crawl(CrawlRequest(settings, [], ["recrawl"], revisiting=revisiting, clock=clock), store, clock)
    return _counted(trial, site), site


def _counted(trial: Trial, site: TimeLapse) -> Freshness:
    """By the times of all changes, not by their days."""
    numbers = {name: number for number, name in enumerate(trial.names)}
    events = [
        (version.time - trial.start, 0, numbers[name])
        for name in trial.names
        for version in trial.documents.versions[name][1:]
    ]
    events += [(at - trial.start, 1, numbers[name]) for at, name in site.visits if name in numbers]
    simulation = RevisitSimulation(trial.history, trial.importance, 0.0)
    for at, is_visit, page in sorted(events):
        if is_visit:
            simulation.visit(page, at)
        else:
            simulation.changed(page, at)
    simulation.visits = len(site.visits)
    return simulation.result()


def _settings(web: LoopbackWeb, policy: str) -> Settings:
    return quick_settings(
        web.addresses,
        parsing={"processes": 1},
        robots={"max_age_seconds": 86_400},
        revisits={"policy": policy},
        sitemaps={"use": "never"},
        identity={"contact": "https://benchmark.example/"},
    )


async def _crawl(request: CrawlRequest, store: Path, clock: LeapingClock) -> None:
    async with LinkStore(store) as opened:
        await run_crawl(request, opened, clock.watch)


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


def _line(found: Freshness) -> str:
    return f"{found.fresh:.3f} | {found.weighted_age / DAY:.1f} | {found.age / DAY:.1f} | {found.visits}"


def _runs(arguments: argparse.Namespace) -> Iterator[tuple[float, str, int]]:
    for ratio in arguments.ratios:
        for policy in arguments.policies:
            for seed in range(arguments.draws):
                yield ratio, policy, seed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path, help="a git repository of documents")
    parser.add_argument("--path", default="", help="the folder in it")
    parser.add_argument("--pattern", default=r"pep-\d+(?=\.(txt|rst)$)", help="finds a document's name in its path")
    parser.add_argument("--years", type=float, default=5.0)
    parser.add_argument("--ratios", type=float, nargs="+", default=[1.0], help="visits for each change")
    parser.add_argument("--policies", nargs="+", default=["harmonic", "uniform"])
    parser.add_argument("--draws", type=int, default=1, help="of the importance")
    parser.add_argument("--growing", action="store_true", help="link what comes or goes, too; it is not counted")
    arguments = parser.parse_args()
    newest = subprocess.run(
        ["git", "-C", str(arguments.repository), "log", "-1", "--format=%ct"], check=True, stdout=subprocess.PIPE
    ).stdout
    start = float(newest) - arguments.years * 365.25 * DAY
    documents = DocumentHistory(arguments.repository, arguments.path, arguments.pattern, start)
    print("visits per change | policy | draw | by | freshness | age in days, by importance | by pages | visits")
    for ratio, policy, seed in _runs(arguments):
        trial = Trial.drawn(documents, start, ratio, seed, is_growing=arguments.growing)
        told = f"{ratio:g} | {policy} | {seed}"
        if policy != TRUE_RATES:
            found, site = uvloop.run(kept(trial, policy))
            others = sum(name not in trial.names for _, name in site.visits)
            print(f"{told} | crawl | {_line(found)}, {others} of them to what is not counted", flush=True)
        print(f"{told} | simulation | {_line(trial.simulated(policy))}", flush=True)


if __name__ == "__main__":
    main()
