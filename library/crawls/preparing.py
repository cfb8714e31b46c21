"""Prepares a crawl before its first request: its seeds, its settings, and the pages of its store that will be retried.

Crawls in one process and crawls in shards are both prepared by these functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from hinterland.crawler.loop.crawl_start import CrawlRequest
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.plugins.kinds import TOPIC_CLASSIFIER
from hinterland.crawler.settings import EffectiveSettings, Settings, from_json
from hinterland.library.crawls.observer import CrawlObserver
from hinterland.library.crawls.page_budget import kept_budget, last_budget
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.requirements import require_all
from hinterland.library.crawls.retrying import meant_by, reopenings, settled_otherwise
from hinterland.library.crawls.seeds import addresses_of_seeds, usable_seeds
from hinterland.library.crawls.topic_choice import NEEDS_TOPIC, is_about_nothing
from hinterland.library.errors import HinterlandError, StoreUnusable, UnknownName
from hinterland.library.kept_settings import changes, resumed
from hinterland.library.plugin_tables import plugins_in, require
from hinterland.library.rule_choice import rules_to_apply
from hinterland.library.text.bodies_text import bodies_note
from hinterland.library.text.wording import number, shell_file
from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading.reader import StoreReader

TAKES_ITS_PLACE: Final = "{} held a crawl that had fetched nothing; this one replaces it"


@dataclass(frozen=True, slots=True)
class Reopened:
    """How many pages of a store will be retried, and how many will not although settings have changed.

    `pages` counts, by outcome, the pages that will be retried. `left_settled` counts, by outcome and names of settings,
    the pages that will not be retried although the settings that decided their outcome have changed since.
    """

    pages: Counter[str] = field(default_factory=Counter)
    left_settled: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Reopened) -> Reopened:
        """Return the counts of both, added up."""
        return Reopened(self.pages + other.pages, self.left_settled + other.left_settled)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The request for a crawl, after its store has been read, and how many pages of the store will be retried."""

    request: CrawlRequest
    reopened: Reopened


async def prepared(plan: CrawlPlan, store: LinkStore, seeds: Sequence[str] | None, observer: CrawlObserver) -> Prepared:
    """Read an open store and prepare it for the crawl. Raises HinterlandError.

    `seeds` are the seeds of a new crawl; None for a crawl that is resumed.
    """
    settings, max_pages, reopened = plan.settings, plan.max_pages or None, Reopened()
    if await store.ask(lambda stored: stored.pages.is_empty()):
        if plan.resume and not plan.seeds:
            raise StoreUnusable(f"there is nothing to resume: {plan.store} holds no crawl")
        if plan.resume:
            observer.note(f"{plan.store} holds no crawl yet, so a new one begins")
    elif not plan.resume and await store.ask(led_nowhere):
        # After a mistyped seed the command is given again, corrected; only seeds that led nowhere are lost.
        await store.clear()
        observer.note(TAKES_ITS_PLACE.format(plan.store))
    elif not plan.resume:
        raise StoreUnusable(
            f"{plan.store} already holds a crawl. To resume it, add --resume; to start another, choose another --store"
        )
    else:
        settings = await _resumed_settings(plan, store, observer)
        reopened = await reopen(plan, store, settings.settings)
        if plan.max_pages is None:
            max_pages = await _kept_budget(store, observer)
    if not plan.resume and (note := bodies_note(settings.settings.storage)):
        observer.note(note)
    if seeds is None:
        seeds = usable_seeds(plan.seeds, settings, observer)
    if plan.resume:
        named = seeds or await store.ask(lambda stored: stored.pages.first_seeds(10))
        await addresses_of_seeds(settings, named, observer)
    await _require_topic(plan, store, settings, observer)
    chooser = plan.chooser
    if chooser is not None and seeds:
        chooser = chooser.starting_at(seeds)
    request = replace(
        plan.request(settings.settings),
        seeds=seeds,
        max_pages=max_pages,
        chooser=chooser,
        rules=await rules_to_apply(store, plan.extraction.rules, observer.warn),
    )
    return Prepared(request, reopened)


async def reopen(plan: CrawlPlan, store: LinkStore, settings: Settings) -> Reopened:
    """Queue the pages that the plan wants to retry, and return their numbers by outcome."""
    outcomes, is_changed = meant_by(plan.retry)
    chosen, reopened = reopenings(outcomes), Reopened()
    runs = [(run.started_at, from_json(run.settings)) for run in await store.ask(lambda stored: stored.runs.all())]
    for reopening, names in settled_otherwise(runs, settings):
        if reopening.outcome in outcomes:
            continue
        if is_changed:
            chosen.append(reopening)
        elif count := await store.settled(reopening):
            reopened.left_settled[f"{reopening.outcome} ({', '.join(names)})"] += count
    for reopening in chosen:
        reopened.pages[reopening.outcome] += await store.settled(reopening)
    await store.reopen(chosen)
    return reopened


def tell_of_reopened(plan: CrawlPlan, reopened: Reopened, observer: CrawlObserver) -> None:
    """Report which pages will be retried, and which will not although settings have changed."""
    if plan.retry:
        kinds = ", ".join(f"{number(count)} {outcome}" for outcome, count in reopened.pages.most_common() if count)
        observer.note(f"to be retried: {kinds or 'no page has such an outcome'}")
    if reopened.left_settled:
        kinds = ", ".join(f"{number(count)} {what}" for what, count in reopened.left_settled.most_common())
        observer.note(f"not retried, although settings have changed since: {kinds}; --retry changed retries them")


async def entered(stack: AsyncExitStack, path: Path) -> LinkStore:
    """Open a store until the stack is closed. Raises StoreUnusable, StoreInUse and StoreError."""
    try:
        return await stack.enter_async_context(LinkStore(path))
    except OSError as error:
        raise StoreUnusable(f"{path} cannot be opened: {error}") from None


def led_nowhere(store: StoreReader) -> bool:
    """Return whether the crawl in a store ended by itself without having fetched a page.

    Such a store may be replaced. A crawl that was stopped or killed is different: it may have waiting pages, and hosts
    that must be left alone for a while.
    """
    return store.runs.last_reason() == EndReason.NOTHING_FETCHED.label and not store.pages.has_fetched()


async def _resumed_settings(plan: CrawlPlan, store: LinkStore, observer: CrawlObserver) -> EffectiveSettings:
    stored = await store.ask(lambda stored: stored.runs.last_settings())
    kept = "its scope, urls, policy and politeness settings are kept"
    observer.note(f"reading {plan.store}; {kept}")
    if stored is None:
        return plan.settings
    last = from_json(stored)
    settings = resumed(plan.settings, last, plan.store)
    for change in changes(settings, last):
        observer.warn(f"this run differs from the last one: {change}")
    await _known(lambda: require_all(settings.settings), plan, store)
    return settings


async def _kept_budget(store: LinkStore, observer: CrawlObserver) -> int | None:
    last = last_budget(await store.ask(lambda stored: stored.runs.newest()))
    if last is None:
        return None
    max_pages, said = kept_budget(last, await store.ask(lambda stored: stored.pages.fetched()))
    observer.note(said)
    return max_pages


async def _require_topic(
    plan: CrawlPlan, store: LinkStore, settings: EffectiveSettings, observer: CrawlObserver
) -> None:
    """Raise HinterlandError if the policy needs a topic and there is none.

    Also raise it if the classifier of the topic is no longer installed.
    """
    topic = await store.ask(lambda stored: stored.topics.topic())
    if plan.topic is None and is_about_nothing(topic, settings):
        raise HinterlandError(NEEDS_TOPIC.format(settings.settings.policy.name))
    if plan.topic is None and topic is not None and topic.plug_in:
        classifier = topic.plug_in
        await _known(lambda: require(TOPIC_CLASSIFIER, classifier), plan, store)
    if topic is not None and plan.topic not in (None, topic):
        observer.warn("pages visited before were judged by another topic, and their judgements in the store are kept")


async def _known(require_names: Callable[[], None], plan: CrawlPlan, store: LinkStore) -> None:
    """Call `require_names`, which checks the names of plug-ins that the last run used.

    The error for an unknown name says where that run found its plug-ins.
    """
    try:
        require_names()
    except UnknownName as error:
        raise HinterlandError(f"{error.complaint}. {await _origin_of_plugins(plan, store)}") from error


async def _origin_of_plugins(plan: CrawlPlan, store: LinkStore) -> str:
    """Return a sentence that says where the last run found its plug-ins, and how to go on."""
    last = await store.ask(lambda stored: stored.runs.last())
    others = "choose others with --policy, --set hinterland.estimator=NAME or --topic FILE"
    files = [] if last is None else plugins_in(last.command)
    if files:
        again = " ".join(f"--plugin {shell_file(file)}" for file in files)
        return f"The last run in {plan.store} was given {again}: give it again, or {others}"
    return f"The last run in {plan.store} found it in a package that is not installed here: install it, or {others}"
