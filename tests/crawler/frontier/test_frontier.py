"""The frontier by example; test_frontier_machine.py holds it against a model."""

from __future__ import annotations

import heapq
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from types import FrameType
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from hinterland.crawler.frontier import waiting_pages
from hinterland.crawler.frontier.frontier import Frontier
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
from hinterland.crawler.settings import PolitenessSettings

FOREVER = 1e12
ELSEWHERE = "https://elsewhere.example/robots.txt"


@dataclass(slots=True)
class Bench:
    """A frontier, its clock, and how many pages it was given.

    The hosts made by `host` have a robots.txt that is known; their names are resolved once, in passing.
    """

    frontier: Frontier
    now: float = 1000.0
    pages: int = 0
    starts: list[tuple[float, Visit]] = field(default_factory=list)
    addresses: dict[int, str | None] = field(default_factory=dict)

    def host(self, address: str | None = None, politeness: HostPoliteness | None = None) -> int:
        host = self.new_host(politeness)
        self.frontier.restore_robots(host, FOREVER, None)
        self.addresses[host] = address
        return host

    def new_host(self, politeness: HostPoliteness | None = None) -> int:
        return self.frontier.add_host(politeness)

    def add(self, host: int, *urgencies: float) -> list[int]:
        pages = list(range(self.pages, self.pages + len(urgencies)))
        self.pages += len(urgencies)
        hosts = np.full(len(pages), host, np.int32)
        self.frontier.add(np.array(pages, np.int32), hosts, np.array(urgencies, float), self.now)
        return pages

    def ask(self) -> Visit | Wait | Exhausted:
        answer = self.frontier.next_visit(self.now)
        while isinstance(answer, Visit) and (task := answer.host_task) and task.kind is HostTaskKind.RESOLVE:
            if answer.host not in self.addresses:
                break
            self.frontier.resolved(answer, self.addresses.pop(answer.host), self.now)
            answer = self.frontier.next_visit(self.now)
        return answer

    def visit(self) -> Visit:
        """The visit that is allowed now, or as soon as the frontier says."""
        answer = self.ask()
        if isinstance(answer, Wait):
            assert self.now < answer.until < inf
            self.now = answer.until
            answer = self.ask()
        assert isinstance(answer, Visit), answer
        self.starts.append((self.now, answer))
        return answer

    def finish(self, visit: Visit, seconds: float = 0.0) -> None:
        self.frontier.finished(visit, self.now, seconds)

    def task(self, kind: HostTaskKind) -> Visit:
        visit = self.visit()
        assert visit.host_task is not None
        assert visit.host_task.kind is kind
        return visit

    def robots(self, visit: Visit, result: RobotsKnown | RobotsMoved | RobotsUnreachable) -> None:
        self.frontier.robots_fetched(visit, result, self.now, 0.0)

    def fetch_all(self) -> list[int]:
        """Pages in the order of their visits, each answered at once."""
        pages = []
        while not isinstance(self.ask_again_when_told(), Exhausted):
            _, visit = self.starts[-1]
            self.finish(visit)
            pages.append(visit.page)
        return pages

    def ask_again_when_told(self) -> Visit | Exhausted:
        answer = self.ask()
        while isinstance(answer, Wait):
            assert self.now < answer.until < inf
            self.now = answer.until
            answer = self.ask()
        if isinstance(answer, Visit):
            self.starts.append((self.now, answer))
        return answer


def bench(
    *,
    max_pages_per_host: int | None = None,
    luck: float = 0.0,
    robots_retry_seconds: float = 60.0,
    max_ready_seconds: float = 60.0,
    **settings: Any,
) -> Bench:
    return Bench(
        Frontier(
            PolitenessSettings(**({"address_delay_seconds": 0.0} | settings)),
            random=lambda: luck,
            max_pages_per_host=max_pages_per_host,
            robots_retry_seconds=robots_retry_seconds,
            max_ready_seconds=max_ready_seconds,
        )
    )


# --- one host -----------------------------------------------------------------------------------


def test_an_empty_frontier_is_exhausted() -> None:
    assert bench().ask() == Exhausted()


def test_a_host_is_resolved_and_its_robots_txt_read_before_its_first_page() -> None:
    b = bench()
    host = b.new_host()
    [page] = b.add(host, 1.0)
    b.frontier.resolved(b.task(HostTaskKind.RESOLVE), "192.0.2.1", b.now)
    robots = b.task(HostTaskKind.ROBOTS)
    assert robots == Visit(host, -1, HostTask(HostTaskKind.ROBOTS, host))
    b.robots(robots, RobotsKnown(FOREVER))
    assert b.visit() == Visit(host, page)


def test_a_host_rests_between_its_visits_the_first_task_included() -> None:
    b = bench(delay_seconds=2.0)
    b.add(b.new_host(), 1.0)
    b.frontier.resolved(b.task(HostTaskKind.RESOLVE), None, b.now)
    b.robots(b.task(HostTaskKind.ROBOTS), RobotsKnown(FOREVER))
    assert b.ask() == Wait(b.now + 2.0)


def test_a_slow_host_rests_a_multiple_of_its_answer() -> None:
    b = bench(delay_seconds=1.0, delay_factor=10.0, max_delay_seconds=30.0)
    b.add(b.host(), 1.0, 1.0, 1.0)
    b.finish(b.visit(), seconds=0.5)
    assert b.ask() == Wait(b.now + 5.0)
    b.finish(b.visit(), seconds=100.0)
    assert b.ask() == Wait(b.now + 30.0)


def test_a_crawl_delay_is_kept() -> None:
    b = bench(delay_seconds=1.0)
    host = b.host()
    b.frontier.restore_robots(host, FOREVER, 20.0)
    b.add(host, 1.0, 1.0)
    b.finish(b.visit())
    assert b.ask() == Wait(b.now + 20.0)


def test_a_host_has_one_visit_at_a_time_however_long_it_takes() -> None:
    b = bench()
    b.add(b.host(), 1.0, 1.0)
    visit = b.visit()
    b.now += 10_000
    assert b.ask() == Wait(inf)
    b.finish(visit)
    assert b.ask() == Wait(b.now + 1.0)


def test_pages_go_by_urgency_and_among_equals_by_discovery() -> None:
    b = bench()
    b.add(b.host(), 1.0, 3.0, 2.0, 3.0)
    assert b.fetch_all() == [1, 3, 2, 0]


def test_robots_txt_is_read_again_when_it_has_expired() -> None:
    b = bench()
    host = b.host()
    b.frontier.restore_robots(host, b.now + 10.0, None)
    b.add(host, 1.0, 1.0)
    b.finish(b.visit())
    b.now += 10.0
    assert b.visit().host_task == HostTask(HostTaskKind.ROBOTS, host)


def test_a_robots_txt_that_expires_while_its_host_rests_still_serves_one_page() -> None:
    b = bench(delay_seconds=30.0)
    host = b.host()
    b.frontier.restore_robots(host, -inf, None)
    b.add(host, 1.0, 1.0)
    kinds = []
    for _ in range(4):
        visit = b.visit()
        kinds.append("page" if visit.host_task is None else "robots")
        if visit.host_task is None:
            b.finish(visit)
        else:
            b.robots(visit, RobotsKnown(b.now + 5.0))
    assert kinds == ["robots", "page", "robots", "page"]


def test_a_released_page_costs_no_rest() -> None:
    b = bench()
    b.add(b.host(), 2.0, 1.0)
    b.frontier.released(b.visit(), b.now)
    assert isinstance(b.ask(), Visit)


def test_a_page_that_is_not_asked_for_does_not_make_its_address_rest() -> None:
    b = bench(address_delay_seconds=5.0, delay_seconds=0.0, delay_factor=0.0)
    host = b.host("10.0.0.1")
    b.add(host, 4.0, 3.0, 2.0, 1.0)
    b.frontier.released(b.visit(), b.now)
    now = b.now
    b.frontier.postponed(b.visit(), b.now)
    b.finish(b.visit())
    assert b.now == now
    b.visit()
    assert b.now == now + 5.0


def test_a_postponed_page_is_visited_when_nothing_else_of_its_host_waits() -> None:
    b = bench()
    host = b.host()
    [first, second, third] = b.add(host, 3.0, 2.0, 1.0)
    b.frontier.postponed(b.visit(), b.now)
    assert b.frontier.is_behind(first)
    assert b.frontier.counts().waiting == 3
    order = []
    for _ in range(3):
        visit = b.visit()
        order.append(visit.page)
        b.frontier.released(visit, b.now)
    assert order == [second, third, first]
    b.frontier.wait_behind([third], b.now)
    assert b.visit().page == third


def test_a_withdrawn_page_costs_no_rest_and_may_be_added_again() -> None:
    b = bench()
    host = b.host()
    [page, other] = b.add(host, 2.0, 1.0)
    b.frontier.withdrawn(b.visit(), b.now)
    assert b.frontier.counts().waiting == 1
    b.frontier.add(np.array([page], np.int32), np.array([host], np.int32), np.array([0.5]), b.now)
    assert b.fetch_all() == [other, page]


def test_a_host_is_failing_until_it_answers_and_when_it_is_given_up() -> None:
    b = bench(give_up_after_failures=2)
    host = b.host(politeness=HostPoliteness(fetched=1))
    b.add(host, *[1.0] * 5)
    seen = [b.frontier.is_failing(host)]
    for is_answered in (False, True, False, False):
        visit = b.visit()
        if is_answered:
            b.finish(visit)
        else:
            b.frontier.failed(visit, b.now)
            b.addresses[host] = None
        seen.append(b.frontier.is_failing(host))
    assert seen == [False, True, False, True, True]
    assert b.frontier.counts().hosts_given_up == 1


def test_an_abandoned_page_waits_again_and_its_host_rests() -> None:
    b = bench()
    [page, _] = b.add(b.host(), 2.0, 1.0)
    b.frontier.abandoned(b.visit(), b.now)
    assert b.ask() == Wait(b.now + 1.0)
    assert b.visit().page == page


def test_a_page_to_be_retried_waits_until_then_and_others_do_not_wait_for_it() -> None:
    b = bench()
    [first, second] = b.add(b.host(), 2.0, 1.0)
    visit = b.visit()
    b.finish(visit)
    b.frontier.retry(first, b.now + 60.0)
    assert b.frontier.counts().retrying == 1
    visit = b.visit()
    assert visit.page == second
    b.finish(visit)
    assert b.ask() == Wait(1000.0 + 60.0)
    assert b.visit().page == first


def test_a_visit_ends_once() -> None:
    b = bench()
    b.add(b.host(), 1.0)
    visit = b.visit()
    b.finish(visit)
    with pytest.raises(ValueError, match="no visit to host 0 is under way"):
        b.finish(visit)


# --- failures -----------------------------------------------------------------------------------


def test_a_failing_host_backs_off_and_holds_up_nobody() -> None:
    b = bench(backoff_seconds=5.0)
    bad, good = b.host(), b.host()
    b.add(bad, 9.0, 9.0)
    b.add(good, 1.0, 1.0)
    b.frontier.failed(b.visit(), b.now)
    visit = b.visit()
    assert (visit.host, b.now) == (good, 1000.0)
    b.finish(visit)
    assert b.visit().host == good
    b.finish(b.starts[-1][1])
    assert b.ask() == Wait(1005.0)


def test_retry_after_is_waited_for() -> None:
    b = bench()
    b.add(b.host(), 1.0, 1.0)
    b.frontier.failed(b.visit(), b.now, retry_after=90.0)
    assert b.ask() == Wait(b.now + 90.0)


def test_jitter_keeps_hosts_that_fell_together_apart() -> None:
    b = bench(luck=0.5, backoff_seconds=10.0)
    b.add(b.host(), 1.0, 1.0)
    b.frontier.failed(b.visit(), b.now)
    assert b.ask() == Wait(b.now + 11.0)


def test_an_answer_clears_the_failures() -> None:
    b = bench(backoff_seconds=5.0, give_up_after_failures=2)
    b.add(b.host(politeness=HostPoliteness(fetched=1)), *[1.0] * 4)
    for _ in range(2):
        b.frontier.failed(b.visit(), b.now)
        b.addresses[0] = None
        b.finish(b.visit())
    assert b.frontier.counts().hosts_given_up == 0


def test_a_host_that_failed_too_often_in_a_row_is_given_up_and_its_pages_stay() -> None:
    b = bench(give_up_after_failures=3)
    host = b.host(politeness=HostPoliteness(fetched=1))
    b.add(host, *[1.0] * 5)
    for _ in range(3):
        b.frontier.failed(b.visit(), b.now)
        b.addresses[host] = None
    assert b.ask() == Exhausted()
    counts = b.frontier.counts()
    assert (counts.hosts_given_up, counts.waiting, counts.stranded) == (1, 5, 5)
    assert b.frontier.politeness_of(host).given_up


def test_a_host_never_heard_of_is_given_up_sooner() -> None:
    b = bench(give_up_after_failures=8, give_up_unheard_after_failures=2)
    b.add(b.new_host(), 1.0)
    for _ in range(2):
        b.frontier.failed(b.task(HostTaskKind.RESOLVE), b.now)
    assert b.ask() == Exhausted()


def test_a_failed_host_is_resolved_again() -> None:
    b = bench()
    b.add(b.host(), 1.0, 1.0)
    b.frontier.failed(b.visit(), b.now)
    b.task(HostTaskKind.RESOLVE)


def test_pages_that_are_due_again_take_turns_with_those_never_tried() -> None:
    b = bench(delay_seconds=0.0)
    pages = b.add(b.host(), *[9.0] * 3, *[1.0] * 5)
    for _ in pages[:3]:
        b.finish(b.visit())
    for page in pages[:3]:
        b.frontier.retry(page, b.now)
    order = []
    for _ in range(8):
        order.append(b.visit().page)
        b.finish(b.starts[-1][1])
    assert order == [0, 3, 1, 4, 2, 5, 6, 7]
    assert b.ask() == Exhausted()


def test_a_host_that_fails_is_asked_for_other_pages_and_then_for_one_that_it_answered() -> None:
    b = bench(delay_seconds=0.0)
    host = b.host()
    good, first, second, third = b.add(host, 9.0, 3.0, 2.0, 1.0)
    b.finish(b.visit())
    for page in (first, second):
        visit = b.visit()
        assert visit.page == page
        b.frontier.failed(visit, b.now, is_mild=True)
    probe = b.task(HostTaskKind.PROBE)
    assert probe.host_task == HostTask(HostTaskKind.PROBE, host, page=good)
    assert b.frontier.proved(probe, b.now, 0.0) == [first, second], "the failures are their own"
    assert b.visit().page == third


def test_a_page_that_must_be_requested_again_does_not_show_whether_its_host_works() -> None:
    b = bench(delay_seconds=0.0)
    good, corrupt, failing = b.add(b.host(), 9.0, 3.0, 2.0)
    for _ in (good, corrupt):
        b.finish(b.visit())
    b.frontier.retry(corrupt, b.now)
    for _ in (corrupt, failing):
        b.frontier.failed(b.visit(), b.now, is_mild=True)
    probe = b.task(HostTaskKind.PROBE)
    assert probe.host_task is not None
    assert probe.host_task.page == good
    assert b.frontier.proved(probe, b.now, 0.0) == [corrupt, failing]


def test_a_host_that_fails_the_page_it_had_answered_has_used_up_no_page() -> None:
    b = bench(delay_seconds=0.0)
    pages = b.add(b.host(), 9.0, 3.0, 2.0)
    b.finish(b.visit())
    for _ in range(2):
        b.frontier.failed(b.visit(), b.now, is_mild=True)
    b.frontier.failed(b.task(HostTaskKind.PROBE), b.now, is_mild=True)
    assert b.frontier.proved(b.task(HostTaskKind.PROBE), b.now, 0.0) == []
    assert b.fetch_all() == pages[1:]


def test_while_the_network_is_down_only_probes_are_made_and_no_failure_counts() -> None:
    b = bench(delay_seconds=1.0, give_up_after_failures=2, backoff_seconds=50.0)
    host, other = b.host(), b.host()
    b.add(host, 9.0, 8.0, 7.0)
    b.add(other, 1.0)
    b.finish(b.visit())
    b.now += 1.0
    for _ in range(2):
        b.addresses[host] = None
        visit = b.visit() if b.now > 1001.0 else b.ask()
        assert isinstance(visit, Visit)
        b.frontier.failed(visit, b.now)
        b.now += 60.0
    assert b.frontier.counts().hosts_given_up == 1
    b.frontier.pause({host: 0}, b.now)
    assert b.frontier.counts().hosts_given_up == 0
    assert b.frontier.next_probe(b.now) is None
    b.frontier.probe(host)
    for _ in range(5):
        probe = b.frontier.next_probe(b.now)
        assert probe == Visit(host, -1, HostTask(HostTaskKind.PROBE, host))
        b.frontier.failed(probe, b.now)
        b.frontier.probe(host)
        assert b.frontier.next_probe(b.now) is None, "the host rests as after an answer"
        b.now += 1.0
    assert b.frontier.politeness_of(host).failures == 0
    b.frontier.go_on()
    counts = b.frontier.counts()
    assert (counts.waiting, counts.stranded, counts.hosts_given_up) == (3, 0, 0)


@pytest.mark.parametrize("closed_by", ["failures", "limit"])
def test_a_retry_at_a_closed_host_keeps_no_crawl_waiting(closed_by: str) -> None:
    b = bench(max_pages_per_host=1, give_up_after_failures=1)
    [page] = b.add(b.host(), 1.0)
    visit = b.visit()
    if closed_by == "limit":
        b.finish(visit)
        b.frontier.retry(page, b.now + 60.0)
    else:
        b.frontier.failed(visit, b.now)
    counts = b.frontier.counts()
    assert (counts.waiting, counts.stranded, counts.retrying) == (1, 1, 0)
    assert b.ask() == Exhausted()


def test_a_host_at_its_page_limit_is_left_alone() -> None:
    b = bench(max_pages_per_host=2)
    full, other = b.host(), b.host()
    b.add(full, *[9.0] * 5)
    b.add(other, 1.0)
    assert Counter(visit.host for visit in _visits(b)) == {full: 2, other: 1}
    assert b.frontier.counts().stranded == 3


def _visits(b: Bench) -> list[Visit]:
    b.fetch_all()
    return [visit for _, visit in b.starts]


# --- robots.txt that is elsewhere, or nowhere ---------------------------------------------------


def with_robots_wanted(b: Bench) -> tuple[int, Visit]:
    """A host with two pages, and the visit to its robots.txt."""
    host = b.host()
    b.frontier.restore_robots(host, -inf, None)
    b.add(host, 1.0, 1.0)
    return host, b.task(HostTaskKind.ROBOTS)


def test_a_robots_txt_that_moved_is_read_at_its_new_host_first_of_all() -> None:
    b = bench()
    other = b.host()
    b.add(other, 9.0)
    b.finish(b.visit())
    owner, visit = with_robots_wanted(b)
    b.robots(visit, RobotsMoved(other, ELSEWHERE))
    b.add(other, 99.0)
    visit = b.visit()
    assert visit == Visit(other, -1, HostTask(HostTaskKind.ROBOTS, owner, ELSEWHERE, 1))
    b.robots(visit, RobotsKnown(FOREVER))
    assert {visit.page for visit in (b.visit(), b.visit())} == {1, 3}


def test_the_pages_of_the_owner_wait_for_a_robots_txt_that_moved() -> None:
    b = bench()
    other = b.host()
    _, visit = with_robots_wanted(b)
    b.robots(visit, RobotsMoved(other, ELSEWHERE))
    b.visit()
    b.now += 100.0
    assert b.ask() == Wait(inf)


@pytest.mark.parametrize("moved_to_itself", [False, True])
def test_a_robots_txt_that_moved_does_not_wait_behind_files_that_wait_for_it(moved_to_itself: bool) -> None:
    b = bench()
    owner, visit = with_robots_wanted(b)
    other, others_visit = with_robots_wanted(b)
    for host in (owner, other):
        b.frontier.ask_file(host, f"http://{host}.test/map.xml", b.now, "sitemaps")
    b.robots(visit, RobotsMoved(owner if moved_to_itself else other, ELSEWHERE))
    b.robots(others_visit, RobotsMoved(other if moved_to_itself else owner, ELSEWHERE))
    for _ in range(2):
        b.robots(b.task(HostTaskKind.ROBOTS), RobotsKnown(FOREVER))
    assert {b.task(HostTaskKind.FILE).host, b.task(HostTaskKind.FILE).host} == {owner, other}


def test_files_of_a_feature_are_requested_in_order_once_robots_txt_is_known() -> None:
    b = bench()
    owner, visit = with_robots_wanted(b)
    urls = [f"http://a.test/{number}" for number in range(3)]
    for url in urls:
        b.frontier.ask_file(owner, url, b.now, "sitemaps")
    b.robots(visit, RobotsUnreachable(None, was_heard=True))
    b.frontier.resolved(b.task(HostTaskKind.RESOLVE), None, b.now)
    b.robots(b.task(HostTaskKind.ROBOTS), RobotsKnown(FOREVER))
    for url in urls:
        visit = b.task(HostTaskKind.FILE)
        assert visit.host_task is not None
        assert visit.host_task.url == url
        b.frontier.proved(visit, b.now, 0.0)


def test_a_task_broken_off_is_done_later() -> None:
    for mover_is_owner in (False, True):
        b = bench()
        other = b.host()
        owner, visit = with_robots_wanted(b)
        b.robots(visit, RobotsMoved(owner if mover_is_owner else other, ELSEWHERE))
        visit = b.visit()
        b.frontier.abandoned(visit, b.now)
        assert b.visit() == visit


def test_a_robots_txt_that_moved_to_a_host_given_up_is_unreachable() -> None:
    b = bench(robots_retry_seconds=60.0)
    gone = b.host(politeness=HostPoliteness(given_up=True))
    owner, visit = with_robots_wanted(b)
    b.robots(visit, RobotsMoved(gone, ELSEWHERE))
    assert b.ask() == Wait(b.now + 60.0)
    assert b.visit().host_task == HostTask(HostTaskKind.ROBOTS, owner)


def test_tasks_at_a_host_that_is_given_up_fail() -> None:
    b = bench(give_up_after_failures=1, give_up_unheard_after_failures=1)
    other = b.new_host()
    b.add(other, 1.0)
    resolve = b.task(HostTaskKind.RESOLVE)
    owner, visit = with_robots_wanted(b)
    b.robots(visit, RobotsMoved(other, ELSEWHERE))
    b.frontier.failed(resolve, b.now)
    assert b.frontier.counts().hosts_given_up == 2  # the owner, too: one failure was enough
    assert b.ask() == Exhausted()
    assert b.frontier.politeness_of(owner).failures == 1


def test_an_unreachable_robots_txt_is_asked_for_again_after_ever_longer_rests() -> None:
    b = bench(robots_retry_seconds=60.0, backoff_seconds=5.0, max_backoff_seconds=150.0)
    _, visit = with_robots_wanted(b)
    rests = []
    for _ in range(4):
        b.robots(visit, RobotsUnreachable(was_heard=True))
        b.addresses[visit.host], started = None, b.now
        visit = b.task(HostTaskKind.ROBOTS)
        rests.append(b.now - started)
    assert rests == [60.0, 120.0, 150.0, 150.0]


def test_retry_after_on_a_moved_robots_txt_binds_both_hosts() -> None:
    b = bench()
    other = b.host()
    _, visit = with_robots_wanted(b)
    b.add(other, 1.0)
    b.robots(visit, RobotsMoved(other, ELSEWHERE))
    b.robots(b.task(HostTaskKind.ROBOTS), RobotsUnreachable(retry_after=300.0, was_heard=True))
    assert b.ask() == Wait(b.now + 300.0)


def test_a_robots_txt_that_moves_in_a_circle_can_be_followed_and_ended() -> None:
    b = bench()
    a, other = with_robots_wanted(b)[0], b.host()
    visit = b.starts[-1][1]
    for target in (other, a, other, a):
        b.robots(visit, RobotsMoved(target, ELSEWHERE))
        visit = b.visit()
        assert visit.host == target
    assert visit.host_task is not None
    assert visit.host_task.redirects == 4
    b.robots(visit, RobotsKnown(FOREVER))
    assert b.visit().host_task is None


# --- many hosts ---------------------------------------------------------------------------------


def test_the_host_with_the_most_urgent_page_goes_first() -> None:
    b = bench()
    for urgencies in ([1.0, 8.0], [5.0], [7.0, 2.0]):
        b.add(b.host(), *urgencies)
    assert [b.visit().page for _ in range(3)] == [1, 3, 2]


def test_a_more_urgent_page_found_later_moves_its_host_to_the_front() -> None:
    b = bench()
    low, high = b.host(), b.host()
    b.add(low, 1.0)
    b.add(high, 2.0)
    [page] = b.add(low, 3.0)
    assert b.visit() == Visit(low, page)


def test_hosts_ready_for_too_long_get_every_other_visit_the_longest_ready_first() -> None:
    b = bench(max_ready_seconds=60.0)
    for urgency in (0.0, 0.0, 9.0):
        b.add(b.new_host(), urgency)
        b.now += 1.0
    b.now += 58.5  # the first two have been ready for more than a minute, the third has not
    assert [b.visit().host for _ in range(3)] == [0, 2, 1]
    b.add(b.new_host(), 1.0)
    b.add(b.new_host(), 2.0)
    assert [b.visit().host for _ in range(2)] == [4, 3]


def test_the_order_keeps_half_of_the_visits_where_all_hosts_wait_too_long() -> None:
    b = bench(max_ready_seconds=1.0)
    for urgency in range(8):
        b.add(b.new_host(), float(urgency))
        b.now += 0.125
    b.now += 60.0
    assert [b.visit().host for _ in range(8)] == [0, 7, 1, 6, 2, 5, 3, 4]


def test_of_hosts_kept_too_long_by_their_address_the_longest_ready_goes_first() -> None:
    b = bench(max_ready_seconds=10.0, address_connections=1)
    busy, late, early = (b.host("192.0.2.1") for _ in range(3))
    b.add(busy, 9.0)
    visit = b.visit()
    for host in (early, late):
        b.add(host, 1.0)
        assert b.ask() == Wait(inf)
        b.now += 1.0
    b.now += 60.0
    assert b.ask() == Wait(inf)
    b.finish(visit)
    assert b.visit().host == early


def test_each_host_that_is_closed_is_counted_once() -> None:
    b = Bench(Frontier(PolitenessSettings(give_up_after_failures=1), random=lambda: 0.0, max_pages_per_host=2))
    full, lost = b.host(), b.host()
    b.add(full, 1.0, 1.0, 1.0)
    for closings in (0, 1):
        b.finish(b.visit())
        assert b.frontier.closings == closings
    b.add(lost, 1.0)
    b.frontier.failed(b.visit(), b.now)
    assert b.frontier.closings == 2
    assert b.frontier.closed_hosts().tolist() == [True, True]
    assert b.frontier.hosts_given_up().tolist() == [lost]


def test_no_host_starves_beside_hosts_that_always_have_something_more_urgent() -> None:
    """Twenty busy hosts could take all of the one visit at a time; a dull one gets its share."""
    b = bench(delay_seconds=1.0, max_ready_seconds=10.0)
    dull = b.host()
    b.add(dull, *[0.0] * 5)
    for _ in range(20):
        b.add(b.host(), *[9.0] * 60)
    for _ in range(400):
        visit = b.visit()
        b.now += 0.25
        b.finish(visit)
    times = [time for time, visit in b.starts if visit.host == dull]
    first, *gaps = np.diff([1000.0, *times]).tolist()
    assert len(times) == 5
    assert max(gaps) <= 1.0 + 10.0 + 20 * 0.25
    assert first <= 2 * (10.0 + 20 * 0.25)  # its name had to be resolved before, which is a visit too


def test_as_many_hosts_of_one_address_are_visited_at_once_as_it_has_connections() -> None:
    b = bench(address_connections=2)
    for _ in range(5):
        b.add(b.host("192.0.2.1"), 1.0)
    visits = [b.visit(), b.visit()]
    assert b.ask() == Wait(inf)
    b.finish(visits[0])
    assert b.visit().host == 2


def test_visits_to_one_address_start_apart_and_other_addresses_do_not_wait() -> None:
    b = bench(address_delay_seconds=0.25)
    for _ in range(3):
        b.add(b.host("192.0.2.1"), 2.0)
    b.add(b.host("192.0.2.2"), 1.0)
    assert [(b.visit().host, b.now) for _ in range(4)] == [(0, 1000.0), (3, 1000.0), (1, 1000.25), (2, 1000.5)]


def test_an_address_rests_from_when_a_request_is_sent_though_it_was_handed_out_before() -> None:
    b = bench(address_delay_seconds=5.0)
    for _ in range(3):
        b.add(b.host("192.0.2.1"), 1.0)
    first = b.visit()
    b.frontier.sent(first, b.now + 0.5)
    assert (b.visit().host, b.now) == (1, 1005.5)
    assert (b.visit().host, b.now) == (2, 1010.5)


def test_an_address_does_not_rest_for_a_request_that_was_sent_late_and_given_back() -> None:
    b = bench(address_delay_seconds=5.0, delay_seconds=0.0, delay_factor=0.0)
    for _ in range(2):
        b.add(b.host("192.0.2.1"), 1.0)
    first = b.visit()
    b.frontier.sent(first, b.now + 0.5)
    b.frontier.postponed(first, b.now)
    assert (b.visit().host, b.now) == (1, 1000.0)


def test_hosts_whose_address_is_unknown_share_none() -> None:
    b = bench(address_delay_seconds=5.0, address_connections=1)
    for _ in range(3):
        b.add(b.host(), 1.0)
    assert [b.visit().host for _ in range(3)] == [0, 1, 2]
    assert b.now == 1000.0


def test_a_host_waiting_for_its_address_goes_on_when_another_one_there_must_rest_after_all() -> None:
    """The one to go next at the address is sent to rest by news of its robots.txt; the next but one takes over."""
    b = bench(address_connections=1, robots_retry_seconds=60.0)
    busy, patient = b.host("192.0.2.1"), b.host("192.0.2.1")
    third, elsewhere = b.host(), b.host("192.0.2.2")
    moved = b.host("192.0.2.1")
    b.frontier.restore_robots(moved, -inf, None)
    b.add(moved, 9.0)
    b.robots(b.visit(), RobotsMoved(elsewhere, ELSEWHERE))
    task_elsewhere = b.visit()
    b.frontier.restore_robots(third, -inf, None)
    b.add(third, 9.0)
    task_third = b.visit()
    b.add(busy, 8.0)
    under_way = b.visit()
    b.now += 10.0
    b.robots(task_third, RobotsMoved(moved, ELSEWHERE))
    [page] = b.add(patient, 1.0)
    assert b.ask() == Wait(inf)  # both are parked now
    b.finish(under_way)
    b.robots(task_elsewhere, RobotsUnreachable())
    assert b.ask() == Visit(patient, page)


# --- re-orderings -------------------------------------------------------------------------------


def reorder(b: Bench, urgency_of_page: dict[int, float]) -> None:
    snapshot = b.frontier.begin_reordering()
    urgencies = np.array([urgency_of_page.get(page, 0.0) for page in snapshot.pages.tolist()])
    b.frontier.install(snapshot.sorted(urgencies), b.now)


def test_a_reordering_changes_which_host_goes_first_and_with_which_page() -> None:
    b = bench()
    b.add(b.host(), 9.0, 8.0)
    b.add(b.host(), 1.0)
    reorder(b, {0: 1.0, 1: 2.0, 2: 3.0})
    assert [b.visit().page, b.visit().page] == [2, 1]


def test_tasks_and_hosts_ready_for_too_long_stay_in_front_through_a_reordering() -> None:
    b = bench(max_ready_seconds=60.0, address_connections=1)
    owner, visit = with_robots_wanted(b)
    other = b.host()
    b.add(other, 1.0)
    b.robots(visit, RobotsMoved(other, ELSEWHERE))
    b.add(b.host(), 5.0)
    reorder(b, {3: 9.0})
    assert b.visit().host_task == HostTask(HostTaskKind.ROBOTS, owner, ELSEWHERE, 1)


@pytest.mark.parametrize("seed", range(20))
def test_after_a_reordering_the_most_urgent_page_goes_first_whatever_happened_meanwhile(seed: int) -> None:
    rng = np.random.default_rng(seed)
    b = bench(delay_seconds=0.0, max_ready_seconds=1e9)
    hosts = [b.host() for _ in range(12)]
    urgency: dict[int, float] = {}

    def add_some(count: int) -> None:
        for host in rng.choice(hosts, count).tolist():
            value = float(rng.integers(0, 40))
            urgency[b.add(host, value)[0]] = value

    add_some(80)
    done: list[int] = []
    for _ in range(3):
        snapshot = b.frontier.begin_reordering()
        new = rng.integers(0, 40, len(snapshot.pages)).astype(float)
        for _ in range(int(rng.integers(0, 25))):
            if rng.random() < 0.5:
                add_some(1)
                continue
            visit = b.visit()
            if rng.random() < 0.3:
                b.frontier.abandoned(visit, b.now)
            else:
                b.finish(visit)
                done.append(visit.page)
        b.frontier.install(snapshot.sorted(new), b.now)
        urgency |= dict(zip(snapshot.pages.tolist(), new.tolist(), strict=True))
        for _ in range(int(rng.integers(0, 15))):
            add_some(1)
            visit = b.visit()
            left = urgency.keys() - set(done)
            assert visit.page == min(left, key=lambda page: (-urgency[page], page))
            b.finish(visit)
            done.append(visit.page)


@pytest.mark.parametrize("address", [None, "192.0.2.1"])
def test_visits_and_discoveries_during_a_reordering_are_kept(address: str | None) -> None:
    b = bench(address_connections=1)
    for urgency in (5.0, 4.0, 3.0):
        b.add(b.host(address), urgency, urgency - 2.5)
    snapshot = b.frontier.begin_reordering()
    visit = b.visit()
    assert visit.page == 0
    [new] = b.add(2, 50.0)
    b.frontier.install(snapshot.sorted(np.array([9.0, 9.0, 1.0, 1.0, 2.0, 2.0])), b.now)
    b.finish(visit)
    assert b.fetch_all() == [new, 2, 1, 4, 3, 5]


# --- bulk, restarts, reports --------------------------------------------------------------------


def crawl_order(b: Bench, latency: Sequence[float], in_flight: int) -> list[tuple[float, int]]:
    """When which page is visited, with `in_flight` workers and answers that take a while."""
    under_way: list[tuple[float, int, Visit]] = []
    order: list[tuple[float, int]] = []
    while True:
        answer = b.ask() if len(under_way) < in_flight else Wait(inf)
        if isinstance(answer, Exhausted):
            return order
        if isinstance(answer, Visit):
            order.append((b.now, answer.page))
            heapq.heappush(under_way, (b.now + latency[answer.page % len(latency)], len(order), answer))
            continue
        if under_way and under_way[0][0] <= answer.until:
            b.now, _, visit = heapq.heappop(under_way)
            b.finish(visit, 0.0)
        else:
            b.now = answer.until


@pytest.mark.slow
def test_pages_added_in_bulk_are_visited_like_pages_added_one_by_one() -> None:
    rng = np.random.default_rng(2)
    count = 5000
    hosts, urgencies = rng.integers(0, 40, count).astype(np.int32), rng.integers(0, 20, count).astype(float)
    orders = []
    for pieces in (1, count):
        b = bench()
        for n in range(40):
            b.host(f"192.0.2.{n // 2}")
        for pages in np.array_split(np.arange(count, dtype=np.int32), pieces):
            b.frontier.add(pages, hosts[pages], urgencies[pages], b.now)
        orders.append(crawl_order(b, [0.125, 0.5, 2.0], 10))
    assert orders[0] == orders[1]
    assert sorted(page for _, page in orders[0]) == list(range(count))


def test_politeness_survives_a_restart() -> None:
    b = bench(delay_seconds=7.0, backoff_seconds=50.0)
    for urgencies in ([3.0, 3.0], [2.0, 2.0], [1.0, 1.0]):
        b.add(b.host(), *urgencies)
    b.finish(b.visit())
    b.frontier.failed(b.visit(), b.now)
    kept = [b.frontier.politeness_of(host) for host in range(3)]
    assert kept == [
        HostPoliteness(next_fetch=1007.0, rest=7.0, failures=0, fetched=1),
        HostPoliteness(next_fetch=1050.0, rest=50.0, failures=1),
        HostPoliteness(),
    ]
    again = bench(delay_seconds=7.0, backoff_seconds=50.0)
    for politeness in kept:
        again.add(again.host(politeness=politeness), 1.0)
    assert [(again.visit().host, again.now) for _ in range(3)] == [(2, 1000.0), (0, 1007.0), (1, 1050.0)]


def test_counts_tell_where_pages_and_hosts_stand() -> None:
    b = bench(delay_seconds=5.0)
    for _ in range(3):
        b.add(b.host(), 1.0, 1.0)
    b.add(b.host(politeness=HostPoliteness(given_up=True)), 1.0)
    b.host()
    b.finish(b.visit())
    b.visit()
    counts = b.frontier.counts()
    assert (counts.waiting, counts.stranded, counts.retrying, counts.in_flight) == (5, 1, 0, 1)
    assert (counts.hosts, counts.hosts_ready, counts.hosts_resting) == (5, 1, 1)
    assert (counts.hosts_busy, counts.hosts_given_up, b.frontier.in_flight) == (1, 1, 1)


def test_a_host_that_is_only_linked_to_takes_a_few_bytes() -> None:
    b, hosts = bench(), 10_000
    tracemalloc.start()
    try:
        for _ in range(hosts):
            b.new_host()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / hosts < 40
    assert not b.frontier.is_failing(hosts - 1)
    assert b.frontier.politeness_of(hosts - 1) == HostPoliteness()
    b.add(hosts - 1, 1.0)
    assert b.visit() == Visit(hosts - 1, -1, HostTask(HostTaskKind.RESOLVE, hosts - 1))


def test_a_host_that_was_given_up_without_a_visit_stays_so() -> None:
    b = bench()
    host = b.new_host(HostPoliteness(given_up=True))
    b.add(host, 1.0)
    assert b.frontier.is_failing(host)
    assert b.frontier.politeness_of(host) == HostPoliteness(given_up=True)
    assert b.frontier.counts().stranded == 1


def test_counting_takes_no_more_steps_for_more_hosts() -> None:
    def counting(hosts: int) -> int:
        b = bench(max_pages_per_host=2)
        for _ in range(hosts):
            b.add(b.host(), 1.0, 1.0, 1.0)
        for _ in range(3):
            b.finish(b.visit())
        assert b.frontier.counts().hosts == hosts
        return instructions_of(lambda: (b.frontier.counts(), b.frontier.closed_hosts()))

    assert counting(300) == counting(3), "with a million hosts a look at each takes 0.3 s on the event loop"


def instructions_of(work: Callable[[], object]) -> int:
    """How many instructions of Python it takes; what numpy does in one of them counts as one."""
    taken = 0

    def traced(frame: FrameType, event: str, _: object) -> Any:
        nonlocal taken
        frame.f_trace_opcodes = True
        taken += event == "opcode"
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        work()
    finally:
        sys.settrace(before)
    return taken


def test_upcoming_pages_of_a_host_can_be_read_ahead() -> None:
    b = bench()
    host = b.host()
    b.add(host, *map(float, range(20)))
    b.visit()
    assert set(b.frontier.upcoming(host, 5)) <= set(range(19))
    assert len(b.frontier.upcoming(host, 5)) >= 3


def test_folding_is_wanted_when_many_pages_came_one_by_one_but_not_during_a_reordering() -> None:
    with patch.object(waiting_pages, "_RECENT_FLOOR", 10):
        b, wanted = bench(), []
        b.add(b.host(), *[1.0] * 11)
        wanted.append(b.frontier.wants_compaction)
        snapshot = b.frontier.begin_reordering()
        b.add(0, *[1.0] * 11)
        wanted.append(b.frontier.wants_compaction)
        b.frontier.install(snapshot.sorted(), b.now)
        wanted.append(b.frontier.wants_compaction)
    assert wanted == [True, False, True]


def test_heaps_do_not_grow_with_the_visits_of_a_crawl_in_which_every_host_is_overdue() -> None:
    b = bench(delay_seconds=0.0, max_ready_seconds=0.0, address_connections=1)
    for n in range(20):
        b.add(b.host(f"192.0.2.{n % 4}"), *[1.0] * 100)
    b.now += 1.0
    for _ in range(1900):
        b.now += 0.125
        b.finish(b.visit())
    assert b.frontier.heap_entries() < 500


def test_the_cost_of_waiting_pages_is_reported_in_bytes() -> None:
    b = bench()
    b.add(b.host(), *[1.0] * 5000)
    assert 17 * 5000 <= b.frontier.memory_bytes() < 18 * 5000
