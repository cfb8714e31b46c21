"""Runs `explain`: looks up the facts about a URL and writes the explanation."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import uvloop

from hinterland.cli.exit_codes import OK
from hinterland.cli.explain import robots_sources
from hinterland.cli.explain.explanation import Robots, UrlExplanation, least_rest, verdict_on
from hinterland.cli.explain.judgement import Judgement, judgement_on
from hinterland.cli.given_seeds import given_seeds
from hinterland.cli.output import Output
from hinterland.cli.settings_sources import settings_of
from hinterland.crawler.assembly.stored_features import StoredFeatures
from hinterland.crawler.fetching.answers import NoAnswer
from hinterland.crawler.fetching.client import event_loop
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.stored_feature import Remark
from hinterland.crawler.settings import Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.hosts import host_of, site_of
from hinterland.library.crawls.seeds import GivenSeed, read_seeds
from hinterland.library.errors import HinterlandError
from hinterland.library.kept_settings import settings_with_store
from hinterland.library.text.slowed_text import shape_of
from hinterland.library.text.wording import json_text, table
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.history import Change, RevisitSummary, StoredSignals
from hinterland.storage.values.hosts import SlowedReport
from hinterland.storage.values.pages import Page


def run(arguments: Namespace) -> int:
    """Explain what a crawl would do with a URL; returns the exit code."""
    settings = settings_with_store(settings_of(arguments), arguments.store).settings
    url = _canonical(arguments.url, settings)
    context = _context(arguments, url, settings)
    robots, address = _robots(arguments, host_of(url), settings, context.robots)
    explanation = _explanation(arguments, url, settings, context, robots, address)
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json_text(explanation.as_json()))
    else:
        output.write("\n".join([explanation.conclusion, "", *table(explanation.rows())]))
    return OK


@dataclass(frozen=True, slots=True)
class _Context:
    """What the seeds or a store say about the URL."""

    seeds: Sequence[str]
    page: Page | None = None
    robots: Robots | None = None
    slowed: SlowedReport | None = None
    judgement: Judgement | None = None
    look: RevisitSummary | None = None
    last_change: Change | None = None
    moved_from: str | None = None
    signals: Sequence[StoredSignals] = ()
    is_of_page: bool | None = None
    """True if the linking page says nofollow for all its links, False if only the link says it, None if neither does.
    """


def _canonical(text: str, settings: Settings) -> str:
    seeds = read_seeds([GivenSeed(text, "the URL")], Canonicaliser.under(settings.urls))
    if seeds.complaints:
        raise HinterlandError(seeds.complaints[0])
    return seeds.urls[0]


def _context(arguments: Namespace, url: str, settings: Settings) -> _Context:
    given = read_seeds(given_seeds(arguments.seeds, arguments.seeds_file), Canonicaliser.under(settings.urls))
    for complaint in given.complaints:
        print(f"warning: {complaint}", file=sys.stderr)
    if arguments.store is None:
        return _Context(given.urls)
    with reading(Path(arguments.store)) as store:
        robots = store.hosts.robots_file(host_of(url))
        page = store.pages.by_url(url)
        return _Context(
            seeds=[*store.pages.seeds(), *given.urls],
            page=page,
            robots=None if robots is None else robots_sources.from_store(robots, arguments.store, settings),
            slowed=shape_of(url, store.hosts.slowed()),
            judgement=judgement_on(store, page),
            look=None if page is None else store.history.revisit_summary(page.number),
            last_change=None if page is None else next(iter(store.history.changes_of(page.number)), None),
            moved_from=None if page is None else store.history.moved_from(page.number),
            signals=[] if page is None else store.history.signals_about(page.number),
            is_of_page=None if page is None or url in given.urls else store.reach.is_left_by_nofollow(page.number),
        )


def _robots(
    arguments: Namespace, host: str, settings: Settings, stored: Robots | None
) -> tuple[Robots, str | NoAnswer | None]:
    """Return the robots.txt by which a crawl decides, and the address of the host if it was looked up."""
    if arguments.robots_status is not None:
        return robots_sources.as_if_answered(arguments.robots_status, arguments.robots, settings), None
    if arguments.robots is not None:
        return robots_sources.from_file(arguments.robots, settings), None
    if stored is not None:
        return stored, None
    if arguments.offline:
        return robots_sources.NOT_ASKED, None
    return uvloop.run(robots_sources.from_host(host, settings), loop_factory=event_loop.CrawlLoop)


def _remarks(
    store: str | None, url: str, page: Page | None, settings: Settings, rules: RobotsRules
) -> Sequence[Remark]:
    """Return what features say about the URL; `rules` are those of the robots.txt by which a crawl decides."""
    name, number = settings.identity.name, None if page is None else page.number
    if store is None:
        return StoredFeatures(None, name).remarks(url, number, rules)
    with reading(Path(store)) as reader:
        return StoredFeatures(reader, name).remarks(url, number, rules)


def _explanation(
    arguments: Namespace,
    url: str,
    settings: Settings,
    context: _Context,
    robots: Robots,
    address: str | NoAnswer | None,
) -> UrlExplanation:
    is_refused = isinstance(address, NoAnswer) and address.kind is OutcomeKind.FORBIDDEN_ADDRESS
    return UrlExplanation(
        given=arguments.url,
        canonical=url,
        host=host_of(url),
        site=site_of(host_of(url)),
        scope=Scope(settings.scope, context.seeds).verdict(url) if context.seeds or settings.scope.hosts else None,
        robots=robots,
        verdict=verdict_on(robots, url),
        rest_seconds=least_rest(settings, robots.rules),
        settings=settings,
        address=address if isinstance(address, str) else "",
        refusal=address.detail if isinstance(address, NoAnswer) and is_refused else "",
        page=context.page,
        slowed=context.slowed,
        judgement=context.judgement,
        look=context.look,
        last_change=context.last_change,
        moved_from=context.moved_from,
        signals=context.signals,
        is_nofollow_of_page=context.is_of_page,
        remarks=_remarks(arguments.store, url, context.page, settings, robots.rules),
        store=arguments.store or "",
    )
