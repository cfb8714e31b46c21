from __future__ import annotations

from collections.abc import Sequence

from hinterland.crawler.features.exchange.shard_status import ShardStatus, TerminationDetector
from hinterland.crawler.loop.decisions.endings import EndReason
from tests.support.crawl_statistics import statistics


def quiet(*, epoch: int = 1, handed_over: int = 0, received: int = 0) -> ShardStatus:
    return ShardStatus(epoch, EndReason.EXHAUSTED, handed_over, received, 0, statistics(0.0, 0))


BUSY = ShardStatus(1, None, 0, 0, 0, statistics(0.0, 0))
UNSENT = ShardStatus(1, EndReason.EXHAUSTED, 1, 0, 1, statistics(0.0, 0))


def seen(*rounds: Sequence[ShardStatus | None]) -> list[bool]:
    detector = TerminationDetector()
    return [detector.is_over(each) for each in rounds]


def test_all_are_done_when_they_were_idle_twice_and_nothing_happened_in_between() -> None:
    assert seen([quiet(), quiet()], [quiet(), quiet()]) == [False, True]


def test_a_shard_that_received_something_in_between_may_have_handed_over_more() -> None:
    rounds = [quiet(), quiet()], [quiet(received=1), quiet(handed_over=1)], [quiet(received=1), quiet(handed_over=1)]
    assert seen(*rounds) == [False, False, True]


def test_a_shard_that_was_started_again_is_asked_again() -> None:
    assert seen([quiet()], [quiet(epoch=2)], [quiet(epoch=2)]) == [False, False, True]


def test_nobody_is_done_while_one_is_busy_or_away_or_has_something_to_send() -> None:
    for other in (BUSY, UNSENT, None):
        assert seen([quiet(), other], [quiet(), other]) == [False, False]


def test_what_was_seen_before_somebody_was_busy_does_not_count() -> None:
    assert seen([quiet()], [BUSY], [quiet()], [quiet()]) == [False, False, False, True]
