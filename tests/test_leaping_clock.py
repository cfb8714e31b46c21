"""The clock of crawls that go on for years."""

from __future__ import annotations

from tests.support.leaping_clock import LeapingClock


def test_it_stands_still_while_the_machine_does_and_goes_as_fast_otherwise() -> None:
    seconds = iter([100.0, 100.01, 100.03, 103.0, 103.01])
    clock = LeapingClock(5_000.0, lambda: next(seconds))
    assert [round(clock() - 5_000.0, 3) for _ in range(4)] == [0.01, 0.03, 0.08, 0.09]
