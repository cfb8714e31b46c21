"""From a store back to the crawl that wrote it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.assembly.restoring import RestoreOptions, WaitLimits, restore
from hinterland.crawler.features.outside.feature import OutsideSampling
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.features.outside.statistics import SamplingPhase
from hinterland.crawler.fetching.retry_rules import RETRY_RULES
from hinterland.crawler.fetching.robots.robots_cache import RobotsCache
from hinterland.crawler.fetching.robots.rules import ALLOW_ALL
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.frontier.visits import HostTaskKind, RobotsKnown, Visit, Wait
from hinterland.crawler.loop.crawl_start import CoreState
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.progress_step import ProgressStep, untold
from hinterland.crawler.loop.decisions.restored import LeftWaiting, RestoredState
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import PolitenessSettings, RobotsSettings, ScopeSettings
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import (
    DiscoveriesRecord,
    HostRecord,
    LinkColumns,
    PageRecord,
    Record,
    RobotsRecord,
    VisitRecord,
)

pytestmark = pytest.mark.slow

NOW = 1_000_000.0
NO_LIMITS = WaitLimits()
DELAY = 5.0
POLITENESS = PolitenessSettings(address_delay_seconds=0.0)
HOSTS = [HostRecord(n, f"http://h{n}.test", f"h{n}.test") for n in range(3)]
REST = HostStateRecord(0, "192.0.2.1", NOW - 100, 2.0, 0, 1, False)


def page(number: int, host: int = 0, state: str = "waiting", depth: int = 1, redirects: int = 0) -> PageRecord:
    referrer = None if depth == 0 else 0
    return PageRecord(number, f"{HOSTS[host].url}/{number}", host, state, state != "known", depth, referrer, redirects)


def visit(page: int, **changes: Any) -> VisitRecord:
    return replace(
        VisitRecord(page + 1, page, "fetched", "fetched", "", 1, NOW - 100, 0.1, REST),
        **changes,
    )


@dataclass(slots=True)
class Crawl:
    """All that is restored."""

    policy_name: str = "bfs"
    scope: Scope = field(default_factory=lambda: Scope(ScopeSettings()))
    robots: RobotsCache = field(default_factory=lambda: RobotsCache("Hinterland"))
    frontier: Frontier = field(default_factory=lambda: Frontier(POLITENESS, random=lambda: 0.0))
    obeyed: RobotsSettings = field(default_factory=RobotsSettings)
    hinterland: HinterlandSettings | None = None
    outside: OutsideSampling | None = None
    left: dict[int, LeftWaiting] = field(default_factory=dict)
    log: LinkLog | None = None
    told: Callable[[ProgressStep], None] = untold
    known: KnownPages = field(init=False)
    policy: FrontierPolicy = field(init=False)
    restored: RestoredState = field(init=False)

    async def restore(self, store: LinkStore, delay_seconds: float = DELAY, longest: WaitLimits = NO_LIMITS) -> None:
        self.known = KnownPages(self.scope, max_depth=None)
        policy = self.policy = make_policy(self.policy_name, 0)
        if policy.needs_refresh or self.hinterland is not None:
            self.log = LinkLog()
        if self.hinterland is not None and self.log is not None:
            self.outside = Sampling(self, self.hinterland, self.log)
        features = [] if self.outside is None else [self.outside]
        core = CoreState(self.scope, self.known, self.frontier, policy, self.robots, self.log, features)
        options = RestoreOptions(delay_seconds, self.obeyed, longest)
        self.restored = await restore(store, core, options, NOW, self.told)

    def visited_pages(self, now: float) -> list[int]:
        """Take all pages that may be visited, letting hosts rest no longer than they must."""
        pages = []
        while True:
            match self.frontier.next_visit(now):
                case Visit(host_task=None) as visit:
                    pages.append(visit.page)
                    self.frontier.released(visit, now)
                case Visit() as visit:
                    assert visit.host_task is not None
                    assert visit.host_task.kind is HostTaskKind.RESOLVE, "robots.txt is known"
                    self.frontier.resolved(visit, None, now)
                case _:
                    return pages


class Sampling(OutsideSampling):
    """Notes the pages that wait outside."""

    def __init__(self, crawl: Crawl, settings: HinterlandSettings, log: LinkLog) -> None:
        super().__init__(settings, crawl.known, crawl.frontier, crawl.policy, log)
        self._crawl = crawl

    def restore_waiting(self, left_waiting: Mapping[int, LeftWaiting]) -> None:
        super().restore_waiting(left_waiting)
        self._crawl.left = dict(left_waiting)


@asynccontextmanager
async def left_behind(
    tmp_path: Path, records: Sequence[Record], reason: str | None = EndReason.STOPPED.label
) -> AsyncIterator[LinkStore]:
    """A store with these records whose last run ended for this reason; None: it was killed."""
    async with LinkStore(tmp_path / "store.db") as store:
        run = await store.begin_run([], "{}", NOW - 200)
        await store.write(records)
        if reason is not None:
            await store.end_run(run, reason, {}, NOW - 90)
        yield store


def robots(host: int, **changes: Any) -> RobotsRecord:
    return replace(
        RobotsRecord(host, 200, NOW - 100, NOW + 1000, b"User-agent: *\nDisallow: /private", None, []),
        **changes,
    )


async def test_pages_that_wait_wait_again_and_all_others_are_only_known(tmp_path: Path) -> None:
    states = ["fetched", "waiting", "known", "failed", "refused", "redirected", "waiting"]
    pages = [page(number, state=state) for number, state in enumerate(states)]
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS, pages), robots(0), visit(0)]) as store:
        crawl = Crawl()
        await crawl.restore(store)
    assert crawl.visited_pages(NOW) == [1, 6]
    assert len(crawl.known) == 7
    assert [crawl.known.find(each.url) for each in pages] == list(range(7))
    assert [crawl.known.is_local(number) for number in range(7)] == [state != "known" for state in states]
    assert crawl.known.host_urls == [host.url for host in HOSTS]
    assert crawl.restored.pages_fetched == 1
    assert crawl.restored.last_visit == 1


async def test_links_to_known_pages_find_them_and_new_ones_get_the_next_numbers(tmp_path: Path) -> None:
    pages = [page(0, depth=0, state="fetched"), page(1), page(2, host=1, state="known")]
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS[:2], pages), visit(0)]) as store:
        crawl = Crawl()
        await crawl.restore(store)
    discoveries = Discoveries()
    urls = ["http://h1.test/2", "http://h0.test/1", "http://h0.test/new", "http://h9.test/"]
    assert crawl.known.add_links(urls, None, 1, discoveries) == [2, 1, 3, 4]
    assert [(new.number, new.depth, new.is_local) for new in discoveries.new_pages] == [(3, 2, True), (4, 2, False)]
    assert [host.number for host in discoveries.new_hosts] == [2]


async def test_seeds_draw_the_scope_again(tmp_path: Path) -> None:
    pages = [page(0, depth=0, state="redirected"), page(1, host=1, depth=0), page(2, host=2, state="known")]
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS, pages)]) as store:
        crawl = Crawl()
        await crawl.restore(store)
    assert [crawl.scope.is_local(f"{host.url}/any") for host in HOSTS] == [True, True, False]


@pytest.mark.parametrize("policy", ["bfs", "dfs", "indegree"])
async def test_the_order_of_the_pages_is_that_of_the_crawl_before(policy: str, tmp_path: Path) -> None:
    # Page 0 found 1 to 4; page 1 found 5 to 7 and links to 3 again.
    pages = [page(0, depth=0, state="fetched"), page(1, state="fetched"), *(page(n) for n in (2, 3, 4))]
    found_later = [page(n, depth=2)._replace(referrer=1) for n in (5, 6, 7)]
    links = [LinkColumns(t, bytes(len(t)), bytes(len(t)), [""] * len(t)) for t in ([1, 2, 3, 4], [3, 5, 6, 7])]
    records: list[Record] = [
        DiscoveriesRecord(HOSTS[:1], pages),
        visit(0, links=links[0]),
        visit(1, links=links[1], new_pages=found_later),
        robots(0),
    ]
    live = make_policy(policy, 0)
    live.fetched(0, np.array([1, 2, 3, 4], np.int32))
    first = live.discovered(np.array([2, 3, 4], np.int32), np.array([1, 1, 1], np.int32))
    live.fetched(1, np.array([3, 5, 6, 7], np.int32))
    second = live.discovered(np.array([5, 6, 7], np.int32), np.array([2, 2, 2], np.int32))
    urgency = dict(zip([2, 3, 4, 5, 6, 7], [*first, *second], strict=True))
    if policy == "indegree":
        urgency[3] += 1  # the second link, which the live policy learns of at its next refresh
    async with left_behind(tmp_path, records) as store:
        crawl = Crawl(policy)
        await crawl.restore(store)
    order = crawl.visited_pages(NOW)
    assert sorted(order) == [2, 3, 4, 5, 6, 7]
    assert [urgency[number] for number in order] == sorted(urgency.values(), reverse=True)


async def test_cash_after_a_restart_is_that_of_the_visits_in_their_order(tmp_path: Path) -> None:
    # Told in the order of their numbers, 1 would hand on its cash before 2 has given it any.
    rows = {0: [1, 2, 3], 2: [1, 4], 1: [5], 6: []}
    live = make_policy("opic", 0)
    for source, targets in rows.items():
        live.fetched(source, np.array(targets, np.int32))
    waiting = np.array([3, 4, 5], np.int32)
    cash = live.begin_refresh(LinkLog().snapshot(np.ones(7, np.bool_), np.zeros(7, np.int32)), waiting, 1)()
    assert (np.argsort(-cash, kind="stable") + 3).tolist() == [5, 4, 3]
    pages = [page(number, state="fetched" if number in rows else "waiting") for number in range(7)]
    visits = [
        visit(source, visit=number, links=LinkColumns(row, bytes(len(row)), bytes(len(row)), [""] * len(row)))
        for number, (source, row) in enumerate(rows.items(), 1)
    ]
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS[:1], pages), *visits, robots(0)]) as store:
        crawl = Crawl("opic")
        await crawl.restore(store)
    assert (
        crawl.policy.begin_refresh(
            LinkLog().snapshot(np.ones(7, np.bool_), np.zeros(7, np.int32)), waiting, 1
        )().tolist()
        == cash.tolist()
    )
    assert crawl.visited_pages(NOW) == [5, 4, 3]


async def test_tries_and_redirects_of_waiting_pages_go_on_counting(tmp_path: Path) -> None:
    pages = [page(0), page(1, redirects=4), page(2, redirects=2, state="redirected")]
    failed = visit(0, state="waiting", outcome="server_error", attempt=2, retry_at=NOW)
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS[:1], pages), failed]) as store:
        crawl = Crawl()
        await crawl.restore(store)
    assert crawl.restored.attempts == {0: 2}
    assert crawl.restored.redirects == {1: 4}


# --- politeness ---------------------------------------------------------------------------------


async def begins(tmp_path: Path, records: Sequence[Record], reason: str | None) -> float:
    """Seconds until the first visit to host 0, of which one page waits."""
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS[:1], [page(0)]), *records], reason) as store:
        crawl = Crawl()
        await crawl.restore(store)
    match crawl.frontier.next_visit(NOW):
        case Wait(until):
            return until - NOW
        case Visit():
            return 0.0
    raise AssertionError("a page waits")


@pytest.mark.parametrize("reason", ["stopped", "max-pages", "exhausted", "hosts-given-up"])
async def test_after_a_clean_end_hosts_rest_as_long_as_was_noted(reason: str, tmp_path: Path) -> None:
    assert await begins(tmp_path, [replace(REST, next_fetch=NOW + 7)], reason) == pytest.approx(7)


async def test_a_rest_that_is_over_needs_no_repeating_after_a_clean_end(tmp_path: Path) -> None:
    assert await begins(tmp_path, [REST], "stopped") == 0.0


@pytest.mark.parametrize("reason", [None, "aborted", "store-failed"])
@pytest.mark.parametrize(
    "state, rest",
    [
        (REST, DELAY),
        (replace(REST, rest_seconds=20.0), 20.0),
        (replace(REST, next_fetch=NOW + 30), 30.0),
        (None, DELAY),
    ],
    ids=["short rest", "long rest", "far away", "never heard of"],
)
async def test_when_visits_may_be_missing_every_host_rests_first(
    reason: str | None, state: HostStateRecord | None, rest: float, tmp_path: Path
) -> None:
    assert await begins(tmp_path, [] if state is None else [state], reason) == pytest.approx(rest)


async def test_without_a_delay_in_the_settings_a_host_still_rests_as_long_as_it_had_to(tmp_path: Path) -> None:
    records: list[Record] = [DiscoveriesRecord(HOSTS[:2], [page(0), page(1, host=1)]), replace(REST, rest_seconds=20.0)]
    async with left_behind(tmp_path, records, reason=None) as store:
        crawl = Crawl()
        await crawl.restore(store, delay_seconds=0.0)
    assert [crawl.frontier.politeness_of(host).next_fetch - NOW for host in (0, 1)] == [20.0, 0.0]


async def test_a_host_that_was_given_up_gets_another_chance(tmp_path: Path) -> None:
    given_up = replace(REST, failures=8, is_given_up=True)
    failing = replace(REST, number=1, failures=5)
    records: list[Record] = [DiscoveriesRecord(HOSTS[:2], [page(0), page(1, host=1)]), given_up, failing]
    async with left_behind(tmp_path, records) as store:
        crawl = Crawl()
        await crawl.restore(store)
    assert [crawl.frontier.politeness_of(host).failures for host in (0, 1)] == [0, 5]
    assert not crawl.frontier.politeness_of(0).given_up


# --- robots.txt ---------------------------------------------------------------------------------


async def test_robots_txt_is_obeyed_without_asking_again_until_it_expires(tmp_path: Path) -> None:
    pages = [page(n, host=n) for n in range(3)]
    records: list[Record] = [
        DiscoveriesRecord(HOSTS, pages),
        robots(0, crawl_delay=33.0),
        robots(1, status=404, text=None),
        robots(2, expires_at=NOW - 1),
    ]
    async with left_behind(tmp_path, records) as store:
        crawl = Crawl()
        await crawl.restore(store)
        assert await store.ask(lambda stored: stored.hosts.robots_text(0)) is not None
    assert (crawl.robots.rules_at_hand(0) is None, crawl.robots.rules_at_hand(1)) == (True, ALLOW_ALL)  # 0 is stored
    resolved = []
    seen = {}
    while isinstance(visit := crawl.frontier.next_visit(NOW), Visit):
        if visit.host_task is None:
            seen[visit.host] = visit.page
            crawl.frontier.finished(visit, NOW, 0.0)
        elif visit.host_task.kind is HostTaskKind.RESOLVE:
            crawl.frontier.resolved(visit, None, NOW)
        else:
            resolved.append(visit.host)
    assert seen == {0: 0, 1: 1}
    assert resolved == [2]
    assert crawl.frontier.politeness_of(0).rest == 33.0


async def test_a_long_reading_tells_how_far_it_is(tmp_path: Path) -> None:
    pages = [page(0, depth=0, state="fetched"), *(page(number) for number in range(1, 25_000))]
    told: list[ProgressStep] = []
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS[:1], pages), linking(0, 1, 2, visit_number=1)]) as store:
        crawl = Crawl(policy_name="opic", told=told.append)
        await crawl.restore(store)
    assert {(phase.unit, phase.of) for phase in told} == {("page", 25_000)}
    assert [(phase.doing, phase.done) for phase in told] == [
        ("reading links", 0),
        *(("reading pages", done) for done in (0, 10_000, 20_000)),
    ]
    assert crawl.frontier.counts().waiting == 24_999


# --- the hinterland -----------------------------------------------------------------------------


def outside(number: int, state: str = "known") -> PageRecord:
    return page(number, host=1, state=state)._replace(is_local=0)


def linking(source: int, *targets: int, visit_number: int, nofollow: bytes = b"", **changes: Any) -> VisitRecord:
    count = len(targets)
    links = LinkColumns(targets, bytes(count), nofollow or bytes(count), [""] * count)
    return visit(source, visit=visit_number, links=links, **changes)


def with_hinterland(**settings: bool) -> Crawl:
    return Crawl(hinterland=HinterlandSettings(budget="10"), obeyed=RobotsSettings(**settings))


@pytest.mark.parametrize(
    "settings, candidates",
    [
        ({}, [2]),
        ({"obey_nofollow": False}, [2, 3]),
        ({"obey_page_directives": False}, [2, 4]),
    ],
)
async def test_candidates_are_what_links_that_may_be_followed_lead_to(
    settings: dict[str, bool], candidates: list[int], tmp_path: Path
) -> None:
    local = [page(0, state="fetched", depth=0), page(1, state="fetched")]
    pages = [*local, outside(2), outside(3), outside(4), outside(5)]
    marked = linking(0, 2, 3, visit_number=1, nofollow=b"\0\1")
    asking = linking(1, 4, visit_number=2, nofollow=b"\1", is_nofollow=True)
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS[:2], pages), marked, asking]) as store:
        crawl = with_hinterland(**settings)
        await crawl.restore(store)
    assert crawl.known.candidates().tolist() == candidates


async def test_the_last_of_too_many_redirects_leads_to_no_candidate(tmp_path: Path) -> None:
    pages = [page(0, state="failed"), outside(1)]
    end = linking(0, 1, visit_number=1, state="failed", outcome="too_many_redirects")
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS[:2], pages), end]) as store:
        crawl = with_hinterland()
        await crawl.restore(store)
    assert crawl.known.candidates().tolist() == []


async def test_the_graph_comes_back_in_the_order_of_the_visits_pages_without_links_included(tmp_path: Path) -> None:
    pages = [page(n, state="fetched") for n in range(3)]
    visits = [linking(2, 0, visit_number=1), visit(0, visit=2), linking(1, 0, 2, visit_number=3)]
    async with left_behind(tmp_path, [DiscoveriesRecord(HOSTS[:1], pages), *visits]) as store:
        crawl = with_hinterland()
        await crawl.restore(store)
    assert crawl.log is not None
    crawled = crawl.log.snapshot(crawl.known.local_mask(), crawl.known.hosts())
    assert crawled.order.tolist() == [2, 0, 1]
    assert crawled.links.outdegrees.tolist() == [0, 2, 1]


async def test_pages_that_wait_outside_are_distinguished_and_are_candidates_until_admitted_again(
    tmp_path: Path,
) -> None:
    pages = [page(0, state="fetched", depth=0), outside(1, "waiting"), outside(2, "fetched"), outside(3, "waiting")]
    retried = visit(3, visit=3, state="waiting", outcome="unavailable", retry_at=NOW + 50)
    visits = [linking(0, 1, 2, 3, visit_number=1), visit(2, visit=2), retried]
    records: list[Record] = [DiscoveriesRecord(HOSTS[:2], pages), *visits]
    async with left_behind(tmp_path, records) as store:
        crawl = with_hinterland()
        await crawl.restore(store)
    assert crawl.visited_pages(NOW + 100) == []
    assert list(crawl.left) == [1, 3]
    assert [each.retry_at for each in crawl.left.values()] == [None, NOW + 50]
    assert crawl.known.candidates().tolist() == [1, 3]
    assert crawl.outside is not None
    hinterland = crawl.outside.schedule
    assert (hinterland.local_fetched, hinterland.outside_fetched) == (1, 1)
    assert hinterland.phase is SamplingPhase.HINTERLAND
    assert crawl.restored.attempts == {3: 1}


async def test_a_domain_with_pages_that_wait_is_crawled_before_its_hinterland(tmp_path: Path) -> None:
    pages = [page(0, state="fetched", depth=0), page(1), outside(2, "fetched")]
    records: list[Record] = [DiscoveriesRecord(HOSTS[:2], pages), linking(0, 1, 2, visit_number=1), visit(2, visit=2)]
    async with left_behind(tmp_path, records) as store:
        crawl = with_hinterland()
        await crawl.restore(store)
    assert crawl.outside is not None
    assert crawl.outside.schedule.phase is SamplingPhase.LOCAL


# --- a clock that was wrong ---------------------------------------------------------------------

YEAR = 400 * 86_400.0


async def test_rests_of_a_clock_that_was_far_ahead_restart_and_its_other_times_are_cut(tmp_path: Path) -> None:
    waits = visit(1, state="waiting", outcome="unavailable", retry_at=NOW + YEAR)
    state = HostStateRecord(0, "192.0.2.1", NOW + YEAR, 20.0, 0, 1, False)
    records: list[Record] = [
        DiscoveriesRecord(HOSTS, [page(0), page(1), page(2)]),
        replace(waits, host_state=state),
        robots(0, expires_at=NOW + YEAR),
    ]
    longest = WaitLimits(rest=600.0, robots=86_400.0, retry=300.0)
    async with left_behind(tmp_path, records) as store:
        crawl = Crawl()
        await crawl.restore(store, longest=longest)
    assert crawl.frontier.politeness_of(0).next_fetch == NOW + 20.0
    assert crawl.restored.seconds_ahead == YEAR - 600.0
    visited = crawl.frontier.next_visit(NOW + 20.0)
    assert isinstance(visited, Visit)
    crawl.frontier.resolved(visited, None, NOW + 20.0)
    asked = crawl.frontier.next_visit(NOW + 20.0)
    assert isinstance(asked, Visit)
    assert asked.host_task is not None, "nobody knows how old the robots.txt is, so it is asked for again"
    crawl.frontier.robots_fetched(asked, RobotsKnown(NOW + YEAR), NOW + 20.0, 0.0)
    assert crawl.visited_pages(NOW + 299.0) == [0, 2]
    assert crawl.visited_pages(NOW + 300.0) == [1], "no page is tried again later than any setting has it"


def test_nothing_that_settings_ask_for_is_cut() -> None:
    longest = WaitLimits.under(PolitenessSettings(), RobotsSettings(), RETRY_RULES)
    assert longest.rest >= max(600.0 * 1.2, 3600.0, 300.0)
    assert longest.robots == 86_400
    assert longest.retry >= 3600.0
