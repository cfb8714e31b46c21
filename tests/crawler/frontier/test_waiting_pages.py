"""Which pages wait, host by host, most urgent first."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.frontier import waiting_pages
from hinterland.crawler.frontier.waiting_pages import WaitingPages

BULK = 4096


def add(waiting: WaitingPages, pages: Sequence[int], hosts: Sequence[int], urgencies: Sequence[float]) -> None:
    waiting.add(np.array(pages, np.int32), np.array(hosts, np.int32), np.array(urgencies, float))


def of_one_host(*urgencies: float) -> WaitingPages:
    """Pages 0, 1, ... of host 0."""
    waiting = WaitingPages()
    add(waiting, range(len(urgencies)), [0] * len(urgencies), urgencies)
    return waiting


def reorder(waiting: WaitingPages, *urgencies: float) -> None:
    waiting.install(waiting.begin_reordering().sorted(np.array(urgencies, float) if urgencies else None))


def drain(waiting: WaitingPages, host: int = 0) -> list[int]:
    taken = []
    while waiting.head(host) is not None:
        taken.append(waiting.take(host))
    return taken


def test_the_most_urgent_page_goes_first_and_among_equals_the_earlier_discovered() -> None:
    assert drain(of_one_host(1.0, 3.0, 2.0, 3.0, 1.0)) == [1, 3, 2, 0, 4]


def test_folding_changes_no_order() -> None:
    waiting = of_one_host(1.0, 3.0, 2.0, 3.0, 1.0)
    reorder(waiting)
    assert drain(waiting) == [1, 3, 2, 0, 4]


def test_new_urgencies_change_the_order() -> None:
    waiting = of_one_host(1.0, 3.0, 2.0)
    reorder(waiting, 5.0, 4.0, 6.0)
    assert drain(waiting) == [2, 0, 1]


def test_pages_put_behind_stay_behind_whatever_is_said_of_them_later() -> None:
    waiting = of_one_host(1.0, 3.0, 2.0, 4.0)
    behind = [waiting.take(0), waiting.take(0)]
    for page in behind:
        waiting.put_behind(page)
    assert sorted(waiting.upcoming(0, 9)) == [0, 1, 2, 3]
    snapshot = waiting.begin_reordering()
    waiting.put_behind(waiting.take(0))
    waiting.install(snapshot.sorted(np.array([5.0, 6.0])))
    assert len(waiting) == 4
    assert waiting.waiting_by_host(1).tolist() == [4]
    assert drain(waiting) == [0, 1, 2, 3]


def test_infinite_urgencies_are_urgencies() -> None:
    assert drain(of_one_host(0.0, float("inf"), -float("inf"))) == [1, 0, 2]


def test_the_hosts_do_not_mix() -> None:
    waiting = WaitingPages()
    add(waiting, [0, 1, 2, 3], [2, 0, 2, 5], [1.0, 1.0, 2.0, 1.0])
    reorder(waiting)
    assert waiting.head(1) is None
    assert waiting.head(99) is None
    assert [drain(waiting, host) for host in (2, 0, 5)] == [[2, 0], [1], [3]]
    assert len(waiting) == 0


def test_pages_found_since_the_last_reordering_compete_with_the_sorted_ones() -> None:
    waiting = of_one_host(1.0, 3.0)
    reorder(waiting)
    add(waiting, [2, 3], [0, 0], [2.0, 4.0])
    assert drain(waiting) == [3, 1, 2, 0]


def test_a_page_taken_during_a_reordering_is_not_handed_out_again() -> None:
    waiting = of_one_host(1.0, 3.0, 2.0)
    snapshot = waiting.begin_reordering()
    assert waiting.take(0) == 1
    waiting.install(snapshot.sorted(np.array([1.0, 9.0, 2.0])))
    assert drain(waiting) == [2, 0]


def test_pages_found_during_a_reordering_are_kept_beside_its_result() -> None:
    waiting = of_one_host(1.0, 3.0)
    snapshot = waiting.begin_reordering()
    add(waiting, [2], [0], [2.0])
    assert waiting.head(0) == (-3.0, 1)
    waiting.install(snapshot.sorted(np.array([9.0, 0.0])))
    assert drain(waiting) == [0, 2, 1]


def test_a_page_put_back_during_a_reordering_waits_with_its_new_urgency_and_once() -> None:
    waiting = of_one_host(1.0, 3.0, 2.0)
    snapshot = waiting.begin_reordering()
    waiting.put_back(waiting.take(0))
    waiting.install(snapshot.sorted(np.array([1.0, 0.0, 2.0])))
    assert drain(waiting) == [2, 0, 1]


def test_a_page_put_back_waits_as_urgent_as_before() -> None:
    waiting = of_one_host(1.0, 3.0, 2.0)
    for _ in range(3):
        waiting.put_back(waiting.take(0))
    assert len(waiting) == 3
    assert drain(waiting) == [1, 2, 0]


def test_a_snapshot_holds_the_waiting_pages_in_the_order_of_discovery() -> None:
    waiting = WaitingPages()
    add(waiting, [3, 1, 2, 0], [0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0])
    waiting.take(1)
    snapshot = waiting.begin_reordering()
    assert snapshot.pages.tolist() == [1, 2, 3]
    assert snapshot.hosts.tolist() == [1, 0, 0]
    assert snapshot.urgencies.tolist() == [2.0, 3.0, 1.0]


def test_an_empty_set_can_be_reordered() -> None:
    waiting = WaitingPages()
    reorder(waiting)
    assert waiting.head(0) is None


def test_pages_of_one_host_are_counted() -> None:
    waiting = WaitingPages()
    add(waiting, [0, 1, 2], [2, 0, 2], [1.0, 1.0, 1.0])
    waiting.take(0)
    assert waiting.waiting_by_host(4).tolist() == [0, 0, 2, 0]


@pytest.mark.parametrize("folded", [False, True])
def test_upcoming_pages_wait_and_are_listed_once(folded: bool) -> None:
    waiting = of_one_host(*range(10))
    if folded:
        reorder(waiting)
    waiting.put_back(waiting.take(0))
    taken = waiting.take(0)
    upcoming = waiting.upcoming(0, 5)
    assert len(set(upcoming)) == len(upcoming)
    assert 3 <= len(upcoming) <= 5
    assert taken not in upcoming
    assert waiting.upcoming(7, 5) == []


def test_upcoming_pages_are_the_most_urgent_wherever_they_wait() -> None:
    waiting = of_one_host(*[1.0] * 10)
    reorder(waiting)
    add(waiting, [20, 21], [0, 0], [5.0, 7.0])
    assert waiting.upcoming(0, 2) == [21, 20]


def test_bulk_additions_equal_single_ones() -> None:
    rng = np.random.default_rng(1)
    hosts, urgencies = rng.integers(0, 50, BULK + 1).tolist(), rng.integers(0, 9, BULK + 1).astype(float).tolist()
    bulk, single = WaitingPages(), WaitingPages()
    add(bulk, range(BULK + 1), hosts, urgencies)
    for page, (host, urgency) in enumerate(zip(hosts, urgencies, strict=True)):
        add(single, [page], [host], [urgency])
    assert [drain(bulk, host) for host in range(50)] == [drain(single, host) for host in range(50)]


def test_a_bulk_addition_during_a_reordering_is_kept() -> None:
    waiting = of_one_host(5.0)
    snapshot = waiting.begin_reordering()
    add(waiting, range(1, BULK + 2), [0] * (BULK + 1), [1.0] * (BULK + 1))
    waiting.install(snapshot.sorted())
    assert drain(waiting) == list(range(BULK + 2))


def test_a_page_may_not_be_added_twice() -> None:
    waiting = of_one_host(1.0)
    with pytest.raises(ValueError, match="page 0 was added to the frontier twice"):
        add(waiting, [0], [0], [1.0])


def test_a_page_that_was_not_taken_cannot_be_put_back() -> None:
    with pytest.raises(ValueError, match="page 0 was not taken"):
        of_one_host(1.0).put_back(0)


def test_taking_from_a_host_without_pages_is_an_error() -> None:
    with pytest.raises(LookupError, match="no page of host 3"):
        of_one_host(1.0).take(3)


def test_an_urgency_must_be_a_number() -> None:
    with pytest.raises(ValueError, match="NaN"):
        of_one_host(float("nan"))
    with pytest.raises(ValueError, match="NaN"):
        of_one_host(1.0).begin_reordering().sorted(np.array([np.nan]))


def test_a_reordering_must_answer_for_every_waiting_page() -> None:
    with pytest.raises(ValueError, match=r"shape \(2,\) for 1 waiting"):
        of_one_host(1.0).begin_reordering().sorted(np.array([1.0, 2.0]))


def test_reorderings_take_turns() -> None:
    waiting = of_one_host(1.0)
    order = waiting.begin_reordering().sorted()
    assert waiting.is_reordering
    with pytest.raises(RuntimeError, match="under way already"):
        waiting.begin_reordering()
    waiting.install(order)
    with pytest.raises(RuntimeError, match="no re-ordering is under way"):
        waiting.install(order)


def test_folding_is_wanted_when_many_pages_stand_in_heaps_and_not_after_it() -> None:
    with patch.object(waiting_pages, "_RECENT_FLOOR", 10):
        waiting = of_one_host(*range(11))
        assert waiting.wants_compaction
        reorder(waiting)
        assert not waiting.wants_compaction


def test_pages_that_came_and_went_want_no_folding() -> None:
    with patch.object(waiting_pages, "_RECENT_FLOOR", 10):
        waiting = WaitingPages()
        for page in range(50):
            add(waiting, [page], [0], [1.0])
            drain(waiting)
        assert not waiting.wants_compaction


def test_a_sorted_page_costs_less_than_twenty_bytes() -> None:
    waiting = WaitingPages()
    add(waiting, range(100_000), [n % 100 for n in range(100_000)], [1.0] * 100_000)
    assert waiting.memory_bytes() < 20 * 100_000


@pytest.mark.slow
@given(st.data())
def test_no_page_is_more_urgent_than_a_new_order_and_what_came_meanwhile_tell_of_its_host(data: st.DataObject) -> None:
    """After any number of visits, returns and additions while the order was being sorted."""
    hosts = data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=40))
    values = st.lists(st.integers(-2, 2).map(float), min_size=len(hosts), max_size=len(hosts))
    waiting = WaitingPages()
    add(waiting, range(len(hosts)), hosts, data.draw(values))
    snapshot = waiting.begin_reordering()
    for host in data.draw(st.lists(st.integers(0, 6), max_size=10)):
        if waiting.head(host) is not None:
            page = waiting.take(host)
            if data.draw(st.booleans()):
                waiting.put_back(page)
    more = data.draw(st.lists(st.integers(0, 8), max_size=5))
    add(waiting, range(len(hosts), len(hosts) + len(more)), more, [1.0] * len(more))
    order = snapshot.sorted(np.array(data.draw(values)))
    arrived, _ = waiting.install(order)
    told = list(zip(order.head_keys.tolist(), order.head_pages.tolist(), order.hosts.tolist(), strict=True))
    assert told == sorted(told)
    assert arrived == [] or arrived[0] == min(arrived)
    for host in range(10):
        head = waiting.head(host)
        if head is not None:
            assert min(key for key in told + arrived if key[2] == host) <= (*head, host)


def test_a_page_is_known_once_and_only_what_was_taken_can_be_forgotten() -> None:
    waiting = of_one_host(1.0)
    with pytest.raises(ValueError, match="page 0 was added to the frontier twice"):
        waiting.add_taken(0, 0, 1.0)
    with pytest.raises(ValueError, match="page 0 was not taken, so it cannot be forgotten"):
        waiting.forget(0)
    waiting.take(0)
    waiting.forget(0)
    waiting.add_taken(0, 0, 2.0)
    waiting.put_back(0)
    assert drain(waiting) == [0]
