"""The time limit grows where successes take long, within its bounds, and comes back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.client.adaptive_timeout import CAP, AdaptiveTimeout

SETTING = 10.0
DURATIONS = st.lists(st.tuples(st.floats(0.0, 1000.0), st.floats(0.0, 60.0)), max_size=200)


def after(successes: list[float], now: float = 0.0) -> AdaptiveTimeout:
    patience = AdaptiveTimeout(SETTING)
    for seconds in successes:
        patience.succeeded(seconds, now)
    return patience


def test_before_anything_is_known_the_setting_counts() -> None:
    assert AdaptiveTimeout(SETTING).seconds(0.0) == SETTING
    assert after([9.0] * 10).seconds(5.0) == SETTING


def test_quick_successes_do_not_shorten_it() -> None:
    assert after([0.01] * 1000).seconds(5.0) == SETTING


def test_slow_successes_lengthen_it_to_a_multiple_of_what_they_took() -> None:
    granted = after([5.0] * 100).seconds(5.0)
    assert 15.0 <= granted <= 15.0 * 1.2


def test_one_slow_host_of_two_hundred_is_not_the_network() -> None:
    assert after([0.1] * 199 + [9.0]).seconds(5.0) == SETTING


def test_it_ends_at_three_times_the_setting() -> None:
    assert after([29.0] * 100).seconds(5.0) == CAP * SETTING


def test_when_the_network_has_recovered_it_comes_back() -> None:
    patience = after([9.0] * 1000)
    assert patience.seconds(5.0) > SETTING
    for minute in range(1, 91):
        for _ in range(60):
            patience.succeeded(0.1, minute * 60.0)
    assert patience.seconds(91 * 60.0) == SETTING


def test_when_nothing_succeeds_any_more_the_past_is_forgotten() -> None:
    patience = after([9.0] * 100)
    assert patience.seconds(5.0) > SETTING
    assert patience.seconds(3600.0) == SETTING


@given(DURATIONS)
def test_whatever_is_seen_it_is_between_the_setting_and_its_cap(seen: list[tuple[float, float]]) -> None:
    patience, now = AdaptiveTimeout(SETTING), 0.0
    for seconds, pause in seen:
        now += pause
        patience.succeeded(seconds, now)
        assert SETTING <= patience.seconds(now) <= CAP * SETTING


@given(st.lists(st.floats(0.0, 9.0), min_size=20, max_size=200), st.floats(1.0, 5.0))
def test_slower_successes_never_shorten_it(durations: list[float], factor: float) -> None:
    slower = [seconds * factor for seconds in durations]
    assert after(slower).seconds(2.0) >= after(durations).seconds(2.0)
