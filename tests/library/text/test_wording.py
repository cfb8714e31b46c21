"""Figures, tables and foreign texts in words."""

from __future__ import annotations

import pytest

from hinterland.library.text.wording import duration, ordinal, printable, rate, size, sparkline, table


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0.04, "0.0 s"),
        (9.96, "10 s"),
        (59.6, "1 min 00 s"),
        (3599.0, "59 min 59 s"),
        (3600.0, "1 h 00 min"),
        (90_000.0, "1 d 1 h"),
    ],
)
def test_durations_are_worded(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_places_are_ordinal_numbers() -> None:
    assert [ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 2_910)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th", "2,910th",
    ]  # fmt: skip


def test_sizes_and_rates_have_few_digits() -> None:
    assert [size(count) for count in (0.9, 999, 1000, 123_456, 9_990_000, 2.5e15)] == [
        "1 byte",
        "999 bytes",
        "1.0 KB",
        "123 KB",
        "10.0 MB",
        "2,500.0 TB",
    ]
    assert [rate(each) for each in (0.04, 99.94, 1234.5)] == ["0.0", "99.9", "1,234"]


def test_foreign_texts_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[31mb\r\n\u202ec é") == "a\\x1b[31mb\\r\\n\\u202ec é"


def test_sparklines_reach_from_zero_to_the_largest_value_in_few_letters() -> None:
    assert sparkline([0.0, 1.0, 2.0, 4.0]) == "▁▃▅█"
    assert sparkline([0.0, 0.0]) == "▁▁"
    assert sparkline([]) == ""
    long = sparkline([float(value) for value in range(1000, 0, -1)])
    assert len(long) == 50
    assert (long[0], long[-1]) == ("█", "▁")


def test_tables_are_aligned() -> None:
    assert table([("a", "1", ""), ("bbb", "22", "x")], right=(1,)) == ["  a     1", "  bbb  22  x"]


def test_a_table_without_rows_has_no_lines() -> None:
    assert table([]) == []
