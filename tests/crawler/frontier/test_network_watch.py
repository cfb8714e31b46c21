"""Hosts that fail, or a network that does: what the watch makes of answers and failures."""

from __future__ import annotations

from math import inf

import pytest

from hinterland.crawler.frontier.network_watch import NetworkState, NetworkWatch


def watch(heard: int = 10, patience: float = 1000.0) -> NetworkWatch:
    return NetworkWatch(pause_seconds=5.0, patience_seconds=patience, heard=range(heard))


def fail(made: NetworkWatch, *hosts: int, now: float = 0.0, failures: int = 0) -> None:
    for host in hosts:
        made.failed(host, failures, now, is_ours=False)


def state(made: NetworkWatch) -> NetworkState:
    return made.state


def test_one_host_that_fails_says_nothing_of_the_network() -> None:
    made = watch()
    fail(made, 1, 1)
    assert state(made) is NetworkState.UP


def test_an_answer_in_between_shows_that_the_network_is_fine() -> None:
    made = watch()
    for host in range(9):
        fail(made, host)
        made.answered(9)
    assert state(made) is NetworkState.UP


def test_hosts_never_heard_of_are_no_witnesses() -> None:
    made = watch(heard=3)
    fail(made, *range(10, 60))
    assert state(made) is NetworkState.UP


def test_before_the_network_counts_as_down_others_are_asked() -> None:
    made = watch()
    fail(made, 0, 1, 2)
    assert state(made) is NetworkState.DOUBTED
    assert made.hosts_to_ask() == [7, 8, 9], "those that answered last"
    fail(made, 7, 8)
    assert state(made) is NetworkState.DOUBTED
    fail(made, 9)
    assert state(made) is NetworkState.DOWN


def test_if_one_of_them_answers_the_failures_are_the_hosts_own() -> None:
    made = watch()
    fail(made, 0, 1, 2)
    assert not made.answered(8)
    assert state(made) is NetworkState.UP
    assert made.hosts_to_ask() == []


def test_a_host_that_fails_again_and_again_is_a_reason_to_ask_another() -> None:
    made = watch(heard=2)
    fail(made, 1)
    fail(made, 1, failures=1)
    assert state(made) is NetworkState.UP
    fail(made, 1, failures=2)
    assert (made.state, made.hosts_to_ask()) == (NetworkState.DOUBTED, [0])


@pytest.mark.parametrize("is_ours, then", [(True, NetworkState.DOWN), (False, NetworkState.UP)])
def test_a_single_host_may_well_be_down_unless_this_machine_has_no_way_to_the_network(
    is_ours: bool, then: NetworkState
) -> None:
    made = watch(heard=1)
    for failures in range(5):
        made.failed(0, failures, 0.0, is_ours=is_ours)
    assert state(made) is then


def test_look_ups_without_a_reply_are_noticed_though_hosts_known_by_address_answer() -> None:
    made = watch()
    for host in (100, 101, 102):
        made.failed(host, 0, 0.0, is_ours=True, is_lookup=True)
        made.answered(3)
    assert state(made) is NetworkState.DOUBTED
    assert made.hosts_to_ask() == [8, 9]
    for host in (8, 9):
        made.failed(host, 0, 0.0, is_ours=True, is_lookup=True)
    assert state(made) is NetworkState.DOWN
    assert {100, 101, 102} <= made.failures_before().keys()


def test_where_all_that_answered_have_failed_those_are_asked_whose_addresses_are_known() -> None:
    made = watch(heard=2)
    made.failed(0, 0, 0.0, is_ours=True, is_lookup=True)
    made.failed(100, 0, 0.0, is_ours=True, is_lookup=True)
    fail(made, 1)
    assert state(made) is NetworkState.DOUBTED
    assert made.hosts_to_ask() == [1]


def test_a_reply_to_a_look_up_shows_that_the_name_server_is_fine() -> None:
    made = watch()
    for host in range(100, 110):
        made.failed(host, 0, 0.0, is_ours=True, is_lookup=True)
        made.looked_up()
    assert state(made) is NetworkState.UP


def test_what_the_hosts_had_against_them_before_is_known() -> None:
    made = watch()
    fail(made, 1, failures=4)
    fail(made, 1, failures=5)
    fail(made, 2)
    assert made.failures_before() == {1: 4, 2: 0}


def test_a_network_that_is_down_is_probed_ever_more_rarely_until_one_answers() -> None:
    made = watch(heard=3)
    fail(made, 0, 1, 2, now=100.0)
    assert state(made) is NetworkState.DOWN
    assert made.probe_due(104.0) is None
    now, pauses, asked = 100.0, [], []
    for _ in range(7):
        pauses.append(made.next_probe - now)
        now = made.next_probe
        asked.append(made.probe_due(now))
    assert pauses == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0, 60.0]
    assert set(asked) == {0, 1, 2}, "in turn"
    assert made.answered(2)
    assert (made.state, made.down_since, made.next_probe) == (NetworkState.UP, None, inf)


def test_patience_with_the_network_ends() -> None:
    made = watch(heard=2, patience=50.0)
    fail(made, 0, 1, now=100.0)
    assert not made.is_given_up(149.0)
    assert made.is_given_up(150.0)
