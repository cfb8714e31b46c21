"""An idle connection is reused as long as its server keeps it, as far as that is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.client.idle_limits import IdleLimits

HOST = "https://a.test"


def test_a_host_of_which_nothing_is_known_is_trusted() -> None:
    assert IdleLimits().may_reuse(HOST, 0.0, 29.0)


@pytest.mark.parametrize(
    "field, seconds",
    [
        ("timeout=5", 5),
        ("timeout=5, max=100", 5),
        ("max=100, timeout=15", 15),
        ("Timeout = 20", 20),
        ('timeout="7"', 7),
    ],
)
def test_what_a_server_announces_holds_less_a_margin(field: str, seconds: int) -> None:
    limits = IdleLimits()
    limits.announced(HOST, field)
    assert limits.may_reuse(HOST, 100.0, 100.0 + seconds * 0.89 - 0.1)
    assert not limits.may_reuse(HOST, 100.0, 100.0 + seconds - 0.4)
    assert not limits.may_reuse(HOST, 100.0, 100.0 + seconds * 10.0)
    assert limits.may_reuse("https://b.test", 100.0, 100.0 + seconds)


@pytest.mark.parametrize("field", ["", "max=100", "timeout", "timeout=soon", "xtimeout=1"])
def test_what_announces_nothing_changes_nothing(field: str) -> None:
    limits = IdleLimits()
    limits.announced(HOST, field)
    assert limits.may_reuse(HOST, 0.0, 29.0)


def test_a_server_that_announces_no_time_is_asked_over_a_new_connection_each_time() -> None:
    limits = IdleLimits()
    limits.announced(HOST, "timeout=0")
    assert not limits.may_reuse(HOST, 0.0, 0.0)


def test_the_time_after_which_a_server_closed_a_connection_is_its_limit() -> None:
    limits = IdleLimits()
    limits.closed(HOST, 10.0)
    assert limits.may_reuse(HOST, 0.0, 8.9)
    assert not limits.may_reuse(HOST, 0.0, 9.5)
    assert not limits.may_reuse(HOST, 0.0, 10.5)


def test_a_connection_that_stays_open_for_longer_shows_that_it_was_not() -> None:
    limits = IdleLimits()
    limits.closed(HOST, 1.0)
    assert not limits.may_reuse(HOST, 0.0, 1.2)
    assert limits.may_reuse(HOST, 0.0, 2.0)
    assert limits.may_reuse(HOST, 0.0, 1.2)


def test_connections_that_are_dropped_are_not_reused_and_later_ones_are() -> None:
    limits = IdleLimits()
    limits.drop(HOST, 50.0)
    assert not limits.may_reuse(HOST, 49.0, 51.0)
    assert limits.may_reuse(HOST, 50.5, 51.0)
    assert limits.may_reuse("https://b.test", 49.0, 51.0)


@given(st.floats(0.0, 100.0), st.floats(0.0, 30.0))
def test_a_limit_that_was_observed_forbids_no_more_than_a_while(limit: float, rest: float) -> None:
    """A state that nothing takes back would cost a connection at each request, for ever."""
    limits = IdleLimits()
    limits.closed(HOST, limit)
    if not limits.may_reuse(HOST, 0.0, rest):
        margin = max(0.5, limit / 10.0)
        assert limit - margin <= rest <= limit + margin
    assert limits.may_reuse(HOST, 0.0, limit * 1.2 + 1.0)


def test_no_more_hosts_are_remembered_than_wanted() -> None:
    limits = IdleLimits(most_hosts=2)
    for host in ("a", "b", "a", "c"):
        limits.announced(host, "timeout=1")
    assert [limits.may_reuse(host, 0.0, 2.0) for host in ("a", "b", "c")] == [False, True, False]
