"""Whole crawls of a LoopbackWeb in a moment, and what is then in the store."""

from __future__ import annotations

import asyncio
import dataclasses
import sqlite3
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hinterland.crawler.assembly.running import CrawlRequest, run_crawl
from hinterland.crawler.assembly.warm_up import CrawlWarmUp
from hinterland.crawler.features.outside.budget import HinterlandBudget
from hinterland.crawler.features.outside.feature import estimator_of
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.crawl_io import Clock
from hinterland.crawler.loop.crawl_start import Chooser
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from hinterland.crawler.loop.preparation import Preparation
from hinterland.crawler.parsing.messages import PageDigest, ParserConfig, RawPage
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import SECTIONS, Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.topics import TopicRecord

Watch = Callable[[Crawl], Coroutine[None, None, None]]
Change = Mapping[str, Any]

QUICK: dict[str, dict[str, Any]] = {
    "robots": {"retry_seconds": 0.1},
    "politeness": {
        "delay_seconds": 0.0,
        "delay_factor": 0.0,
        "address_delay_seconds": 0.0,
        "address_connections": 10_000,
        "backoff_seconds": 0.01,
        "max_backoff_seconds": 0.05,
    },
    "fetching": {
        "max_in_flight": 16,
        "connect_timeout_seconds": 30.0,  # which no busy machine reaches
        "first_byte_timeout_seconds": 30.0,
        "allow_networks": ("127.0.0.0/8",),
    },
    "parsing": {"processes": 1},
    "storage": {"commit_seconds": 0.0},
}
"""Settings under which a small crawl takes no time: no rests, waits of milliseconds."""


def quick_settings(addresses: Mapping[str, str], **changes: Change) -> Settings:
    """QUICK with changes by section: `quick_settings(web.addresses, politeness={"delay_seconds": 0.1})`."""
    given: dict[str, dict[str, Any]] = {name: {**values} for name, values in QUICK.items()}
    given["fetching"]["addresses"] = dict(addresses)
    for name, values in changes.items():
        given[name] = {**given.get(name, {}), **values}
    return Settings.from_sections(
        {name: kind(**given[name]) if name in given else _DEFAULTS[name] for name, kind in SECTIONS.items()}
    )


_DEFAULTS: Final = {name: kind() for name, kind in SECTIONS.items()}
"""Checked once for all crawls: to check fifty sections takes as long as a dozen requests."""


async def wait_until(is_so: Callable[[], object], *, pause: float = 0.001, at_most: float = 120.0) -> None:
    """Let everything else go on until something is so; TimeoutError if that takes too long."""
    async with asyncio.timeout(at_most):
        while not is_so():  # noqa: ASYNC110  what is waited for knows nothing of events
            await asyncio.sleep(pause)


def quick_retries(wait_seconds: float) -> RetryRules:
    """Failed pages are tried as often as ever, but soon."""
    listed = RETRY_RULES.listed.items()
    return RetryRules({kind: dataclasses.replace(rule, wait_seconds=wait_seconds) for kind, rule in listed})


class InlineParsers:
    """Stands in for the pool of parser processes where parsing is not what a test is about."""

    restarts = 0
    backlog = 0
    is_saturated = False

    def __init__(self, config: ParserConfig, *, processes: int, timeout_seconds: float, at_once: bool = True) -> None:
        self._digester = PageDigester(config)

    async def __aenter__(self) -> InlineParsers:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def parse(self, raw: RawPage) -> PageDigest:
        return self._digester.digest(raw)


@dataclass(frozen=True, slots=True)
class Crawled:
    """How a crawl ended, and its store."""

    reason: EndReason
    statistics: CrawlStatistics
    store: Path

    def outcome(self, url: str) -> str | None:
        """The outcome of the last visit to a page; None if it was never visited."""
        return outcomes(self.store).get(url)

    def state(self, url: str) -> str | None:
        """The state of a page; None if it is not known."""
        return states(self.store).get(url)


async def crawl(
    addresses: Mapping[str, str],
    seeds: Sequence[str],
    store: Path,
    *,
    max_pages: int | None = None,
    watch: Watch | None = None,
    in_processes: bool = False,
    retry_seconds: float = 0.001,
    warc: Path | None = None,
    topic: TopicRecord | None = None,
    chooser: Chooser | None = None,
    rules: bytes = b"",
    revisiting: Revisiting | None = None,
    clock: Clock | None = None,
    is_prepared: bool = True,
    plugins: Sequence[str] = (),
    asked: Sequence[object] = (),
    **changes: Change,
) -> Crawled:
    """Crawl from seeds into a store, new or not, under quick settings with changes.

    retry_seconds: before a page is tried a second time. in_processes: parse as in earnest. is_prepared: what it
    computes with has been compiled before, as a crawl of milliseconds would be over until then.
    """
    settings = quick_settings(addresses, **changes)
    canonical = Canonicaliser.under(settings.urls).canonical
    urls = [canonical(seed) or seed for seed in seeds]
    request = CrawlRequest(
        settings,
        urls,
        ["crawl"],
        max_pages,
        warc,
        quick_retries(retry_seconds),
        topic,
        chooser,
        rules,
        plugins=plugins,
        asked=asked if revisiting is None else (revisiting, *asked),
        clock=clock,
    )
    parsers = ParserPool if in_processes else InlineParsers
    if is_prepared:
        await Preparation(warm_up_of(settings)).run()
    async with LinkStore(store) as link_store:
        result = await run_crawl(request, link_store, watch, pool=parsers)
    assert is_sound(store)
    return Crawled(result.reason, result.statistics, store)


def warm_up_of(settings: Settings) -> CrawlWarmUp:
    """What a crawl under these settings computes with beside its visits."""
    policy, hinterland = settings.policy, settings.of(HinterlandSettings)
    return CrawlWarmUp(
        policy=policy.name if make_policy(policy.name, policy.seed).needs_refresh else "",
        estimator="" if HinterlandBudget.parse(hinterland.budget).is_none else estimator_of(hinterland),
    )


# --- what is in a store -------------------------------------------------------------------------


def rows(store: Path, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    """The answer to a query, read as anybody may read a store."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=20)) as connection:
        return connection.execute(sql, parameters).fetchall()


def states(store: Path) -> dict[str, str]:
    """URL -> state of every known page."""
    return dict(rows(store, "SELECT url, state FROM page"))


def outcomes(store: Path) -> dict[str, str]:
    """URL -> outcome of every visited page."""
    return dict(rows(store, "SELECT url, outcome FROM page JOIN fetch ON fetch.page = page.id"))


def fetched(store: Path) -> set[str]:
    """URLs of the pages fetched."""
    return {url for url, outcome in outcomes(store).items() if outcome == "fetched"}


def links(store: Path) -> set[tuple[str, str, str]]:
    """(source, target, kind) of every link."""
    return set(rows(store, "SELECT source, target, kind FROM links"))


def is_sound(store: Path) -> bool:
    """Whether SQLite finds the file whole, and all references in it lead somewhere."""
    return rows(store, "PRAGMA integrity_check") == [("ok",)] and not rows(store, "PRAGMA foreign_key_check")
