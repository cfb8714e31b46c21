"""Retry-After (RFC 9110, section 10.2.3)."""

from __future__ import annotations

from datetime import UTC, datetime
from math import isfinite

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hinterland.crawler.fetching.retry_after import retry_after_seconds

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize("value, seconds", [("0", 0.0), ("120", 120.0), (" 7 ", 7.0), ("007", 7.0)])
def test_seconds_are_taken_as_they_are(value: str, seconds: float) -> None:
    assert retry_after_seconds(value, NOON) == seconds


@pytest.mark.parametrize(
    "value",
    [
        "Tue, 01 Jan 2030 12:01:30 GMT",
        "Tuesday, 01-Jan-30 12:01:30 GMT",  # RFC 850
        "Tue Jan  1 12:01:30 2030",  # asctime
        "Tue, 01 Jan 2030 13:01:30 +0100",
    ],
)
def test_dates_in_every_form_count_from_now(value: str) -> None:
    assert retry_after_seconds(value, NOON) == 90.0


def test_a_date_in_the_past_says_nothing() -> None:
    assert retry_after_seconds("Tue, 01 Jan 2030 11:59:59 GMT", NOON) is None
    assert retry_after_seconds("Tue, 01 Jan 2030 12:00:00 GMT", NOON) is None


@pytest.mark.parametrize(
    "value",
    [
        *("", " ", "soon", "-5", "1.5", "1e3", "5 minutes", "²", "٣", "Tue, 99 Foo 2030 99:99:99 GMT", "0x10", "1,2"),
        "Mon, 01 Jan 99999999999 00:00:00 GMT",
        "Mon, 99999999999 Jan 2031 00:00:00 GMT",
        "Mon, 01 Jan 2031 00:00:00 +999999999999999999999",
    ],
)
def test_what_cannot_be_read_says_nothing(value: str) -> None:
    assert retry_after_seconds(value, NOON) is None


def test_an_absent_field_says_nothing() -> None:
    assert retry_after_seconds(None, NOON) is None


def test_a_number_of_any_length_is_read() -> None:
    seconds = retry_after_seconds("9" * 5000, NOON)
    assert seconds is not None
    assert seconds > 1e9


@given(
    st.one_of(
        st.text(),
        st.text("0123456789 :-+,GMTJanueb"),
        st.tuples(*[st.integers(-(10**20), 10**20)] * 6).map(lambda n: "Mon, {} Jan {} {}:{}:{} {:+}".format(*n)),
    )
)
@example("Fri, 31 Dec 9999 23:59:59 -2359")
@example("Mon, 01 Jan 0001 00:00:00 +2359")
@example("\x00")
def test_no_value_does_any_harm(value: str) -> None:
    seconds = retry_after_seconds(value, NOON)
    assert seconds is None or (seconds >= 0 and isfinite(seconds))
