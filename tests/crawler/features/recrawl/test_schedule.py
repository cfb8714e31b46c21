"""The schedule hands out what is due within its budget, learns from what visits find, and forgets nobody."""

from __future__ import annotations

from itertools import pairwise
from math import exp, inf

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.policies import make_revisit_policy
from hinterland.crawler.features.recrawl.schedule import Revisit, RevisitSchedule
from hinterland.crawler.features.recrawl.signals import SignalKind, with_signal
from hinterland.crawler.frontier.visits import Wait

DAY = 86_400.0


def schedule_of(
    pages: int, *, budget: float = 1 / DAY, policy: str = "harmonic", longest: float = 1000 * DAY, hosts: int = 1
) -> RevisitSchedule:
    """Pages of equal worth, fetched at 0."""
    schedule = RevisitSchedule(make_revisit_policy(policy), budget, Bounds(3600.0, longest))
    schedule.add(np.arange(pages), np.arange(pages) % hosts, 1.0, 0.0)
    schedule.refresh(0.0)
    return schedule


def visits(schedule: RevisitSchedule, until: float) -> list[tuple[float, int]]:
    """Go by the schedule from time 0; every odd page has changed at every visit, the others never."""
    seen, now = list[tuple[float, int]](), 0.0
    while now < until:
        match schedule.next(now):
            case Revisit(page=page):
                seen.append((now, page))
                schedule.visited(page, now, changed=page % 2 == 1)
            case Wait(until=time):
                now = max(time, now)
    return seen


def test_a_budget_is_spent_and_not_overspent() -> None:
    seen = visits(schedule_of(50), 100 * DAY)
    assert 98 <= len(seen) <= 101
    times = [time for time, _ in seen]
    assert all(later - earlier >= DAY - 1 for earlier, later in pairwise(times))


def test_a_visit_that_comes_late_is_made_up_for_and_a_long_silence_is_not() -> None:
    schedule, now, seen = schedule_of(50), 0.0, 0
    while now < 100 * DAY:
        step = schedule.next(now)
        if isinstance(step, Revisit):
            seen += 1
            schedule.visited(step.page, now, changed=False)
        else:
            now = max(step.until, now) + DAY / 3  # the machine is busy
    assert 98 <= seen <= 101
    at_once = [schedule.next(200 * DAY) for _ in range(5)]
    assert sum(isinstance(step, Revisit) for step in at_once) <= 2


@pytest.mark.slow
def test_no_page_waits_longer_than_the_bound() -> None:
    schedule = schedule_of(40, policy="binary", longest=90 * DAY)
    last, now, next_refresh = dict.fromkeys(range(40), 0.0), 0.0, 0.0
    while now < 700 * DAY:
        if now >= next_refresh:
            schedule.refresh(now)
            next_refresh = now + 10 * DAY
        match schedule.next(now):
            case Revisit(page=page):
                assert now - last[page] <= 91 * DAY
                last[page] = now
                schedule.visited(page, now, changed=page % 2 == 1)
            case Wait(until=time):
                now = min(max(time, now), next_refresh)
    assert all(now - time <= 91 * DAY for time in last.values())
    assert now - schedule.oldest_visit() <= 91 * DAY


def test_a_bound_the_budget_cannot_pay_is_widened_and_said() -> None:
    schedule = schedule_of(1000, longest=30 * DAY)
    assert schedule.outlook().longest_wait <= 2000 * DAY
    assert schedule.outlook(budget=100 / DAY).longest_wait <= 30 * DAY


def test_a_page_that_changes_more_often_than_another_is_learnt_to_and_visited_more_often() -> None:
    schedule = schedule_of(20, budget=4 / DAY)
    visits(schedule, 20 * DAY)
    schedule.refresh(20 * DAY)
    often, seldom = schedule.explain(1, 20 * DAY), schedule.explain(2, 20 * DAY)
    assert often.rate > 5 * seldom.rate
    assert often.wait < seldom.wait
    assert often.changes > 0
    assert seldom.changes == 0
    assert seldom.quiet_seconds == seldom.last_visit
    assert often.current == pytest.approx(exp(-often.rate * (20 * DAY - often.last_visit)))


def test_a_more_important_page_is_visited_more_often() -> None:
    schedule = schedule_of(10)
    schedule.refresh(50 * DAY, importance=np.array([5.0] + [1.0] * 9))
    assert schedule.explain(0, 0.0).wait < schedule.explain(1, 0.0).wait
    assert schedule.explain(0, 0.0).importance == pytest.approx(5 / 1.4)


def test_a_host_that_is_held_is_passed_over() -> None:
    schedule = schedule_of(10, budget=inf, hosts=2)
    schedule.hold(0)
    found = []
    while isinstance(step := schedule.next(999 * DAY), Revisit):
        found.append(step.page)
    assert sorted(found) == [1, 3, 5, 7, 9]
    assert step == Wait(inf)
    schedule.release(0)
    assert isinstance(schedule.next(999 * DAY), Revisit)


def test_a_page_under_way_is_not_handed_out_again_also_after_a_refresh() -> None:
    schedule = schedule_of(1)
    first = schedule.next(400 * DAY)
    assert isinstance(first, Revisit)
    schedule.refresh(401 * DAY)
    assert schedule.next(500 * DAY) == Wait(inf)
    assert schedule.explain(first.page, 500 * DAY).next_visit is None


def test_a_failed_visit_teaches_nothing_and_is_tried_again_when_asked_for() -> None:
    schedule = schedule_of(1)
    before = schedule.explain(0, 0.0).rate
    assert isinstance(schedule.next(400 * DAY), Revisit)
    schedule.failed(0, again_at=405 * DAY)
    schedule.refresh(401 * DAY)
    assert schedule.explain(0, 401 * DAY).rate == before
    assert schedule.next(401 * DAY) == Wait(405 * DAY)
    assert isinstance(schedule.next(405 * DAY), Revisit)


def test_a_page_that_is_gone_is_not_visited_and_keeps_what_it_showed_if_it_comes_back() -> None:
    schedule = schedule_of(2, budget=inf)
    schedule.visited(0, 5 * DAY, changed=True)
    schedule.retired(0)
    schedule.refresh(6 * DAY)
    step = schedule.next(900 * DAY)
    assert isinstance(step, Revisit)
    assert step.page == 1
    assert schedule.next(900 * DAY) == Wait(inf)
    schedule.add(0, 0, 1.0, 900 * DAY)
    assert schedule.explain(0, 900 * DAY).changes == 1


def test_what_a_page_showed_follows_it_where_it_has_moved_and_only_once() -> None:
    schedule = schedule_of(3)
    for day in range(10, 60, 10):
        schedule.visited(0, day * DAY, changed=True)
        schedule.visited(1, day * DAY, changed=False)
    schedule.refresh(50 * DAY)
    before, usual = schedule.explain(0, 50 * DAY), schedule.explain(2, 50 * DAY)
    schedule.moved(0, to=7)
    schedule.moved(1, to=7)  # as do many of a site that has gone: that page keeps the first one's history
    schedule.add(7, 0, 1.0, 50 * DAY)
    schedule.refresh(50 * DAY)
    now = schedule.explain(7, 50 * DAY)
    assert (now.changes, now.quiet_seconds) == (5, 0)
    assert now.rate > 2 * usual.rate
    assert now.rate == pytest.approx(before.rate, rel=0.5)
    assert schedule.explain(0, 50 * DAY).changes == 0
    assert schedule.explain(1, 50 * DAY).quiet_seconds == before.last_visit


def test_a_trusted_last_modified_is_kept_as_the_time_of_the_change() -> None:
    schedule = schedule_of(1)
    schedule.visited(0, 10 * DAY, changed=True, last_modified=7 * DAY)
    known = schedule.explain(0, 10 * DAY)
    assert (known.changes, known.dated_changes, known.quiet_seconds) == (1, 1, 3 * DAY)
    schedule.visited(0, 20 * DAY, changed=True, last_modified=25 * DAY)  # from the future: not believed
    assert schedule.explain(0, 20 * DAY).dated_changes == 1


def test_of_many_pages_that_are_said_to_have_changed_those_that_matter_go_first() -> None:
    schedule = schedule_of(100)
    schedule.refresh(0.0, importance=np.where(np.arange(100) % 10 == 0, 5.0, 1.0))
    for page in range(100):
        schedule.visited(page, 50 * DAY, changed=False)
    for page in range(20, 60):
        schedule.signalled(page, SignalKind.SITEMAP, 51 * DAY)
    schedule.refresh(51 * DAY)
    now, seen = 51 * DAY, list[int]()
    while len(seen) < 4:
        match schedule.next(now):
            case Revisit(page=page):
                seen.append(page)
                schedule.visited(page, now, changed=True)
            case Wait(until=time):
                now = max(time, now)
        schedule.refresh(now)
    assert sorted(seen) == [20, 30, 40, 50]


def test_a_signal_makes_a_copy_doubtful_and_a_visit_settles_it() -> None:
    schedule = schedule_of(40)
    schedule.refresh(8 * DAY)
    before = schedule.explain(0, 10 * DAY)
    schedule.signalled(0, SignalKind.FEED, 9 * DAY)
    told = schedule.explain(0, 10 * DAY)
    assert (before.signals, told.signals) == ((), (SignalKind.FEED,))
    assert told.current < before.current
    assert told.next_visit is not None
    assert before.next_visit is not None
    assert told.next_visit < before.next_visit
    schedule.visited(0, 10 * DAY, changed=False)
    schedule.signalled(0, SignalKind.FEED, 9 * DAY)  # of before the visit
    assert schedule.explain(0, 10 * DAY).signals == ()


def test_pages_wait_longer_at_a_host_that_was_found_to_tell_of_its_changes() -> None:
    schedule = schedule_of(40, hosts=2)
    for _ in range(60):
        schedule.signals.visited(1, with_signal(0, SignalKind.SITEMAP), 0.5, 2.0, changed=True)
        schedule.signals.visited(1, 0, 0.5, 2.0, changed=False)
    before = schedule.explain(1, 0.0).wait
    schedule.refresh(0.0)
    untold, told = schedule.explain(0, 0.0).wait, schedule.explain(1, 0.0).wait
    unseen = schedule.signals.unseen(1)
    assert unseen < 0.7
    assert before == pytest.approx(untold / unseen, rel=0.05)  # how notices come is learnt with the rates
    assert told == pytest.approx(untold / unseen**0.5, rel=0.05)


def test_visits_during_a_refresh_are_not_lost() -> None:
    schedule = schedule_of(5)
    work = schedule.begin_refresh(100 * DAY)
    schedule.visited(3, 100 * DAY, changed=True)
    refreshed = work()
    schedule.add(7, 0, 1.0, 100 * DAY)
    schedule.install(refreshed)
    assert schedule.explain(3, 100 * DAY).last_visit == 100 * DAY
    assert (schedule.explain(3, 100 * DAY).next_visit or 0) > 100 * DAY
    assert schedule.explain(7, 100 * DAY).next_visit is not None


def test_a_schedule_restored_from_rows_goes_on_as_the_one_they_came_from() -> None:
    schedule = schedule_of(30, budget=3 / DAY, hosts=3)
    visits(schedule, 40 * DAY)
    rows = {name: column.tolist() for name, column in schedule.state().items()}
    again = RevisitSchedule(make_revisit_policy("harmonic"), 3 / DAY, Bounds(3600.0, 1000 * DAY))
    again.restore({name: np.array(values) for name, values in rows.items()})
    for one in (schedule, again):
        one.refresh(40 * DAY)
    for page in range(30):
        assert again.explain(page, 41 * DAY) == schedule.explain(page, 41 * DAY)
    assert [again.next(time * DAY) for time in range(900, 910)] == [
        schedule.next(time * DAY) for time in range(900, 910)
    ]


def test_the_state_of_some_pages_is_that_of_these_pages() -> None:
    columns = schedule_of(5).state([3, 1])
    assert columns["page"].tolist() == [3, 1]
    assert {len(column) for column in columns.values()} == {2}


def test_what_is_no_page_of_the_schedule_is_named() -> None:
    schedule = schedule_of(2)
    for page in (2, -1, 10_000):
        with pytest.raises(ValueError, match=f"page {page} was not added"):
            schedule.visited(page, 1.0, changed=False)
    with pytest.raises(ValueError, match="missing columns: host"):
        schedule.restore({"page": np.arange(2), "due": np.arange(2)})
    with pytest.raises(ValueError, match="importance"):
        schedule.add(3, 0, 0.0, 0.0)
    with pytest.raises(ValueError, match="budget of 0"):
        RevisitSchedule(make_revisit_policy("uniform"), 0, Bounds(1, 2))


def test_a_page_costs_at_most_forty_bytes() -> None:
    schedule = RevisitSchedule(make_revisit_policy("harmonic"), 1.0, Bounds(3600.0, 1000 * DAY))
    schedule.add(np.arange(100_000), np.arange(100_000) % 50, 1.0, 0.0)
    assert schedule.memory_bytes() <= 40 * 100_000
