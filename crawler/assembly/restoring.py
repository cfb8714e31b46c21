"""Restores the state of a crawl from its store, after a regular end as well as after a kill."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import pairwise
from math import inf, isnan

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_rules import RETRY_RULES, RetryRules
from hinterland.crawler.fetching.robots.rules import RobotsAvailability, availability
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.depths import may_be_followed
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.frontier.politeness import longest_rest
from hinterland.crawler.frontier.visits import HostPoliteness
from hinterland.crawler.loop.crawl_start import CoreState
from hinterland.crawler.loop.decisions.endings import IMPORTED, EndReason
from hinterland.crawler.loop.decisions.progress_step import ProgressStep, untold
from hinterland.crawler.loop.decisions.restored import LeftWaiting, RestoredState
from hinterland.crawler.loop.restorable import RestoredPages
from hinterland.crawler.settings import PolitenessSettings, RobotsSettings, Settings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import StoredHost
from hinterland.storage.values.records import BoolArray, IntArray, StoredOutlinks, StoredPages

_LOG = logging.getLogger(__name__)

FloatArray = np.typing.NDArray[np.float64]

_UNCLEAN = (EndReason.ABORTED, EndReason.STORE_FAILED, EndReason.ARCHIVE_FAILED, EndReason.BUG)
_HOSTS_AT_ONCE = 10_000
_HEARD = 64
"""The number of hosts restored for the network watch: those that answered most recently."""
_CLEAN = {IMPORTED[0], *(reason.label for reason in EndReason if reason not in _UNCLEAN)}
"""The labels of the end reasons after which the store has every visit."""


@dataclass(frozen=True, slots=True)
class WaitLimits:
    """The longest waits under the settings of a run, in seconds; longer waits in a store come from a wrong clock.

    `rest` limits the rests of hosts, `robots` the validity of a robots.txt, and `retry` the wait of a page for its
    retry.
    """

    rest: float = inf
    robots: float = inf
    retry: float = inf

    @staticmethod
    def under(politeness: PolitenessSettings, robots: RobotsSettings, retry_rules: RetryRules) -> WaitLimits:
        """Return the limits under these settings."""
        rest = longest_rest(politeness, robots.max_crawl_delay_seconds)
        return WaitLimits(
            rest, robots.max_age_seconds, max(retry_rules.longest_wait, politeness.max_retry_after_seconds)
        )


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    """How to restore a store.

    `delay_seconds` is the minimum rest of a host after a kill. `obeyed` says which nofollow marks are obeyed. Stored
    waits that exceed `longest` are reduced to it. `retry_rules` say which failures count against a page.
    """

    delay_seconds: float
    obeyed: RobotsSettings
    longest: WaitLimits = WaitLimits()
    retry_rules: RetryRules = RETRY_RULES

    @staticmethod
    def under(settings: Settings, retry_rules: RetryRules = RETRY_RULES) -> RestoreOptions:
        """Return the options under these settings."""
        politeness, robots = settings.politeness, settings.robots
        longest = WaitLimits.under(politeness, robots, retry_rules)
        return RestoreOptions(politeness.delay_seconds, robots, longest, retry_rules)


async def restore(
    store: LinkStore,
    core: CoreState,
    options: RestoreOptions,
    now: float,
    told: Callable[[ProgressStep], None] = untold,
) -> RestoredState:
    """Fill the core state from the store, and return the remaining state; an empty store leaves both empty.

    Pages that were under way at a kill or an abort wait again. The store may lack the last visits before the kill, so
    every host first rests as long as it rested last, and at least delay_seconds. Hosts that had been given up get
    another chance, because a user who resumes a crawl probably expects them to be back. `told` is called with the
    progress of the reading, a few times a second.
    """
    policy, frontier = core.policy, core.frontier
    restored = RestoredState()
    if await store.ask(lambda stored: stored.pages.is_empty()):
        return restored
    await _restore_hosts(store, core, options, now, restored)
    count = await store.ask(lambda stored: stored.pages.count())
    is_followed = np.zeros(count, np.bool_)
    if policy.uses_links or core.log is not None:
        outlinks = await store.state.outlinks(lambda page: told(ProgressStep("reading links", "page", page, count)))
        _replay(outlinks, policy, core.log)
        is_followed[outlinks.targets[may_be_followed(outlinks, options.obeyed)]] = True
    found, local_fetched = await _read_pages(store, core, is_followed, restored, told)
    np.minimum(found.retry_at, now + options.longest.retry, out=found.retry_at)
    crawled = None
    if core.log is not None and policy.needs_refresh:
        crawled = core.log.snapshot(core.known.local_mask(), core.known.hosts())
    for feature in core.features:
        fetched = await feature.relearn(store, found.pages[found.is_waiting], crawled)
        restored.fetched_since_refresh = restored.fetched_since_refresh if fetched is None else fetched
    waiting, outside = found.part(found.is_waiting & found.is_local), found.part(found.is_waiting & ~found.is_local)
    candidates = found.part(found.is_candidate)
    del found
    for number, outcome in (await store.ask(lambda stored: stored.pages.outcomes_of(restored.retrying))).items():
        if not options.retry_rules.of(OutcomeKind(outcome)).blames_host:
            restored.charges[number] = restored.attempts[number]
    if core.remembers_urgencies:
        waiting, outside = waiting.remembered(policy), outside.remembered(policy)
    elif crawled is not None:
        waiting, outside = waiting.reconsidered(policy, crawled), outside.reconsidered(policy, crawled)
    waiting.give_to(frontier, now)
    stored = RestoredPages(
        pages_fetched=restored.pages_fetched,
        local_fetched=local_fetched,
        is_local_done=not len(waiting.pages),
        outside=outside.by_urgency(),
        candidates=candidates.pages.tolist(),
        urgencies=candidates.urgencies,
    )
    for feature in core.features:
        await feature.restore(store, stored)
    core.known.has_stale_depths = True  # the last run may have ended before it relaxed them, or had another limit
    return restored


async def restore_known(store: LinkStore, scope: Scope, known: KnownPages) -> None:
    """Restore only the known hosts and pages, for a process that visits nothing."""
    async for hosts in _stored_hosts(store):
        for host in hosts:
            known.restore_host(host.url, host.pages_fetched)
    count = await store.ask(lambda stored: stored.pages.count())
    async for pages in store.state.pages():
        _restore_pages(pages, scope, known, np.zeros(count, np.bool_))


async def _stored_hosts(store: LinkStore) -> AsyncIterator[list[StoredHost]]:
    """Yield all hosts in the order of their numbers, in batches of several thousand."""
    first = 0
    while hosts := await store.ask(partial(_some_hosts, first)):
        yield hosts
        first = hosts[-1].number + 1


def _some_hosts(first: int, stored: StoreReader) -> list[StoredHost]:
    return stored.hosts.stored(first, _HOSTS_AT_ONCE)


async def _restore_hosts(
    store: LinkStore, core: CoreState, options: RestoreOptions, now: float, restored: RestoredState
) -> None:
    was_clean = await store.ask(lambda stored: stored.runs.last_reason()) in _CLEAN
    heard = list[tuple[float, int]]()
    async for hosts in _stored_hosts(store):
        for host in hosts:
            _restore_host(host, core, now, None if was_clean else options.delay_seconds, options)
            restored.seconds_ahead = max(restored.seconds_ahead, host.next_fetch - now - options.longest.rest)
        heard += [(host.next_fetch, host.number) for host in hosts if host.pages_fetched]
        heard = sorted(heard)[-_HEARD:]
    restored.heard = [number for _, number in heard]
    if restored.seconds_ahead:
        _LOG.warning(
            "the store has times %.1f days in the future, so a clock is or was wrong: check this machine's clock;"
            " waiting times are limited to those in the settings",
            restored.seconds_ahead / 86_400,
        )


async def _read_pages(
    store: LinkStore,
    core: CoreState,
    is_followed: BoolArray,
    restored: RestoredState,
    told: Callable[[ProgressStep], None],
) -> tuple[_PageColumns, int]:
    """Return the pages that wait or are candidates, and the number of local pages fetched."""
    known, asked, local_fetched, count = core.known, _PageCollector(), 0, len(is_followed)
    good_pages = np.full(len(known.host_urls), -1, np.int32)
    async for pages in store.state.pages():
        told(ProgressStep("reading pages", "page", pages.first, count))
        _restore_pages(pages, core.scope, known, is_followed)
        _collect(pages, restored)
        good_pages[pages.hosts[pages.is_fetched]] = pages.numbers[pages.is_fetched]
        local_fetched += int((pages.is_fetched & pages.is_local).sum())
        is_candidate = np.zeros(len(pages.urls), np.bool_)
        asked.add(pages, known.are_candidates(pages.numbers) if core.ranks_candidates else is_candidate)
    heard = np.flatnonzero(good_pages >= 0).astype(np.int32)
    core.frontier.restore_good_pages(heard, good_pages[heard])
    is_reconsidered = core.log is not None and core.policy.needs_refresh
    return asked.pages() if is_reconsidered else asked.answered(core.policy), local_fetched


def _restore_host(
    host: StoredHost, core: CoreState, now: float, least_rest: float | None, options: RestoreOptions
) -> None:
    longest = options.longest
    number = core.known.restore_host(host.url, host.pages_fetched)
    rest = min(host.rest_seconds, longest.rest)
    # A rest longer than any settings allow was recorded by another clock: only its length is certain.
    next_fetch = host.next_fetch if host.next_fetch <= now + longest.rest else now + rest
    if least_rest is not None:  # even if the store has no visit to it: the first may have been under way
        next_fetch = max(next_fetch, now + max(least_rest, rest))
    failures = 0 if host.is_given_up else host.failures
    core.frontier.add_host(HostPoliteness(next_fetch, rest, failures, host.pages_fetched))
    # If it was fetched in the future, the clock was wrong, and it may be out of date.
    if host.robots_expires_at is not None and now < host.robots_expires_at <= now + longest.robots:
        available = availability(host.robots_status) is RobotsAvailability.AVAILABLE
        if available and host.has_robots_text:
            core.robots.is_stored(number)
        asked = None if host.crawl_delay is None else min(host.crawl_delay, options.obeyed.max_crawl_delay_seconds)
        core.frontier.restore_robots(number, host.robots_expires_at, asked)


def _replay(outlinks: StoredOutlinks, policy: FrontierPolicy, log: LinkLog | None) -> None:
    """Pass all stored links to the log and the policy, in the order of the visits."""
    if log is not None:
        log.extend(outlinks.sources, outlinks.ends, outlinks.targets)
    if policy.uses_links:
        policy.fetched_all(outlinks.sources, outlinks.ends, outlinks.targets)


def _restore_pages(pages: StoredPages, scope: Scope, known: KnownPages, is_followed: BoolArray) -> None:
    for place in np.flatnonzero((pages.depths == 0) & pages.is_local).tolist():
        scope.add_seed(pages.urls[place])
    known.restore_pages(
        pages.urls,
        pages.hosts,
        pages.depths,
        is_local=pages.is_local,
        is_admitted=~(pages.is_known | (pages.is_waiting & ~pages.is_local)),
        is_followed=is_followed[pages.numbers] | pages.is_waiting,
        is_fetched=pages.is_fetched,
    )


def _collect(pages: StoredPages, restored: RestoredState) -> None:
    """Add to `restored` the attempts, redirects and retries of pages, how many were fetched, and the last visit."""
    restored.pages_fetched += int(pages.is_fetched.sum())
    restored.last_visit = max(restored.last_visit, int(pages.visits.max()))
    for place in np.flatnonzero(pages.is_waiting & (pages.attempts > 0)).tolist():
        restored.attempts[pages.first + place] = int(pages.attempts[place])
        restored.retrying += [pages.first + place] * (not isnan(pages.retry_at[place]))
    for place in np.flatnonzero(pages.is_waiting & (pages.redirects > 0)).tolist():
        restored.redirects[pages.first + place] = int(pages.redirects[place])


@dataclass(frozen=True, eq=False, slots=True)
class _PageColumns:
    """Pages that wait or are candidates, as columns, by ascending page number.

    A `retry_at` of NaN means that a retry is due now.
    """

    pages: IntArray
    hosts: IntArray
    depths: IntArray
    finders: IntArray
    is_local: BoolArray
    is_waiting: BoolArray
    is_candidate: BoolArray
    retry_at: FloatArray
    urgencies: FloatArray

    def part(self, chosen: BoolArray) -> _PageColumns:
        """Return the rows that a mask selects; if it selects all rows, they are not copied."""
        if chosen.all():
            return self
        return _PageColumns(*(getattr(self, column.name)[chosen] for column in fields(self)))

    def reconsidered(self, policy: FrontierPolicy, crawled: CrawledGraph) -> _PageColumns:
        """Return the pages with new urgencies, because the policy has learnt more since it first saw them."""
        if not len(self.pages):
            return self
        return replace(self, urgencies=policy.begin_refresh(crawled, self.pages, len(self.pages))())

    def remembered(self, policy: FrontierPolicy) -> _PageColumns:
        """Return the pages with the urgencies that the policy remembers."""
        if not len(self.pages):
            return self
        return replace(self, urgencies=policy.discovered(self.pages, self.depths))

    def by_urgency(self) -> dict[int, LeftWaiting]:
        """Return the pages with their urgencies, the most urgent first."""
        order = np.argsort(-self.urgencies, kind="stable")
        columns = zip(
            self.pages[order].tolist(), self.urgencies[order].tolist(), self.retry_at[order].tolist(), strict=True
        )
        return {page: LeftWaiting(urgency, None if isnan(at) else at) for page, urgency, at in columns}

    def give_to(self, frontier: Frontier, now: float) -> None:
        """Add the pages to the frontier, to be visited immediately or when their retry is due."""
        later = self.retry_at > now
        at_once, retrying = self.part(~later), self.part(later)
        frontier.add(at_once.pages, at_once.hosts, at_once.urgencies, now)
        for place, page in enumerate(retrying.pages.tolist()):
            host, urgency, at = retrying.hosts[place], retrying.urgencies[place], retrying.retry_at[place]
            frontier.add_retrying(page, int(host), float(urgency), float(at))


class _PageCollector:
    """Collects the pages to restore, and asks the policy for their urgencies. Mutable.

    Page numbers follow the order of discovery, so the pages that one visit found are adjacent. The policy is asked
    about each such group at once.
    """

    def __init__(self) -> None:
        """Begin with no page."""
        none = np.zeros(0, np.int32)
        no, never = none.astype(np.bool_), none.astype(np.float64)
        self._parts = [
            _PageColumns(
                pages=none,
                hosts=none,
                depths=none,
                finders=none,
                is_local=no,
                is_waiting=no,
                is_candidate=no,
                retry_at=never,
                urgencies=never,
            )
        ]

    def add(self, pages: StoredPages, is_candidate: BoolArray) -> None:
        """Add the pages of a batch that wait or are candidates."""
        found = _PageColumns(
            pages=pages.numbers,
            hosts=pages.hosts,
            depths=pages.depths,
            finders=pages.finders,
            is_local=pages.is_local,
            is_waiting=pages.is_waiting,
            is_candidate=is_candidate,
            retry_at=pages.retry_at,
            urgencies=np.zeros(len(pages.urls)),
        )
        self._parts.append(found.part(pages.is_waiting | is_candidate))

    def pages(self) -> _PageColumns:
        """Return all pages, with urgency 0, and empty the collector."""
        parts, self._parts = self._parts, []
        return _PageColumns(
            *(np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(_PageColumns))
        )

    def answered(self, policy: FrontierPolicy) -> _PageColumns:
        """Return all pages, with urgencies from the policy."""
        found = self.pages()
        begins = np.flatnonzero(np.diff(found.finders, prepend=-2)).tolist()
        for begin, end in pairwise([*begins, len(found.pages)]):
            part = slice(begin, end)
            found.urgencies[part] = policy.discovered(found.pages[part], found.depths[part])
        return found
