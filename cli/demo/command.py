"""Runs `demo`: crawls a small web on loopback, and suggests what to do next."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import uvloop

from hinterland.cli.crawl.display import Display, choose_display
from hinterland.cli.demo.web import LOOPBACK, DemoWeb
from hinterland.cli.output import Output
from hinterland.crawler.fetching.client import event_loop
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import (
    EffectiveSettings,
    FetchingSettings,
    PolitenessSettings,
    Settings,
    StorageSettings,
)
from hinterland.distribution.installation import PROGRAM
from hinterland.library.crawls.crawl_run import crawl
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.library.errors import StoreUnusable
from hinterland.library.text.wording import duration, number, printable, shell_file, shortened, table
from hinterland.storage.lock import StoreInUse, StoreLock
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading

_INTERVAL_SECONDS = 1.0
_COMMAND = ("demo",)
_MOST_LINKED = 5


def run(arguments: Namespace) -> int:
    """Serve the demo web and crawl it; returns the exit code."""
    store = str(arguments.store)
    _make_room(Path(store))
    display = choose_display(store, _INTERVAL_SECONDS)
    display.note(f"Crawling a small web on {LOOPBACK}: twelve hosts of an archipelago that is on no map.")
    ending = uvloop.run(_crawl(store, display), loop_factory=event_loop.CrawlLoop)
    display.close()
    if ending.reason is not EndReason.EXHAUSTED:
        display.ended(ending)
        return ending.reason.exit_code
    Output(sys.stdout).write(_closing_words(ending))
    return ending.reason.exit_code


async def _crawl(store: str, display: Display) -> Ending:
    async with DemoWeb() as web:
        seeds = [GivenSeed(url, "the demo") for url in web.seeds]
        settings = EffectiveSettings(_settings(web), {})
        return await crawl(CrawlPlan(settings, seeds, store, _COMMAND), display)


def _settings(web: DemoWeb) -> Settings:
    """Return the settings of the demo, which do not depend on the user's settings.

    robots.txt is obeyed as in any crawl, but delays are short, because all hosts are part of the demo.
    """
    return Settings(
        politeness=PolitenessSettings(
            delay_seconds=0.05, delay_factor=0.0, address_delay_seconds=0.0, address_connections=100
        ),
        fetching=FetchingSettings(addresses=web.addresses, allow_networks=(f"{LOOPBACK}/32",)),
        storage=StorageSettings(keep_bodies=True),
    )


def _make_room(store: Path) -> None:
    """Remove the store of an earlier demo. Raises HinterlandError if another file has its name."""
    if not store.exists():
        return
    other = StoreUnusable(
        f"{store} was not made by the demo alone, so it is not replaced; choose another: --store OTHER.db",
    )
    lock = StoreLock(store)
    try:
        lock.acquire()
    except StoreInUse as error:
        raise StoreUnusable(str(error)) from None
    except OSError as error:
        raise StoreUnusable(f"{store} cannot be replaced: {error}; choose another: --store OTHER.db") from None
    try:
        with reading(store) as reports:
            runs = reports.runs.newest(limit=1000)
            if not runs or any(tuple(each.command) != _COMMAND for each in runs):
                raise other
        for ending in ("", "-wal", "-shm"):
            store.with_name(store.name + ending).unlink(missing_ok=True)
    except NoStore:
        raise other from None
    finally:
        lock.release()


def _closing_words(ending: Ending) -> str:
    file, seconds = shell_file(ending.store), ending.progress.statistics.seconds
    with reading(Path(ending.store)) as store:
        linked = store.links.most_linked(_MOST_LINKED)
        links = store.links.count()
        counts, hosts = store.pages.counts(), store.hosts.report({})
        fetched = store.pages.fetched()
    question = "SELECT anchor, target FROM links WHERE anchor LIKE '%ferry%' LIMIT 10"
    return "\n".join(
        [
            f"The crawl ended after {duration(seconds)}: {ending.reason.sentence}. ({ending.reason.label})",
            f"  {number(fetched)} pages fetched from {number(hosts.visited)} hosts",
            f"  {number(links)} links recorded, between {number(counts.total)} pages",
            f"  {number(counts.of('refused'))} pages not fetched because robots.txt forbids it",
            f"All of it is in {file}.",
            "",
            "The pages with links from most other pages:",
            *table(
                (
                    (number(inlinks), shortened(printable(page.title or ""), 45), printable(page.url))
                    for page, inlinks in linked
                ),
                right=(0,),
            ),
            "",
            "Next",
            f"  {PROGRAM} status {file}",
            "      the state of a crawl, also while it runs",
            f"  {PROGRAM} index {file} && {PROGRAM} search {file} ferry timetable",
            "      search these pages",
            f"  {PROGRAM} serve {file}",
            "      see every page, its links and its rank in a browser",
            f"  {PROGRAM} crawl https://your.site.example/ --max-pages 100",
            "      a real site, politely, into hinterland.db",
            f'  sqlite3 {file} "{question}"',
            "      query the views pages, links, hosts and errors in SQL; Datasette can open the file, too",
        ]
    )
