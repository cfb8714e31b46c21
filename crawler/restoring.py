"""From a store back to the state of the crawl that wrote it, whether it ended or was killed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from crawler.depths import may_be_followed
from crawler.endings import IMPORTED, EndReason
from crawler.frontier.frontier import Frontier
from crawler.frontier.visits import HostPoliteness
from crawler.hinterland.hinterland import Hinterland, LeftWaiting, Movement
from crawler.known_pages import KnownPages
from crawler.outcomes import OutcomeKind, PageState
from crawler.policies import FrontierPolicy
from crawler.robots.book import RobotsBook
from crawler.robots.rules import RobotsAvailability, availability
from crawler.scope import Scope
from crawler.settings import RobotsSettings
from storage.link_store import LinkStore
from storage.records import StoredHost, StoredMovement, StoredPage

if TYPE_CHECKING:
    from analysis.crawled_graph import CrawledGraph
    from analysis.link_log import LinkLog

_UNCLEAN = (EndReason.ABORTED, EndReason.STORE_FAILED, EndReason.ARCHIVE_FAILED, EndReason.BUG)
_CLEAN = {IMPORTED[0], *(reason.label for reason in EndReason if reason not in _UNCLEAN)}
"""The endings after which every visit is in the store."""


@dataclass(slots=True)
class Restored:
    """What the engine keeps beside the frontier. attempts, redirects: of the pages that wait.

    outside_waiting: not in the frontier, since a budget decides which of them may go on waiting.
    """

    pages_fetched: int = 0
    last_visit: int = 0
    attempts: dict[int, int] = field(default_factory=dict)
    redirects: dict[int, int] = field(default_factory=dict)
    has_local_waiting: bool = False
    outside_waiting: dict[int, LeftWaiting] = field(default_factory=dict)  # the most urgent first


async def restore(
    store: LinkStore,
    *,
    scope: Scope,
    known: KnownPages,
    frontier: Frontier,
    policy: FrontierPolicy,
    log: LinkLog | None,
    robots: RobotsBook,
    now: float,
    delay_seconds: float,
    obeyed: RobotsSettings | None = None,
    hinterland: Hinterland | None = None,
    estimator: str = "",
) -> Restored:
    """Fill empty scope, known pages, frontier, policy and robots from the store.

    Pages that were under way at a kill or an abort wait again. Then the last visits may be unknown, so every
    host first rests as long as it rested last, and never less than delay_seconds. Hosts that had been given
    up get another chance: who resumes a crawl has reason to think that they are back.
    obeyed: says which links are not followed (the defaults if None). hinterland: is told how far it had come;
    estimator: the one it goes on with.
    """
    was_clean = await store.last_run_reason() in _CLEAN
    for host in await store.hosts():
        _restore_host(host, known, frontier, robots, now, None if was_clean else delay_seconds)
    restored = Restored(pages_fetched=await store.pages_fetched(), last_visit=await store.last_visit())
    is_followed = np.zeros(await store.page_count(), np.bool_)
    if policy.uses_links or log is not None:
        async for page in store.outlinks():
            outlinks = np.array(page.targets, np.int32)
            policy.fetched(page.source, outlinks)
            if log is not None:
                log.append(page.source, outlinks)
            is_followed[outlinks[may_be_followed(page, obeyed or RobotsSettings())]] = True
    waiting, outside = _Waiting(policy), _Waiting(policy)
    candidates = None if hinterland is None or policy.needs_refresh else _Waiting(policy)
    fetched = Counter[bool]()
    async for pages in store.pages():
        for stored in pages:
            _restore_page(stored, scope, known, restored, bool(is_followed[stored.number]))
            fetched[bool(stored.is_local)] += stored.outcome == OutcomeKind.FETCHED
            if stored.state == PageState.WAITING:
                (waiting if stored.is_local else outside).add(stored)
            if candidates is not None and known.is_candidate(stored.number):
                candidates.add(stored)
    if log is not None and policy.needs_refresh:
        crawled = log.snapshot(known.local_mask(), known.hosts())
        waiting.reconsider(crawled)
        outside.reconsider(crawled)
    restored.has_local_waiting = not waiting.is_empty
    restored.outside_waiting = outside.by_urgency()
    waiting.give_to(frontier, now)
    if hinterland is not None:
        last = await store.last_estimate()
        hinterland.restore(
            local_fetched=fetched[True],
            outside_fetched=fetched[False],
            crawled_since_estimate=fetched.total() if last is None else last.crawled_since,
            is_local_done=waiting.is_empty,
            history=[_movement(each, estimator) for each in await store.movements()],
        )
        if candidates is not None:
            hinterland.met(*candidates.urgencies())
    return restored


def _movement(stored: StoredMovement, estimator: str) -> Movement:
    change = stored.change if stored.estimator == estimator else None
    return Movement(stored.local_pages, stored.outside_pages, change)


def _restore_host(
    host: StoredHost, known: KnownPages, frontier: Frontier, robots: RobotsBook, now: float, least_rest: float | None
) -> None:
    number = known.restore_host(host.url)
    next_fetch = host.next_fetch
    if least_rest is not None:  # even if the store knows of no visit: its first one may have been under way
        next_fetch = max(next_fetch, now + max(least_rest, host.rest_seconds))
    failures = 0 if host.is_given_up else host.failures
    frontier.add_host(HostPoliteness(next_fetch, host.rest_seconds, failures, host.pages_fetched))
    if host.robots_expires_at is not None and host.robots_expires_at > now:
        available = availability(host.robots_status) is RobotsAvailability.AVAILABLE
        robots.remember(number, host.robots_text if available else None)
        frontier.restore_robots(number, host.robots_expires_at, host.crawl_delay)


def _restore_page(
    page: StoredPage, scope: Scope, known: KnownPages, restored: Restored, is_followed: bool
) -> None:
    if page.depth == 0 and page.is_local:
        scope.add_seed(page.url)
    not_admitted = (PageState.KNOWN,) if page.is_local else (PageState.KNOWN, PageState.WAITING)
    known.restore_page(
        page.url,
        page.host,
        is_local=bool(page.is_local),
        is_admitted=page.state not in not_admitted,
        depth=page.depth,
        is_followed=is_followed or page.state == PageState.WAITING,
        is_fetched=page.outcome == OutcomeKind.FETCHED,
    )
    if page.state == PageState.WAITING:
        if page.attempt is not None:
            restored.attempts[page.number] = page.attempt
        if page.redirects:
            restored.redirects[page.number] = page.redirects


class _Waiting:
    """Collects pages and asks the policy for their urgencies, finding by finding as in the crawl.

    Numbers count up in the order of discovery, so the pages that one visit found stand together.
    """

    def __init__(self, policy: FrontierPolicy) -> None:
        self._policy = policy
        self._finder: float | None = inf
        self._pages: list[int] = []
        self._hosts: list[int] = []
        self._depths: list[int] = []
        self._retry_at: dict[int, float] = {}
        self._urgencies: list[np.typing.NDArray[np.float64]] = []
        self._asked = 0

    def add(self, page: StoredPage) -> None:
        if page.referrer != self._finder:
            self._ask()
            self._finder = page.referrer
        self._pages.append(page.number)
        self._hosts.append(page.host)
        self._depths.append(page.depth)
        if page.retry_at is not None:
            self._retry_at[page.number] = page.retry_at

    def reconsider(self, crawled: CrawledGraph) -> None:
        """Have the policy refresh the urgencies, since it has learnt more after a page was found."""
        self._ask()
        if not self._pages:
            return
        pages = np.array(self._pages, np.int32)
        self._urgencies = [self._policy.begin_refresh(crawled, pages, max(len(pages), 1))()]

    @property
    def is_empty(self) -> bool:
        return not self._pages

    def urgencies(self) -> tuple[list[int], np.typing.NDArray[np.float64]]:
        """(pages, urgencies), shape (k,) each."""
        self._ask()
        return self._pages, np.concatenate(self._urgencies) if self._urgencies else np.empty(0)

    def by_urgency(self) -> dict[int, LeftWaiting]:
        """The pages with their urgencies, the most urgent first."""
        pages, urgencies = self.urgencies()
        order = np.argsort(-urgencies, kind="stable").tolist()
        return {pages[i]: LeftWaiting(float(urgencies[i]), self._retry_at.get(pages[i])) for i in order}

    def give_to(self, frontier: Frontier, now: float) -> None:
        self._ask()
        if not self._pages:
            return
        pages, hosts = np.array(self._pages, np.int32), np.array(self._hosts, np.int32)
        urgencies = np.concatenate(self._urgencies)
        later = np.array([self._retry_at.get(page, now) > now for page in self._pages])
        frontier.add(pages[~later], hosts[~later], urgencies[~later], now)
        for position in np.flatnonzero(later).tolist():
            page = self._pages[position]
            frontier.add_retrying(page, self._hosts[position], float(urgencies[position]), self._retry_at[page])

    def _ask(self) -> None:
        part = slice(self._asked, None)
        pages = np.array(self._pages[part], np.int32)
        if len(pages):
            depths = np.array(self._depths[part], np.int32)
            self._urgencies.append(self._policy.discovered(pages, depths))
            self._asked = len(self._pages)
