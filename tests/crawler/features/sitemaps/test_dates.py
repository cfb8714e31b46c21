"""Dates of sitemaps and feeds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.sitemaps.dates import epoch_seconds

NOON = datetime(2024, 5, 3, 12, 30, 15, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text",
    [
        *("2024-05-03T12:30:15Z", "2024-05-03T12:30:15.25Z", "2024-05-03T14:30:15+02:00", "2024-05-03T07:00:15-05:30"),
        *("2024-05-03T12:30:15+00:00", "2024-05-03T12:30:15", "2024-05-03 12:30:15", "2024-05-03 14:30:15 +0200"),
        *("2024-05-03T12:30:15z", "20240503T123015Z", "2024-05-03 12:30:15 UTC", " 2024-05-03T12:30:15,250Z\n"),
        *("Fri, 03 May 2024 12:30:15 GMT", "Fri, 3 May 24 14:30:15 +0200", "3 May 2024 12:30:15"),
        *("Fri, 03 May 2024 07:30:15 EST", "Friday, 03-May-24 12:30:15 GMT"),
    ],
)
def test_a_moment_is_read_in_every_form(text: str) -> None:
    assert epoch_seconds(text) == NOON


@pytest.mark.parametrize(
    "text, date",
    [
        ("2024", (2024, 1, 1)),
        ("2024-05", (2024, 5, 1)),
        ("2024-05-03", (2024, 5, 3)),
        ("2024-05-03T24:00:00Z", (2024, 5, 4)),
        ("2024-12-31T23:59:60Z", (2024, 12, 31, 23, 59, 59)),
        ("2024-05-03T12:30Z", (2024, 5, 3, 12, 30)),
    ],
)
def test_what_is_not_said_is_the_beginning(text: str, date: tuple[int, int, int]) -> None:
    assert epoch_seconds(text) == datetime(*date, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text",
    [
        *("", "yesterday", "2024-13-01", "2024-02-30", "2024-05-03T25:00:00Z", "2024-05-03T12:30:15+99:00"),
        *("0001-01-01T00:00:00Z", "1970-01-01", "0000-00-00", "03/05/2024x", "32 May 2024 12:30:15 GMT", "٢٠٢٤-٠٥-٠٣"),
        *("Fri, 03 May 99999999999 12:30:15 GMT", "9999-12-31T24:00:00Z", "9" * 10**6),
    ],
)
def test_what_is_no_date_or_from_before_the_web_is_none(text: str) -> None:
    assert epoch_seconds(text) is None


@given(st.text(st.sampled_from("0123456789-+:TZ .,MonJGT "), max_size=40) | st.text(max_size=40))
def test_nothing_is_worse_than_no_date(text: str) -> None:
    assert isinstance(epoch_seconds(text), float | None)


ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(1991, 1, 1), datetime(9998, 1, 1), timezones=ZONES))  # noqa: DTZ001  # as hypothesis asks for
def test_isoformat_is_read_as_it_was_meant(moment: datetime) -> None:
    assert epoch_seconds(moment.isoformat()) == moment.replace(microsecond=0).timestamp()
