"""How long a shard may be silent, and how long after it was ended for that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.cluster.silence_limit import SilenceLimit


def test_before_its_first_answer_a_shard_has_longer_than_afterwards() -> None:
    patience = SilenceLimit(30.0, 120.0)
    assert patience.seconds == 120.0
    patience.answered(0.0)
    assert patience.seconds == 30.0


def test_each_start_after_one_that_was_ended_has_twice_as_long() -> None:
    patience = SilenceLimit(30.0, 120.0)
    limits = list[float]()
    for _ in range(4):
        limits.append(patience.seconds)
        patience.ended()
    assert limits == [120.0, 240.0, 480.0, 960.0]


def test_one_that_answers_and_falls_silent_again_and_again_has_twice_as_long_each_time() -> None:
    patience = SilenceLimit(30.0, 120.0)
    limits = list[float]()
    for _ in range(3):
        patience.answered(0.0)
        limits.append(patience.seconds)
        patience.ended()
    assert limits == [30.0, 60.0, 120.0]


def test_one_that_has_answered_for_a_minute_is_trusted_no_longer_than_at_first() -> None:
    patience = SilenceLimit(30.0, 120.0)
    patience.ended()
    for second in range(0, 61, 10):
        patience.answered(float(second))
    assert patience.seconds == 30.0


def test_silence_is_counted_from_the_first_question_that_was_not_answered() -> None:
    patience = SilenceLimit()
    patience.answered(10.0)
    assert [patience.silence(now) for now in (500.0, 510.0)] == [0.0, 10.0]
    patience.answered(511.0)
    assert patience.silence(512.0) == 0.0


def test_a_new_start_owes_no_answer_for_the_last_one() -> None:
    patience = SilenceLimit()
    patience.answered(0.0)
    patience.silence(1.0)
    patience.started()
    assert not patience.has_answered
    assert patience.silence(100.0) == 0.0


@given(needed=st.floats(1.0, 3600.0))
def test_a_start_that_takes_up_to_an_hour_is_waited_for_after_a_few_tries(needed: float) -> None:
    patience, tries = SilenceLimit(), 0
    while patience.seconds < needed:
        patience.ended()
        tries += 1
    assert tries <= 5


@pytest.mark.parametrize("endings", [10, 1000])
def test_the_limit_does_not_grow_without_end(endings: int) -> None:
    patience = SilenceLimit(30.0, 120.0)
    for _ in range(endings):
        patience.ended()
    assert patience.seconds == 64 * 120.0
