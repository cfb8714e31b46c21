"""One crawl from beginning to end: opens the store, watches the crawl, says how it ended."""

from __future__ import annotations

import asyncio
import shlex
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from hinterland.cli.crawl.browser_choice import require_browser
from hinterland.cli.crawl.display import Display, PhaseTeller
from hinterland.cli.crawl.interruption import Interruption
from hinterland.cli.crawl.progress import Pace
from hinterland.cli.crawl.public_hosts import WARNING, Addresses, addresses_of, lacks_contact, require_open
from hinterland.cli.crawl.retrying import meant_by, reopenings, settled_otherwise
from hinterland.cli.crawl.summary import Ending, StoreContent
from hinterland.cli.crawl.topic_choice import NEEDS_TOPIC, is_about_nothing
from hinterland.cli.document_readers import require_readers
from hinterland.cli.exit_codes import STORE, CommandError, UnknownName
from hinterland.cli.page_budget import kept_budget, last_budget
from hinterland.cli.plugin_tables import plugins_in, require
from hinterland.cli.rule_choice import NOTHING, Wanted, rules_to_apply
from hinterland.cli.seeds import GivenSeed, read_seeds
from hinterland.cli.settings_sources import changes, resumed
from hinterland.crawler.assembly.running import CrawlRequest, run_crawl
from hinterland.crawler.features.live_walk.live_walk import WalkRequest
from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable
from hinterland.crawler.fetching.archiving.recorder import ArchiveFailed, archive_failure
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.phases import INDEXING, Phase
from hinterland.crawler.plugins.kinds import ESTIMATOR, POLICY, REVISIT_POLICY, TOPIC_CLASSIFIER
from hinterland.crawler.settings import EffectiveSettings, Settings, from_json
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.library.text.bodies_text import bodies_note
from hinterland.library.text.next_commands import next_commands
from hinterland.library.text.wording import counted, number, printable
from hinterland.storage.failures import store_failure
from hinterland.storage.link_store import LinkStore, StoreError
from hinterland.storage.lock import StoreInUse
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_files import StoreGone
from hinterland.storage.values.topics import TopicRecord

_MANY_COMPLAINTS = 10
_MANY_ASSUMPTIONS = 3


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """What the user asks for. store: the path as given; command: the arguments to record; warc: a folder.
    cluster: in how many parts, as given. max_pages: NO_BUDGET lifts that of the last run; None: that stays."""

    settings: EffectiveSettings
    seeds: Sequence[GivenSeed]
    store: str
    command: Sequence[str]
    max_pages: int | None = None
    resume: bool = False
    warc: str | None = None
    retry: Sequence[str] = ()
    retry_rules: RetryRules = RETRY_RULES
    topic: TopicRecord | None = None
    plugins: Sequence[str] = ()
    walk: WalkRequest | None = None
    wanted: Wanted = NOTHING
    revisiting: Revisiting | None = None
    cluster: str | None = None


async def crawl(plan: CrawlPlan, display: Display, interruption: Interruption | None = None) -> Ending:
    """Carry out a plan. Raises CommandError if it cannot begin; any other exception is a bug."""
    return await CrawlRun(plan, display, interruption).run()


TAKES_ITS_PLACE = "{} held a crawl that had fetched nothing; this one takes its place"


class CrawlRun:
    """Carries out one plan."""

    def __init__(self, plan: CrawlPlan, display: Display, interruption: Interruption | None = None) -> None:
        self._plan = plan
        self._display = display
        self._interruption = interruption or Interruption(display)
        self._pace = Pace()
        self._phases = PhaseTeller(display, time.monotonic)
        self._store: str | None = plan.store
        """The file that what was fetched is in; None if it is lost."""
        self._is_gone = False
        self._max_pages = plan.max_pages or None
        self._reopened = Counter[str]()
        """Pages to be tried again, by outcome."""
        self._left_settled = Counter[str]()
        """Pages settled under settings that have changed since, by outcome and settings."""

    async def run(self) -> Ending:
        with self._interruption.watching():
            reason, problem = await self._until_it_ends()
        self._display.close()
        crawl = self._interruption.crawl
        if crawl is None:
            raise CommandError("stopped before the crawl began", reason.exit_code)
        store = self._store
        progress = self._pace.progress(crawl.statistics())
        content = None if store is None else await asyncio.to_thread(_content, Path(store))
        hinterland = progress.statistics.hinterland
        is_estimated = hinterland is not None and hinterland.rounds > 0
        following = next_commands(
            reason,
            store,
            command=self._plan.command,
            seeds=[each.text for each in self._plan.seeds],
            max_pages=self._max_pages,
            is_gone=self._is_gone,
            is_estimated=is_estimated,
            is_recrawl=self._plan.revisiting is not None,
            warc=self._plan.warc,
            failures=() if content is None else content.failures,
            cluster=self._plan.cluster,
        )
        return Ending(reason, progress, store or self._plan.store, content, following, problem)

    async def _until_it_ends(self) -> tuple[EndReason, str]:
        try:
            return await self._open_store_and_crawl(), ""
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._interruption.is_abort or task is None:
                raise
            task.uncancel()
            return self._interruption.reason, ""
        except (StoreInUse, StoreError) as error:
            raise CommandError(str(error), STORE) from None
        except BrowserUnusable as error:
            raise CommandError(str(error)) from None
        except Exception as error:
            archive = archive_failure(error)
            if archive is not None:
                return self._archive_failed(archive)
            failure = store_failure(error)
            if failure is None:
                raise
            if isinstance(failure, StoreGone):
                return self._store_gone(failure)
            if self._interruption.crawl is None:
                raise CommandError(f"{self._plan.store} cannot be opened: {failure}", STORE) from error
            return EndReason.STORE_FAILED, f"{failure} ({type(failure).__name__})"

    def _store_gone(self, failure: StoreGone) -> tuple[EndReason, str]:
        if self._interruption.crawl is None:
            raise CommandError(str(failure), STORE) from failure
        self._is_gone = True
        self._store = None if failure.now_at is None else str(failure.now_at)
        return EndReason.STORE_FAILED, str(failure)

    def _archive_failed(self, failure: ArchiveFailed) -> tuple[EndReason, str]:
        if self._interruption.crawl is None:
            raise CommandError(f"{failure}; choose another folder for --warc", STORE) from failure
        return EndReason.ARCHIVE_FAILED, str(failure)

    async def _open_store_and_crawl(self) -> EndReason:
        plan = self._plan
        path = Path(plan.store)
        seeds: Sequence[str] | None = None
        if not plan.resume:  # what is wrong with the command comes before what is wrong with the store
            seeds = await self._new_seeds()
        else:
            _check_names(plan.settings.settings)
            meant_by(plan.retry)
        if plan.resume and (lack := await asyncio.to_thread(_lack, path)):
            if not plan.seeds:
                raise CommandError(f"there is nothing to resume: {plan.store} {lack}", STORE)
            seeds = self._seeds(plan.settings)  # before there is a file that would have to be removed again
        async with AsyncExitStack() as stack:
            store = await entered(stack, path)
            request = await self._prepare(store, seeds)
            self._tell_of_reopened()
            result = await run_crawl(request, store, self._watch, self._told)
        return result.reason

    async def _new_seeds(self) -> Sequence[str]:
        """Those of a crawl that begins. Raises CommandError if it may not."""
        plan = self._plan
        if plan.retry:
            raise CommandError("--retry tries pages of a store again, so it goes with --resume")
        seeds = self._seeds(plan.settings)
        addresses = await self._addresses(plan.settings, seeds)
        require_open(addresses, plan.settings.settings.fetching, plan.command, self._display.warn)
        return seeds

    async def _prepare(self, store: LinkStore, seeds: Sequence[str] | None) -> CrawlRequest:
        plan, settings = self._plan, self._plan.settings
        if await store.ask(lambda stored: stored.pages.is_empty()):
            if plan.resume and not plan.seeds:
                raise CommandError(f"there is nothing to resume: {plan.store} holds no crawl", STORE)
            if plan.resume:
                self._display.note(f"{plan.store} holds no crawl yet, so this one begins")
        elif not plan.resume and await store.ask(led_nowhere):
            # After a mistyped seed the command is given again, mended; only seeds that led nowhere are lost.
            await store.clear()
            self._display.note(TAKES_ITS_PLACE.format(plan.store))
        elif not plan.resume:
            raise CommandError(
                f"{plan.store} holds a crawl already. To go on with it, add --resume;"
                " to begin another, choose another --store",
                STORE,
            )
        else:
            settings = await self._resumed_settings(store)
            await self._reopen(store, settings.settings)
            if plan.max_pages is None:
                await self._keep_budget(store)
        if not plan.resume and (note := bodies_note(settings.settings.storage)):
            self._display.note(note)
        if seeds is None:
            seeds = self._seeds(settings)
        if plan.resume:
            await self._addresses(settings, seeds or await store.ask(lambda stored: stored.pages.first_seeds(10)))
        warc = None if plan.warc is None else Path(plan.warc)
        topic = await store.ask(lambda stored: stored.topics.topic())
        if plan.topic is None and is_about_nothing(topic, settings):
            raise CommandError(NEEDS_TOPIC.format(settings.settings.policy.name))
        if plan.topic is None and topic is not None and topic.plug_in:
            try:
                require(TOPIC_CLASSIFIER, topic.plug_in)
            except UnknownName as error:
                raise CommandError(f"{error.complaint}. {await self._origin_of_plugins(store)}") from error
        if topic is not None and plan.topic not in (None, topic):
            self._display.warn("what was visited before was judged by another topic, and that stays in the store")
        walk = plan.walk
        if walk is not None and seeds:
            walk = replace(walk, start=seeds[0])
        rules = await rules_to_apply(store, plan.wanted.rules, self._display.warn)
        return CrawlRequest(
            settings.settings,
            seeds,
            plan.command,
            self._max_pages,
            warc,
            plan.retry_rules,
            plan.topic,
            walk,
            rules,
            plan.wanted.hooks,
            plan.plugins,
            plan.revisiting,
        )

    async def _resumed_settings(self, store: LinkStore) -> EffectiveSettings:
        stored = await store.ask(lambda stored: stored.runs.last_settings())
        kept = "its scope, urls, policy and politeness settings stay"
        self._display.note(f"reading what {self._plan.store} holds; {kept}")
        if stored is None:
            return self._plan.settings
        last = from_json(stored)
        settings = resumed(self._plan.settings, last, self._plan.store)
        for change in changes(settings, last):
            self._display.warn(f"this run differs from the last one: {change}")
        try:
            _check_names(settings.settings)
        except UnknownName as error:
            raise CommandError(f"{error.complaint}. {await self._origin_of_plugins(store)}") from error
        return settings

    async def _keep_budget(self, store: LinkStore) -> None:
        last = last_budget(await store.ask(lambda stored: stored.runs.newest()))
        if last is not None:
            pages = await store.ask(lambda stored: stored.pages.fetched())
            self._max_pages, said = kept_budget(last, pages)
            self._display.note(said)

    async def _origin_of_plugins(self, store: LinkStore) -> str:
        """Where the last run had policies and estimators from that are not ours, and how to go on."""
        last = await store.ask(lambda stored: stored.runs.last())
        others = "go on with others, by --policy, --set hinterland.estimator=NAME or --topic FILE"
        files = [] if last is None else plugins_in(last.command)
        if files:
            again = " ".join(f"--plugin {shlex.quote(file)}" for file in files)
            return f"The last run in {self._plan.store} had {again}: give that again, or {others}"
        return (
            f"The last run in {self._plan.store} had it of a package that is not installed here: install that, or"
            f" {others}"
        )

    async def _reopen(self, store: LinkStore, settings: Settings) -> None:
        """Queue again what --retry asks for, and count it for `_tell_of_reopened`."""
        outcomes, is_changed = meant_by(self._plan.retry)
        chosen = reopenings(outcomes)
        runs = [(run.started_at, from_json(run.settings)) for run in await store.ask(lambda stored: stored.runs.all())]
        for reopening, names in settled_otherwise(runs, settings):
            if reopening.outcome in outcomes:
                continue
            if is_changed:
                chosen.append(reopening)
            elif count := await store.settled(reopening):
                self._left_settled[f"{reopening.outcome} ({', '.join(names)})"] += count
        for reopening in chosen:
            self._reopened[reopening.outcome] += await store.settled(reopening)
        await store.reopen(chosen)

    def _tell_of_reopened(self) -> None:
        """What is tried again, and what was settled under settings that have changed since and is not."""
        if self._plan.retry:
            kinds = ", ".join(f"{number(count)} {outcome}" for outcome, count in self._reopened.most_common() if count)
            self._display.note(f"to be tried again: {kinds or 'nothing has such an outcome'}")
        if self._left_settled:
            kinds = ", ".join(f"{number(count)} {what}" for what, count in self._left_settled.most_common())
            self._display.note(f"settled under settings that have changed since: {kinds}; --retry changed tries again")

    async def _addresses(self, settings: EffectiveSettings, seeds: Sequence[str]) -> Addresses:
        """The addresses of the seeds' hosts; warns if their owners are not told whom to write to."""
        addresses = await addresses_of(seeds, settings.settings.fetching)
        if lacks_contact(settings.settings, addresses):
            self._display.warn(WARNING)
        return addresses

    def _seeds(self, settings: EffectiveSettings) -> Sequence[str]:
        """The seeds that can be used under these settings. Checks the names in the settings, too."""
        _check_names(settings.settings)
        seeds = read_seeds(self._plan.seeds, Canonicaliser.under(settings.settings.urls))
        for complaint in seeds.complaints[:_MANY_COMPLAINTS]:
            self._display.warn(printable(complaint))
        if len(seeds.complaints) > _MANY_COMPLAINTS:
            self._display.warn(f"and {len(seeds.complaints) - _MANY_COMPLAINTS} more bad seeds")
        for assumption in seeds.assumptions[:_MANY_ASSUMPTIONS]:
            self._display.note(printable(assumption))
        if len(seeds.assumptions) > _MANY_ASSUMPTIONS:
            more = counted(len(seeds.assumptions) - _MANY_ASSUMPTIONS, "more seed")
            self._display.note(f"and {more} with no scheme, a note or a slip")
        if seeds.complaints and not seeds.urls:
            raise CommandError("there is no usable seed")
        if seeds.complaints:
            self._display.note(f"going on with the other {counted(len(seeds.urls), 'seed')}")
        return seeds.urls

    def _told(self, phase: Phase) -> None:
        self._interruption.is_indexing = phase.doing == INDEXING
        self._phases(phase)

    async def _watch(self, crawl: Crawl) -> None:
        self._interruption.crawl = crawl
        try:
            while True:
                await asyncio.sleep(self._display.interval_seconds)
                self._display.progress(self._pace.progress(crawl.statistics()))
        finally:
            self._display.close()


async def entered(stack: AsyncExitStack, path: Path) -> LinkStore:
    """A store that is open as long as the stack. Raises CommandError, StoreInUse and StoreError."""
    try:
        return await stack.enter_async_context(LinkStore(path))
    except OSError as error:
        raise CommandError(f"{path} cannot be opened: {error}", STORE) from None


def _lack(store: Path) -> str:
    """What it lacks to be a store, in words; "" if it may be one. An empty file would be made one by being opened."""
    if not store.exists():
        return "does not exist"
    return "" if store.stat().st_size else "is empty"


def led_nowhere(store: StoreReader) -> bool:
    """Whether the crawl in it ended by itself without a page. One that was stopped or killed may have pages waiting,
    and hosts that must be left alone for a while."""
    return store.runs.last_reason() == EndReason.NOTHING_FETCHED.label and not store.pages.has_fetched()


def _content(path: Path) -> StoreContent | None:
    try:
        with reading(path) as store:
            pages, failures = store.pages.counts(), store.pages.failures()
            hosts, slowed, extracted = store.hosts.report({}), store.hosts.slowed(), store.extractions.reports()
            renderings, starts = store.pages.renderings(), store.reach.dead_starts()
            left = store.reach.left_by_nofollow()
            size = store.size_bytes()
            return StoreContent(size, pages, failures, hosts, slowed, extracted, renderings, starts, left)
    except NoStore:
        return None


def _check_names(settings: Settings) -> None:
    require_readers(settings)
    require_browser(settings)
    require(POLICY, settings.policy.name)
    require(REVISIT_POLICY, settings.revisits.policy)
    if settings.hinterland.estimator:
        require(ESTIMATOR, settings.hinterland.estimator)
