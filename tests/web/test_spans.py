"""Spans are read as people write them, and what is none is refused with an example."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.storage.values.page_table import NO_STATUS
from hinterland.web.parameters import BadParameter
from hinterland.web.spans import count_span, seconds_span, size_span, status_span


@pytest.mark.parametrize(
    "text, span",
    [
        ("", (None, None)),
        ("3", (3, 3)),
        ("2-5", (2, 5)),
        (" 2 – 5 ", (2, 5)),
        ("2..5", (2, 5)),
        ("2 to 5", (2, 5)),
        ("4-", (4, None)),
        ("-3", (None, 3)),
        (">4", (4, None)),
        ("<= 3", (None, 3)),
    ],
)
def test_a_count_is_exact_or_has_bounds(text: str, span: object) -> None:
    assert count_span("depth", text) == span


@pytest.mark.parametrize(
    "text, span",
    [
        ("100k", (100_000, None)),
        ("100k-2M", (100_000, 2_000_000)),
        ("1.5 MB-", (1_500_000, None)),
        ("-5000", (None, 5_000)),
        ("<1G", (None, 1e9)),
        ("500 bytes", (500, None)),
    ],
)
def test_a_size_has_units_and_alone_is_the_least(text: str, span: object) -> None:
    assert size_span("size", text) == span


def test_a_time_has_units_and_alone_is_the_least() -> None:
    assert seconds_span("took", "2") == (2, None)
    assert seconds_span("took", "100ms-1.5s") == (0.1, 1.5)
    assert seconds_span("took", "1min-") == (60, None)


def test_a_status_can_be_a_class_or_none() -> None:
    assert status_span("status", "404") == (404, 404)
    assert status_span("status", "4xx") == (400, 499)
    assert status_span("status", "400-403") == (400, 403)
    assert status_span("status", "none") == NO_STATUS


@pytest.mark.parametrize("text", ["x", "-", "..", "5-2", "3x", "1.2.3", "--3", "3-4-5", "1e3", "٣", "nan", "1 1"])
def test_what_is_no_span_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadParameter, match=r"^depth is "):
        count_span("depth", text)


@given(st.text(max_size=20))
def test_whatever_is_written_is_a_span_or_refused(text: str) -> None:
    for read in (count_span, size_span, seconds_span, status_span):
        try:
            low, high = read("x", text)
        except BadParameter:
            continue
        assert low is None or high is None or low <= high


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_two_numbers_are_the_span_between_them(low: int, width: int) -> None:
    assert count_span("x", f"{low}-{low + width}") == (low, low + width)
