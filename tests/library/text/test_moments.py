"""Moments as people name them."""

from __future__ import annotations

from datetime import datetime

import pytest

from hinterland.library.text.moments import NoMoment, moment_named, since_words


@pytest.mark.parametrize(
    "text, ago", [("30s", 30), ("5m", 300), ("1.5h", 5400), ("7d", 604_800), ("2w", 1_209_600), (" 7 D ", 604_800)]
)
def test_a_time_ago_is_counted_back_from_now(text: str, ago: float) -> None:
    assert moment_named(text, 1e9) == 1e9 - ago


def test_dates_are_those_of_the_local_clock_unless_they_name_a_zone() -> None:
    assert moment_named("2026-03-01", 0) == datetime(2026, 3, 1).timestamp()  # noqa: DTZ001  that is the point
    assert moment_named("2026-03-01T08:30+00:00", 0) == 1772353800


@pytest.mark.parametrize(
    "text, words",
    [("7d", "in the last 7 days"), ("1h", "in the last hour"), ("2026-03-01", "since 2026-03-01")],
)
def test_a_moment_is_said_in_words(text: str, words: str) -> None:
    assert since_words(text) == words


@pytest.mark.parametrize("text", ["", "soon", "7", "7y", "2026-13-01", "-1d"])
def test_a_text_that_is_no_moment_is_named_with_examples(text: str) -> None:
    with pytest.raises(NoMoment, match="is not a time: write 12h, 7d"):
        moment_named(text, 1e9)
