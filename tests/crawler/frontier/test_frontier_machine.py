"""The frontier beside a model too simple to be wrong: lists, loops, and no structure that could get out of step.

The model knows what each host and address may do at any time. It does not choose; it checks each choice of
the frontier, and learns from it. Time is virtual. Seconds are multiples of 1/8, so that sums are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from random import Random
from typing import Any
from unittest.mock import patch

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hinterland.crawler.frontier import waiting_pages
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.host_health import MOST_EXCUSED
from hinterland.crawler.frontier.politeness import BACKOFF_JITTER
from hinterland.crawler.frontier.visits import (
    Exhausted,
    HostPoliteness,
    HostTask,
    HostTaskKind,
    RobotsKnown,
    RobotsMoved,
    RobotsUnreachable,
    Visit,
    Wait,
)
from hinterland.crawler.frontier.waiting_pages import Reordering
from hinterland.crawler.settings import PolitenessSettings
from tests.support.levels import rounds

pytestmark = pytest.mark.slow

JITTER = 0.5
ROBOTS_RETRY = 4.0


@dataclass(slots=True)
class ModelHost:
    next_fetch: float = 0.0
    rest: float = 0.0
    failures: int = 0
    good_page: int = -1
    good_page_before: int = -1
    was_dead: bool = False
    was_doubted: bool = False
    retried_last: bool = False
    doubted: list[int] = field(default_factory=list)
    fetched: int = 0
    is_gone: bool = False
    was_heard: bool = False
    is_resolved: bool = False
    resolved_until: float = inf
    address: str | None = None
    robots_until: float = -inf
    robots_unused: bool = False
    robots_pending: bool = False
    crawl_delay: float | None = None
    tasks: list[HostTask] = field(default_factory=list)
    files: list[HostTask] = field(default_factory=list)  # which wait until robots.txt is known
    visit: Visit | None = None
    is_kept: bool = False
    extra_request: Visit | None = None
    visited_at: str | None = None
    address_began: tuple[float, float] = (-inf, -inf)  # the start at its address before its last one, and that one
    ready_for_sure_since: float | None = None  # the frontier was asked then, and the host was ready
    ready_perhaps_since: float | None = None  # something happened then, and the host was ready


@dataclass(slots=True)
class ModelPage:
    host: int
    urgency: float
    state: str = "waiting"  # or "taken", "retry", "due", "doubted"
    retry_at: float = inf


@dataclass(slots=True)
class Model:
    settings: PolitenessSettings
    max_ready_seconds: float
    host_limit: float
    hosts: list[ModelHost] = field(default_factory=list)
    pages: list[ModelPage] = field(default_factory=list)
    last_start: dict[str, float] = field(default_factory=dict)  # by address
    is_paused: bool = False
    excused: Counter[int] = field(default_factory=Counter)  # by page

    def page_fails(self, page: int) -> bool:
        """Return whether the failure counts."""
        is_excused = self.is_paused and self.excused[page] < MOST_EXCUSED
        self.excused[page] += is_excused
        self.pages[page].state = "due" if is_excused else "doubted"
        if not is_excused:
            self.hosts[self.pages[page].host].doubted.append(page)
        return not is_excused

    # ---- what may be

    def is_closed(self, host: ModelHost) -> bool:
        return host.is_gone or host.fetched >= self.host_limit

    def waiting_pages(self, number: int, state: str = "waiting") -> list[int]:
        return [p for p, page in enumerate(self.pages) if page.host == number and page.state == state]

    def candidates(self, number: int) -> list[int]:
        """Of each kind of its pages that may be visited now, the one to go first."""
        kinds = [self.waiting_pages(number), self.waiting_pages(number, "due"), self.hosts[number].doubted[:1]]
        return [self.most_urgent(pages) for pages in kinds if pages]

    def most_urgent(self, pages: list[int]) -> int:
        return min(pages, key=lambda p: (-self.pages[p].urgency, p))

    def has_work(self, number: int) -> bool:
        host = self.hosts[number]
        if self.has_task(host):
            return True
        return not host.robots_pending and not self.is_closed(host) and bool(self.candidates(number))

    def has_task(self, host: ModelHost) -> bool:
        return bool(host.tasks or (host.files and not host.robots_pending))

    def may_start(self, number: int) -> float:
        """From when on the host itself may be visited; inf if not without a further event."""
        host = self.hosts[number]
        if host.is_gone or host.visit is not None:
            return inf
        times = [0.0] if self.has_work(number) else []
        if not host.robots_pending and not self.is_closed(host):
            times += [p.retry_at for p in self.pages if p.host == number and p.state == "retry"]
        return max(min(times), host.next_fetch) if times else inf

    def address_opens(self, address: str | None) -> float:
        if address is None:
            return -inf
        asked = [
            host
            for host in self.hosts
            if host.visit is not None and (not host.is_kept or host.extra_request is not None)
        ]
        open_connections = sum(host.visited_at == address for host in asked)
        if open_connections >= self.settings.address_connections:
            return inf
        return self.last_start.get(address, -inf) + self.settings.address_delay_seconds

    def earliest(self, number: int) -> float:
        host = self.hosts[number]
        return max(self.may_start(number), self.address_opens(host.address) if host.is_resolved else -inf)

    def has_name(self, number: int, now: float) -> bool:
        return self.hosts[number].is_resolved and now < self.hosts[number].resolved_until

    def is_ready(self, number: int, now: float) -> bool:
        host = self.hosts[number]
        return not host.is_gone and host.visit is None and host.next_fetch <= now and self.has_work(number)

    def key(self, number: int) -> tuple[float, int, int]:
        if self.has_task(self.hosts[number]):
            return (-inf, -1, number)
        urgency, page = min((-self.pages[p].urgency, p) for p in self.candidates(number))
        return (urgency, page, number)

    def is_overdue(self, since: float | None, now: float) -> bool:
        return since is not None and now - since > self.max_ready_seconds

    # ---- what happens

    def wake(self, now: float) -> None:
        for page in self.pages:
            if page.state == "retry" and page.retry_at <= now:
                page.state, page.retry_at = "due", inf

    def observe(self, now: float, *, asked: bool) -> None:
        for number, host in enumerate(self.hosts):
            if not self.is_ready(number, now):
                host.ready_perhaps_since = host.ready_for_sure_since = None
                continue
            if host.ready_perhaps_since is None:
                host.ready_perhaps_since = now
            if asked and host.ready_for_sure_since is None:
                host.ready_for_sure_since = now

    def expected_visit(self, number: int, now: float) -> Visit:
        host = self.hosts[number]
        if not self.has_name(number, now):
            return Visit(number, -1, HostTask(HostTaskKind.RESOLVE, number))
        if host.tasks:
            return Visit(number, -1, host.tasks[0])
        if host.robots_until <= now and not host.robots_unused:
            return Visit(number, -1, HostTask(HostTaskKind.ROBOTS, number))
        if host.files:
            return Visit(number, -1, host.files[0])
        fresh, due = self.waiting_pages(number), self.waiting_pages(number, "due")
        if host.good_page >= 0 and host.doubted and (host.failures >= 2 or not (fresh or due)):
            return Visit(number, -1, HostTask(HostTaskKind.PROBE, number, page=host.good_page))
        if due and not (fresh and (host.failures or host.retried_last)):
            return Visit(number, self.most_urgent(due))
        return Visit(number, self.most_urgent(fresh) if fresh else host.doubted[0])

    def start(self, visit: Visit, now: float) -> None:
        host = self.hosts[visit.host]
        is_lookup = visit.host_task is not None and visit.host_task.kind is HostTaskKind.RESOLVE
        host.visit, host.visited_at = visit, None if is_lookup else host.address
        if host.visited_at is not None:
            assert host.address is not None
            host.address_began = self.last_start.get(host.address, -inf), now
            self.last_start[host.address] = now
        if visit.host_task is None:
            host.robots_unused = False
            page = self.pages[visit.page]
            host.retried_last, host.was_doubted = page.state == "due", page.state == "doubted"
            if page.state == "doubted":
                host.doubted.remove(visit.page)
            page.state = "taken"
        elif visit.host_task in host.tasks:
            host.tasks.remove(visit.host_task)
        elif visit.host_task in host.files:
            host.robots_unused = False
            host.files.remove(visit.host_task)

    def end(self, visit: Visit) -> ModelHost:
        host = self.hosts[visit.host]
        assert host.visit == visit
        host.visit, host.is_kept, host.extra_request = None, False, None
        return host

    def end_unasked(self, visit: Visit) -> None:
        host = self.end(visit)
        before, since = host.address_began
        if host.visited_at is not None and self.last_start[host.visited_at] == since:
            self.last_start[host.visited_at] = before

    def rest_after_answer(self, host: ModelHost, seconds: float, now: float, asked: float = 0.0) -> None:
        s = self.settings
        rest = max(s.delay_seconds, min(s.delay_factor * seconds, s.max_delay_seconds), host.crawl_delay or 0)
        self.rest(host, max(rest, asked), now)

    def rest(self, host: ModelHost, seconds: float, now: float) -> None:
        host.rest, host.next_fetch = seconds, max(host.next_fetch, now + seconds)

    def answered(self, host: ModelHost, seconds: float, now: float) -> list[int]:
        charged, host.doubted = host.doubted, []
        spares = host.was_dead or host.was_doubted
        for page in charged:
            self.pages[page].state = "due" if spares else "taken"
        host.failures, host.was_heard, host.was_dead = 0, True, False
        self.rest_after_answer(host, seconds, now)
        return [] if spares else charged

    def count_failure(self, host: ModelHost, retry_after: float | None, now: float, at_least: float = 0.0) -> None:
        s = self.settings
        host.failures += 1
        backoff = min(s.backoff_seconds * 2 ** (host.failures - 1), s.max_backoff_seconds)
        asked = min(retry_after or 0.0, s.max_retry_after_seconds)
        rest = max(backoff * (1 + BACKOFF_JITTER * JITTER), asked, s.delay_seconds, host.crawl_delay or 0, at_least)
        self.rest(host, rest, now)
        self.give_up_if_due(host, now)

    def give_up_if_due(self, host: ModelHost, now: float) -> None:
        s = self.settings
        limit = s.give_up_after_failures
        if not host.was_heard:
            limit = min(limit, s.give_up_unheard_after_failures)
        if host.failures >= limit and host.visit is None and not host.is_gone:
            self.give_up(host, now)

    def give_up(self, host: ModelHost, now: float) -> None:
        host.is_gone = True
        tasks, host.tasks, host.files = host.tasks, [], []
        for task in tasks:
            self.robots_unreachable(self.hosts[task.owner], None, now)

    def robots_unreachable(self, owner: ModelHost, retry_after: float | None, now: float) -> None:
        owner.robots_pending, owner.robots_until = False, -inf
        if not owner.is_gone:
            retry = min(ROBOTS_RETRY * 2**owner.failures, self.settings.max_backoff_seconds)
            if self.is_paused:
                self.rest_after_answer(owner, 0.0, now)
            else:
                self.count_failure(owner, retry_after, now, retry)

    def send(self, task: HostTask, number: int, now: float) -> None:
        owner = self.hosts[task.owner]
        if self.hosts[number].is_gone:
            self.robots_unreachable(owner, None, now)
        else:
            owner.robots_pending = True
            self.hosts[number].tasks.append(task)


seconds = st.integers(0, 32).map(lambda eighths: eighths / 8)
long_seconds = st.integers(0, 60).map(float)
some = st.integers(0, 10**6)
urgencies = st.integers(-3, 3).map(float)
maybe = st.one_of(st.none(), long_seconds)


class FrontierBesideModel(RuleBasedStateMachine):
    now: float
    model: Model
    frontier: Frontier
    snapshot: Reordering | None

    @initialize(
        settings=st.builds(
            PolitenessSettings,
            delay_seconds=st.sampled_from([0.0, 1.0]),
            delay_factor=st.sampled_from([0.0, 10.0]),
            max_delay_seconds=st.just(20.0),
            address_delay_seconds=st.sampled_from([0.0, 0.25, 3.0]),
            address_connections=st.sampled_from([1, 2, 8]),
            backoff_seconds=st.sampled_from([0.0, 4.0]),
            max_backoff_seconds=st.just(32.0),
            max_retry_after_seconds=st.just(40.0),
            give_up_after_failures=st.sampled_from([1, 3, 100]),
            give_up_unheard_after_failures=st.sampled_from([1, 2, 100]),
        ),
        max_ready_seconds=st.sampled_from([0.0, 6.0, 1000.0]),
        host_limit=st.sampled_from([None, None, 2]),
        hosts=st.integers(1, 5),
        are_known=st.booleans(),
    )
    def begin(
        self,
        settings: PolitenessSettings,
        max_ready_seconds: float,
        host_limit: int | None,
        hosts: int,
        are_known: bool,
    ) -> None:
        self.now = 1000.0
        self.last_was_overdue = False
        self.probes: list[int] = []
        self.released: list[int] = []
        self.model = Model(settings, max_ready_seconds, inf if host_limit is None else host_limit)
        self.host_limit = host_limit
        self.frontier = self.new_frontier()
        self.snapshot = None
        for _ in range(hosts):
            self.add_host(are_known, None)
        self.add_pages([(n, float(n % 3)) for n in range(2 * hosts)])

    def new_frontier(self) -> Frontier:
        return Frontier(
            self.model.settings,
            random=lambda: JITTER,
            max_pages_per_host=self.host_limit,
            robots_retry_seconds=ROBOTS_RETRY,
            max_ready_seconds=self.model.max_ready_seconds,
        )

    def under_way(self, number: int, kinds: Callable[[Visit], bool]) -> Visit | None:
        """One of the visits under way that are of a kind, at hosts without an extra request."""
        hosts = [h for h in self.model.hosts if h.extra_request is None]
        visits = [h.visit for h in hosts if h.visit is not None and kinds(h.visit)]
        return visits[number % len(visits)] if visits else None

    # ---- hosts and pages

    @rule(robots_known=st.booleans(), next_fetch=maybe)
    def add_host(self, robots_known: bool, next_fetch: float | None) -> None:
        if len(self.model.hosts) >= 8:
            return
        host = ModelHost()
        politeness = None
        if next_fetch is not None:
            politeness = HostPoliteness(self.now + next_fetch, 1.0, 1, 1)
            host.next_fetch, host.rest, host.failures, host.fetched = politeness.next_fetch, 1.0, 1, 1
            host.was_heard = True
        number = self.frontier.add_host(politeness)
        assert number == len(self.model.hosts)
        if robots_known:
            host.robots_until, host.crawl_delay = self.now + 50.0, 1.5
            self.frontier.restore_robots(number, host.robots_until, host.crawl_delay)
        self.model.hosts.append(host)

    @rule(found=st.lists(st.tuples(some, urgencies), min_size=1, max_size=12))
    def add_pages(self, found: list[tuple[int, float]]) -> None:
        if len(self.model.pages) >= 200:
            return
        first = len(self.model.pages)
        new = [ModelPage(n % len(self.model.hosts), urgency) for n, urgency in found]
        self.model.pages += new
        self.frontier.add(
            np.arange(first, first + len(new), dtype=np.int32),
            np.array([page.host for page in new], np.int32),
            np.array([page.urgency for page in new]),
            self.now,
        )

    @rule(which=some)
    def file_is_wanted(self, which: int) -> None:
        number = which % len(self.model.hosts)
        host, url = self.model.hosts[number], f"https://a.example/{which}"
        assert self.frontier.ask_file(number, url, self.now, "feature") is not host.is_gone
        if not host.is_gone:
            host.files.append(HostTask(HostTaskKind.FILE, number, url, asker="feature", needs_robots=True))

    # ---- time and visits

    @rule(dt=st.one_of(seconds, long_seconds))
    def time_passes(self, dt: float) -> None:
        self.now += dt

    @rule()
    def ask(self) -> None:
        self.ask_and_check()

    @rule(steps=st.sampled_from([50, 10, 3]), seed=st.integers(0, 2**32))
    def crawl_on(self, steps: int, seed: int) -> None:
        """As an engine would: ask, visit, let visits end in one way or another, wait as long as it says.

        Seeded dice rather than choices drawn by Hypothesis, which would rarely get far.
        """
        dice = Random(seed)
        for choice in (dice.randrange(1000) for _ in range(steps)):
            answer = self.ask_and_check()
            self.after_event()
            if isinstance(answer, Exhausted):
                break
            if not choice % 7:
                self.acquire_slot(choice % len(self.model.hosts))
                self.after_event()
            if isinstance(answer, Visit):
                self.now += choice % 3 / 8
                if answer.page >= 0 and not choice % 5:
                    self.keep(answer, choice % 3 / 2)
                elif choice % 4:
                    self.end(answer, choice // 4)
            elif answer.until < inf and choice % 4:
                self.now = answer.until
            elif (visit := self.under_way(choice, lambda _: True)) is not None:
                self.end(visit, choice // 4)
            self.after_event()

    def ask_and_check(self) -> Visit | Wait | Exhausted:
        model, now = self.model, self.now
        model.wake(now)
        if model.is_paused:
            return self.ask_for_a_probe()
        model.observe(now, asked=True)
        answer = self.frontier.next_visit(now)
        if isinstance(answer, Visit):
            self.check_choice(answer)
            model.start(answer, now)
        else:
            first_moment = min((model.earliest(n) for n in range(len(model.hosts))), default=inf)
            assert first_moment > now, "a host may be visited, but the frontier idles"
            anything_under_way = any(host.visit is not None for host in model.hosts)
            if isinstance(answer, Wait):
                assert now < answer.until <= first_moment
                assert anything_under_way or first_moment < inf, "nothing will ever happen again"
            else:
                assert first_moment == inf
                assert not anything_under_way
        self.check_places()
        return answer

    @rule()
    def ask_for_a_lookup(self) -> None:
        """Lookups may be asked for by themselves, ahead of the turn of their hosts."""
        model, now = self.model, self.now
        if model.is_paused:
            return
        model.wake(now)
        visit = self.frontier.next_lookup(now)
        if visit is None:
            assert not any(model.may_start(n) <= now for n, host in enumerate(model.hosts) if not host.is_resolved)
            return
        assert model.may_start(visit.host) <= now
        assert not model.has_name(visit.host, now)
        assert visit == model.expected_visit(visit.host, now)
        since = model.hosts[visit.host].ready_perhaps_since
        self.last_was_overdue = model.is_overdue(since, now)
        model.start(visit, now)

    @rule()
    def ask_for_a_visit_to_a_host_with_a_name(self) -> None:
        model, now = self.model, self.now
        if model.is_paused:
            return
        model.wake(now)
        model.observe(now, asked=True)
        answer = self.frontier.next_visit(now, lookups=False)
        named = [n for n in range(len(model.hosts)) if model.has_name(n, now)]
        if isinstance(answer, Visit):
            assert answer.host in named
            self.check_choice(answer, named)
            model.start(answer, now)
            return
        assert all(model.earliest(n) > now for n in named), "a host may be visited, but the frontier idles"
        if isinstance(answer, Exhausted):
            assert all(model.earliest(n) == inf for n in range(len(model.hosts)))

    def ask_for_a_probe(self) -> Visit | Wait:
        """While paused nothing is visited but the hosts that are to be probed."""
        model, now = self.model, self.now
        probed = next((n for n in self.probes if self.may_be_probed(n)), None)
        answer = self.frontier.next_probe(now)
        if probed is None:
            assert answer is None
            return Wait(now + 1.0)
        assert answer == Visit(probed, -1, HostTask(HostTaskKind.PROBE, probed))
        self.probes.remove(probed)
        model.start(answer, now)
        return answer

    def may_be_probed(self, number: int) -> bool:
        host = self.model.hosts[number]
        opens = self.model.address_opens(host.address)
        return host.visit is None and not host.is_gone and max(host.next_fetch, opens) <= self.now

    @rule(which=some, kept=st.integers(0, 2))
    def network_goes_down(self, which: int, kept: int) -> None:
        model = self.model
        if model.is_paused:
            number = which % len(model.hosts)
            self.frontier.probe(number)
            if number not in self.probes and not model.hosts[number].is_gone:
                self.probes.append(number)
            return
        failing = {n: min(kept, h.failures) for n, h in enumerate(model.hosts) if h.failures and (which + n) % 3}
        self.frontier.pause(failing, self.now)
        model.is_paused = True
        for number, before in failing.items():
            host = model.hosts[number]
            doubted, host.doubted = host.doubted, []
            counted = [model.page_fails(page) for page in doubted]
            if any(counted):
                continue
            if host.failures > before:
                usual = max(model.settings.delay_seconds, host.crawl_delay or 0.0)
                host.next_fetch = min(host.next_fetch, host.next_fetch - host.rest + usual)
                host.rest, host.failures = usual, before
            host.was_dead, host.is_gone = False, False

    @precondition(lambda self: self.model.is_paused)
    @rule()
    def network_comes_back(self) -> None:
        self.frontier.go_on()
        self.model.is_paused, self.probes = False, []

    def check_choice(self, visit: Visit, among: list[int] | None = None) -> None:
        model, now = self.model, self.now
        allowed = [n for n in among or range(len(model.hosts)) if model.earliest(n) <= now]
        if visit.host not in allowed:  # its name has expired: it may be looked up while its address is closed
            assert not model.has_name(visit.host, now)
            assert model.may_start(visit.host) <= now
            allowed.append(visit.host)
        assert visit == model.expected_visit(visit.host, now)
        overdue = [n for n in allowed if model.is_overdue(model.hosts[n].ready_for_sure_since, now)]
        if not model.is_overdue(model.hosts[visit.host].ready_perhaps_since, now):
            late = f"host {visit.host} went before {overdue}, which had waited too long"
            assert self.last_was_overdue or not overdue, late
            assert visit.host == min(allowed, key=model.key), "a more urgent page waited"
        self.last_was_overdue = model.is_overdue(model.hosts[visit.host].ready_perhaps_since, now)

    def check_places(self) -> None:
        model, counts = self.model, self.frontier.counts()
        idle = [(n, h) for n, h in enumerate(model.hosts) if h.visit is None and not h.is_gone and model.has_work(n)]
        assert counts.hosts_ready == sum(h.next_fetch <= self.now for _, h in idle)
        assert counts.hosts_resting == sum(h.next_fetch > self.now for _, h in idle)
        assert self.frontier.closed_hosts().tolist() == [model.is_closed(host) for host in model.hosts]
        assert self.frontier.hosts_given_up().tolist() == [n for n, host in enumerate(model.hosts) if host.is_gone]
        is_busy = any(host.visit is not None for host in model.hosts)
        assert self.frontier.has_only_failing_hosts() == (not is_busy and all(h.failures for _, h in idle))

    # ---- how visits end

    def end(self, visit: Visit, choice: int) -> None:
        seconds, choice = choice % 3 / 2, choice // 3
        asked = self.model.hosts[visit.host]
        if asked.extra_request is not None:
            self.release_slot(asked.extra_request, seconds, choice % 5 / 2)
        elif visit.host_task is None:
            match choice % 8:
                case 0:
                    self.fail(visit, None)
                case 1:
                    self.fail(visit, 7.0)
                case 4 if choice % 3:
                    self.fail(visit, None, is_mild=True)
                case 2 if not asked.is_kept:
                    self.release(visit, is_postponed=choice % 3 == 1)
                case 3:
                    self.abandon(visit)
                case _:
                    self.finish(visit, seconds)
        elif visit.host_task.kind is HostTaskKind.RESOLVE:
            match choice % 8:
                case 0:
                    self.fail(visit, None)
                case 1:
                    self.resolve(visit, None)
                case 2 if choice % 5 == 0:
                    self.hold(visit)
                case _:
                    self.resolve(visit, "ab"[choice % 2], inf if choice % 3 else self.now + choice % 4 * 3)
        elif visit.host_task.kind is HostTaskKind.PROBE:
            if choice % 2:
                self.prove(visit, seconds)
            else:
                self.fail(visit, None)
        elif visit.host_task.kind is HostTaskKind.FILE:
            match choice % 5:
                case 0:
                    self.fail(visit, None)
                case 1:
                    self.release_file(visit)
                case 2:
                    self.abandon(visit)
                case _:
                    self.prove(visit, seconds)
        else:
            match choice % 8:
                case 0 | 1 | 2:
                    host = (visit.host + choice // 8) % len(self.model.hosts)
                    self.end_robots(visit, RobotsMoved(host, "https://elsewhere.example/robots.txt"), seconds)
                case 3:
                    retry_after = 9.0 if choice % 3 else None
                    self.end_robots(visit, RobotsUnreachable(retry_after, choice % 2 == 0), seconds)
                case 4:
                    self.abandon(visit)
                case _:
                    self.end_robots(visit, RobotsKnown(self.now + choice % 5 * 20.0, None), seconds)

    def finish(self, visit: Visit, seconds: float) -> None:
        is_good = visit.page % 5 != 0
        charged = self.frontier.finished(visit, self.now, seconds, is_good=is_good)
        host = self.model.end(visit)
        host.fetched += 1
        if is_good and visit.page != host.good_page:
            host.good_page_before, host.good_page = host.good_page, visit.page
        self.charge(charged, self.model.answered(host, seconds, self.now))

    def prove(self, visit: Visit, seconds: float) -> None:
        charged = self.frontier.proved(visit, self.now, seconds)
        self.charge(charged, self.model.answered(self.model.end(visit), seconds, self.now))

    def charge(self, charged: list[int], expected: list[int]) -> None:
        assert charged == expected
        for page in charged:
            if page % 2:
                self.retry(page, float(page % 9))

    def hold(self, visit: Visit) -> None:
        self.frontier.held(visit, self.now)
        self.model.give_up(self.model.end(visit), self.now)

    def resolve(self, visit: Visit, address: str | None, until: float = inf) -> None:
        self.frontier.resolved(visit, address, self.now, until=until)
        host = self.model.end(visit)
        host.is_resolved, host.resolved_until, host.address = True, until, address

    def end_robots(self, visit: Visit, result: RobotsKnown | RobotsMoved | RobotsUnreachable, seconds: float) -> None:
        self.frontier.robots_fetched(visit, result, self.now, seconds)
        model, host = self.model, self.model.end(visit)
        assert visit.host_task is not None
        owner = model.hosts[visit.host_task.owner]
        owner.robots_pending = False
        if not isinstance(result, RobotsUnreachable) or result.was_heard:
            host.was_heard = True
        if isinstance(result, RobotsUnreachable):
            host.is_resolved = False
            model.robots_unreachable(owner, result.retry_after, self.now)
            if owner is host:
                return
            model.rest(host, min(result.retry_after or 0.0, 40.0), self.now)
        if isinstance(result, RobotsKnown):
            owner.robots_until, owner.crawl_delay = result.until, result.crawl_delay
            owner.robots_unused = True
            owner.failures = owner.failures if owner.doubted else 0
        model.rest_after_answer(host, seconds, self.now)
        if isinstance(result, RobotsMoved):
            task = HostTask(HostTaskKind.ROBOTS, visit.host_task.owner, result.url, visit.host_task.redirects + 1)
            model.send(task, result.host, self.now)

    @rule(which=some, seconds=seconds, retry=maybe)
    def page_is_answered(self, which: int, seconds: float, retry: float | None) -> None:
        if (visit := self.under_way(which, lambda v: v.host_task is None)) is not None:
            self.finish(visit, seconds)
            self.retry(visit.page, retry)

    @rule(which=some, retry_after=maybe, is_mild=st.booleans())
    def host_fails(self, which: int, retry_after: float | None, is_mild: bool) -> None:
        visit = self.under_way(which, lambda v: v.host_task is None or v.host_task.kind is not HostTaskKind.ROBOTS)
        if visit is not None:
            self.fail(visit, retry_after, is_mild=is_mild)

    def fail(self, visit: Visit, retry_after: float | None, *, is_mild: bool = False) -> None:
        self.frontier.failed(visit, self.now, retry_after, is_mild=is_mild)
        model, host = self.model, self.model.end(visit)
        if not is_mild:
            host.is_resolved = False
        counts = not model.is_paused
        if visit.host_task is None:
            counts = model.page_fails(visit.page)
        elif visit.host_task.kind is HostTaskKind.PROBE and counts:
            host.was_dead = True
        if not counts:
            model.rest_after_answer(host, 0.0, self.now)
        elif is_mild and not host.failures:
            host.failures = 1
            model.rest_after_answer(host, 0.0, self.now)
            model.give_up_if_due(host, self.now)
        else:
            model.count_failure(host, retry_after, self.now)

    @rule(which=some, seconds=seconds)
    def probe_or_file_is_answered(self, which: int, seconds: float) -> None:
        kinds = (HostTaskKind.PROBE, HostTaskKind.FILE)
        visit = self.under_way(which, lambda v: v.host_task is not None and v.host_task.kind in kinds)
        if visit is not None:
            self.prove(visit, seconds)

    def retry(self, page: int, after: float | None) -> None:
        if after is not None:
            self.frontier.retry(page, self.now + after)
            host = self.model.hosts[self.model.pages[page].host]
            if page == host.good_page:
                host.good_page, host.good_page_before = host.good_page_before, -1
            self.model.pages[page].state, self.model.pages[page].retry_at = "retry", self.now + after

    @rule(which=some, is_postponed=st.booleans())
    def page_is_not_requested_after_all(self, which: int, is_postponed: bool) -> None:
        hosts = self.model.hosts
        visit = self.under_way(which, lambda v: v.host_task is None and not hosts[v.host].is_kept)
        if visit is not None:
            self.release(visit, is_postponed=is_postponed)

    def release(self, visit: Visit, *, is_postponed: bool = False) -> None:
        model, page = self.model, self.model.pages[visit.page]
        if is_postponed:
            self.frontier.postponed(visit, self.now)
            page.state, page.urgency = "waiting", -inf
        else:
            self.frontier.released(visit, self.now)
            self.released.append(visit.page)
        model.end_unasked(visit)

    @rule(which=some)
    def file_is_not_requested_after_all(self, which: int) -> None:
        visit = self.under_way(which, lambda v: v.host_task is not None and v.host_task.kind is HostTaskKind.FILE)
        if visit is not None:
            self.release_file(visit)

    def release_file(self, visit: Visit) -> None:
        self.frontier.released(visit, self.now)
        self.model.end_unasked(visit)

    @precondition(lambda self: self.released)
    @rule()
    def pages_not_requested_wait_behind(self) -> None:
        pages = [page for page in self.released if self.model.pages[page].state == "taken"]
        self.released.clear()
        self.frontier.wait_behind(pages, self.now)
        for page in pages:
            self.model.pages[page].state, self.model.pages[page].urgency = "waiting", -inf

    # ---- extra requests

    @rule(which=some)
    def host_is_lent(self, which: int) -> None:
        self.model.wake(self.now)
        self.acquire_slot(which % len(self.model.hosts))

    def acquire_slot(self, number: int) -> None:
        model, host, now = self.model, self.model.hosts[number], self.now
        answer = self.frontier.acquire_slot(number, now)
        is_kept = host.is_kept and host.extra_request is None
        opens = max(host.next_fetch, model.address_opens(host.address))
        if host.is_gone:
            assert answer is None
        elif model.is_paused or (host.visit is not None and not is_kept):
            assert answer == Wait(inf)
        elif opens > now:
            assert answer == Wait(opens)
        elif not host.is_resolved and not is_kept:
            assert answer == Visit(number, -1, HostTask(HostTaskKind.RESOLVE, number))
            model.start(answer, now)
        else:
            assert isinstance(answer, Visit)
            assert answer == Visit(number, -1, HostTask(HostTaskKind.EXTRA_REQUEST, number))
            if not is_kept:
                model.start(answer, now)
            elif host.address is not None:
                model.last_start[host.address] = now
            host.extra_request = answer

    @rule(which=some, seconds=seconds, asked=seconds)
    def host_is_given_back(self, which: int, seconds: float, asked: float) -> None:
        if extra_requests := [host.extra_request for host in self.model.hosts if host.extra_request is not None]:
            self.release_slot(extra_requests[which % len(extra_requests)], seconds, asked)

    def release_slot(self, extra_request: Visit, seconds: float, asked: float) -> None:
        model, host = self.model, self.model.hosts[extra_request.host]
        self.frontier.slot_released(extra_request, self.now, seconds, at_least=asked)
        if host.is_kept:
            host.extra_request = None
        else:
            model.end(extra_request)
        model.rest_after_answer(host, seconds, self.now, asked)

    @rule(which=some, seconds=seconds)
    def host_is_kept_for_a_page(self, which: int, seconds: float) -> None:
        if (visit := self.under_way(which, lambda v: v.host_task is None)) is not None:
            self.keep(visit, seconds)

    def keep(self, visit: Visit, seconds: float) -> None:
        self.frontier.kept(visit, self.now, seconds)
        self.model.hosts[visit.host].is_kept = True
        self.model.rest_after_answer(self.model.hosts[visit.host], seconds, self.now)

    @rule(which=some)
    def visit_that_keeps_a_lent_host_is_broken_off(self, which: int) -> None:
        hosts = [host for host in self.model.hosts if host.is_kept and host.extra_request is not None]
        if hosts:
            host = hosts[which % len(hosts)]
            assert host.visit is not None
            assert host.extra_request is not None
            extra_request, number = host.extra_request, host.visit.host
            self.abandon(host.visit)
            known = self.frontier.politeness_of(number)
            self.frontier.slot_released(extra_request, self.now, 1.0)
            assert self.frontier.politeness_of(number) == known

    @rule(which=some)
    def visit_is_broken_off(self, which: int) -> None:
        if (visit := self.under_way(which, lambda _: True)) is not None:
            self.abandon(visit)

    def abandon(self, visit: Visit) -> None:
        self.frontier.abandoned(visit, self.now)
        host = self.model.end(visit)
        self.model.rest_after_answer(host, 0.0, self.now)
        if visit.host_task is None:
            self.model.pages[visit.page].state = "waiting"
        elif visit.host_task.url and visit.host_task.kind is HostTaskKind.ROBOTS:
            self.model.send(visit.host_task, visit.host, self.now)

    @rule(which=some, address=st.sampled_from([None, "a", "b"]))
    def name_is_resolved(self, which: int, address: str | None) -> None:
        visit = self.under_way(which, lambda v: v.host_task is not None and v.host_task.kind is HostTaskKind.RESOLVE)
        if visit is not None:
            self.resolve(visit, address)

    @rule(
        which=some,
        seconds=seconds,
        result=st.one_of(
            st.builds(RobotsKnown, long_seconds, maybe),
            st.builds(RobotsMoved, some, st.just("https://elsewhere.example/robots.txt")),
            st.builds(RobotsUnreachable, maybe, st.booleans()),
        ),
    )
    def robots_are_answered(self, which: int, seconds: float, result: Any) -> None:
        visit = self.under_way(which, lambda v: v.host_task is not None and v.host_task.kind is HostTaskKind.ROBOTS)
        if visit is None:
            return
        if isinstance(result, RobotsKnown):
            result = RobotsKnown(self.now + result.until, result.crawl_delay)
        elif isinstance(result, RobotsMoved):
            result = RobotsMoved(result.host % len(self.model.hosts), result.url)
        self.end_robots(visit, result, seconds)

    # ---- re-orderings and restarts

    @precondition(lambda self: self.snapshot is None)
    @rule()
    def begin_reordering(self) -> None:
        self.snapshot = self.frontier.begin_reordering()
        pages = self.model.pages
        waiting = {p for p, page in enumerate(pages) if page.state == "waiting" and page.urgency != -inf}
        stranded = {p for p, page in enumerate(pages) if self.model.is_closed(self.model.hosts[page.host])}
        assert waiting <= set(self.snapshot.pages.tolist())
        assert set(self.snapshot.pages.tolist()) <= waiting | stranded
        assert self.snapshot.hosts.tolist() == [pages[p].host for p in self.snapshot.pages.tolist()]

    @precondition(lambda self: self.snapshot is not None)
    @rule(new=st.one_of(st.none(), st.lists(urgencies, min_size=1, max_size=10)))
    def install_reordering(self, new: list[float] | None) -> None:
        assert self.snapshot is not None
        pages = self.snapshot.pages.tolist()
        urgency = None if new is None else np.array([new[p % len(new)] for p in pages], float)
        self.frontier.install(self.snapshot.sorted(urgency), self.now)
        if urgency is not None:
            for page, value in zip(pages, urgency.tolist(), strict=True):
                if self.model.pages[page].urgency != -inf:
                    self.model.pages[page].urgency = value
        self.snapshot = None

    @precondition(lambda self: len(self.model.pages) > 20)
    @rule()
    def restart(self) -> None:
        """Restore a new frontier from what a store keeps; pages under way or to be retried wait."""
        old, model = self.frontier, self.model
        self.frontier, self.snapshot = self.new_frontier(), None
        model.is_paused, self.probes, self.released = False, [], []
        model.last_start.clear()
        for number, host in enumerate(model.hosts):
            self.frontier.add_host(old.politeness_of(number))
            if host.robots_until > self.now:
                self.frontier.restore_robots(number, host.robots_until, host.crawl_delay)
            else:
                host.robots_until, host.crawl_delay = -inf, None
            if host.visit is not None and host.visit.host_task is None:
                model.pages[host.visit.page].state = "waiting"
            host.visit, host.is_resolved, host.address = None, False, None
            host.is_kept, host.extra_request = False, None
            host.was_heard = host.fetched > 0
            host.tasks, host.files, host.robots_pending, host.robots_unused = [], [], False, False
            host.doubted, host.was_dead, host.was_doubted, host.retried_last = [], False, False, False
            host.good_page_before = -1
            if host.good_page >= 0:
                self.frontier.restore_good_pages(np.array([number]), np.array([host.good_page]))
            host.ready_perhaps_since = host.ready_for_sure_since = None
        waiting = [p for p, page in enumerate(model.pages) if page.state != "taken"]
        for p in waiting:
            model.pages[p].state, model.pages[p].retry_at = "waiting", inf
        self.frontier.add(
            np.array(waiting, np.int32),
            np.array([model.pages[p].host for p in waiting], np.int32),
            np.array([model.pages[p].urgency for p in waiting], float),
            self.now,
        )

    # ---- what is always so

    @invariant()
    def after_event(self) -> None:
        if not hasattr(self, "model"):
            return
        self.model.observe(self.now, asked=False)
        self.check_counts()

    def check_counts(self) -> None:
        model, counts = self.model, self.frontier.counts()
        left = [page for page in model.pages if page.state != "taken"]
        stranded = [page for page in left if model.is_closed(model.hosts[page.host])]
        assert counts.waiting == len(left)
        assert counts.stranded == len(stranded)
        retrying = [page for page in left if page.state in ("retry", "doubted") and page not in stranded]
        assert counts.retrying == len(retrying)
        assert counts.in_flight == self.frontier.in_flight == sum(h.visit is not None for h in model.hosts)
        assert counts.hosts_busy == counts.in_flight
        assert counts.hosts == len(model.hosts)
        assert counts.hosts_given_up == sum(h.is_gone for h in model.hosts)
        for number, host in enumerate(model.hosts):
            kept = self.frontier.politeness_of(number)
            assert kept.next_fetch == host.next_fetch
            assert (kept.failures, kept.fetched, kept.given_up) == (host.failures, host.fetched, host.is_gone)


class FrontierWithBulkAdds(FrontierBesideModel):
    """Every addition of four pages or more takes the way of the bulk ones."""

    def __init__(self) -> None:
        super().__init__()
        self._patch = patch.object(waiting_pages, "_BULK", 4)
        self._patch.start()

    def teardown(self) -> None:
        self._patch.stop()


FrontierBesideModel.TestCase.settings = hypothesis.settings(max_examples=rounds(75, 300), stateful_step_count=30)
FrontierWithBulkAdds.TestCase.settings = hypothesis.settings(max_examples=rounds(25, 100), stateful_step_count=30)
TestFrontierBesideModel = FrontierBesideModel.TestCase
TestFrontierWithBulkAdds = FrontierWithBulkAdds.TestCase


@pytest.mark.parametrize("seed", range(40))
def test_long_crawls_in_which_anything_may_happen_keep_step_with_the_model(seed: int) -> None:
    """The same machine driven by dice: Hypothesis finds short failures, this finds what takes hundreds of visits."""
    dice = Random(seed)
    machine = FrontierBesideModel()
    settings = PolitenessSettings(
        delay_seconds=dice.choice([0.0, 1.0]),
        delay_factor=dice.choice([0.0, 10.0]),
        address_delay_seconds=dice.choice([0.0, 0.25, 3.0]),
        address_connections=dice.choice([1, 2, 8]),
        backoff_seconds=dice.choice([0.0, 4.0]),
        max_backoff_seconds=32.0,
        max_retry_after_seconds=40.0,
        give_up_after_failures=dice.choice([3, 100, 100]),
        give_up_unheard_after_failures=dice.choice([2, 100, 100]),
    )
    patience, limit = dice.choice([0.0, 6.0, 1000.0]), dice.choice([None, None, None, 6])
    machine.begin(settings, patience, limit, dice.randint(2, 7), dice.random() < 0.8)
    for _ in range(60):
        machine.crawl_on(dice.randint(1, 30), dice.randrange(2**32))
        match dice.randrange(12):
            case 0 | 1 | 2 | 3:
                machine.add_pages([(dice.randrange(8), float(dice.randint(-3, 3))) for _ in range(8)])
            case 4 | 5 if machine.snapshot is None:
                machine.begin_reordering()
            case 4 | 5 | 6 if machine.snapshot is not None:
                machine.install_reordering([float(dice.randint(-3, 3)) for _ in range(7)])
            case 7:
                machine.time_passes(float(dice.randint(0, 60)))
            case 8:
                machine.add_host(dice.random() < 0.5, dice.choice([None, 5.0]))
            case 9 if dice.random() < 0.2:
                machine.restart()
            case 10 | 11:
                machine.file_is_wanted(dice.randrange(10**6))
        machine.after_event()
