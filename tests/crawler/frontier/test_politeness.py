"""How long a host rests after a visit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.frontier.politeness import BACKOFF_JITTER, rest_after_answer, rest_after_failure
from hinterland.crawler.settings import PolitenessSettings


def after_answer(seconds: float, crawl_delay: float | None = None, **settings: Any) -> float:
    return rest_after_answer(PolitenessSettings(**settings), seconds, crawl_delay)


def after_failure(
    failures: int,
    *,
    retry_after: float | None = None,
    crawl_delay: float | None = None,
    luck: float = 0.0,
    **settings: Any,
) -> float:
    return rest_after_failure(
        PolitenessSettings(**settings), failures, retry_after=retry_after, crawl_delay=crawl_delay, random=lambda: luck
    )


def test_a_quick_host_rests_for_the_delay() -> None:
    assert after_answer(0.01, delay_seconds=1.5) == 1.5


def test_a_slow_host_rests_for_a_multiple_of_the_download() -> None:
    assert after_answer(0.5, delay_factor=10) == 5.0


def test_the_multiple_has_a_cap_but_the_delay_has_none() -> None:
    assert after_answer(100, max_delay_seconds=30) == 30
    assert after_answer(100, max_delay_seconds=30, delay_seconds=60) == 60


def test_a_crawl_delay_lengthens_the_rest_and_never_shortens_it() -> None:
    assert after_answer(0.01, crawl_delay=7) == 7
    assert after_answer(0.01, crawl_delay=0.1, delay_seconds=1) == 1
    assert after_answer(2, crawl_delay=7, delay_factor=10) == 20


def test_the_rest_doubles_with_each_failure_in_a_row() -> None:
    assert [after_failure(n, backoff_seconds=5) for n in (1, 2, 3, 4)] == [5, 10, 20, 40]


def test_the_doubling_ends_at_the_maximum_even_after_ten_thousand_failures() -> None:
    assert after_failure(8, backoff_seconds=5, max_backoff_seconds=600) == 600
    assert after_failure(10_000, backoff_seconds=5, max_backoff_seconds=600) == 600


def test_jitter_only_lengthens_the_rest() -> None:
    assert after_failure(1, backoff_seconds=10, luck=0.0) == 10
    assert after_failure(1, backoff_seconds=10, luck=0.5) == 11


def test_retry_after_is_a_lower_bound() -> None:
    assert after_failure(1, retry_after=90, backoff_seconds=5) == 90
    assert after_failure(5, retry_after=1, backoff_seconds=5) == 80


def test_retry_after_counts_up_to_its_maximum() -> None:
    assert after_failure(1, retry_after=10**9, max_retry_after_seconds=3600) == 3600


@pytest.mark.parametrize("crawl_delay", [None, 0.0, 200.0])
@given(
    failures=st.integers(1, 100),
    retry_after=st.none() | st.floats(0, 10**6),
    luck=st.floats(0, 1, exclude_max=True),
    download=st.floats(0, 1000),
)
def test_no_rest_is_shorter_than_the_delay_or_the_crawl_delay_or_longer_than_all_caps(
    failures: int, retry_after: float | None, luck: float, download: float, crawl_delay: float | None
) -> None:
    settings = PolitenessSettings()
    least = max(settings.delay_seconds, crawl_delay or 0)
    failed = after_failure(failures, retry_after=retry_after, crawl_delay=crawl_delay, luck=luck)
    longest = max(settings.max_backoff_seconds * (1 + BACKOFF_JITTER), settings.max_retry_after_seconds)
    assert least <= failed <= max(least, longest)
    assert failed >= min(retry_after or 0, settings.max_retry_after_seconds)
    assert least <= after_answer(download, crawl_delay) <= max(least, settings.max_delay_seconds)


def test_a_host_rests_for_each_of_several_requests_in_a_row() -> None:
    settings = PolitenessSettings(delay_seconds=1.0, delay_factor=10.0, max_delay_seconds=30.0)
    assert rest_after_answer(settings, 0.1, None, requests=4) == 4.0
    assert rest_after_answer(settings, 0.1, 2.5, requests=4) == 10.0
    assert rest_after_answer(settings, 2.0, None, requests=4) == 20.0  # they took long
