from __future__ import annotations

import itertools
import random

from hinterland.crawler.frontier.time_slots import TimeSlots


def begins(time_slots: TimeSlots, delay: float, draw: random.Random) -> list[float]:
    """When a crawl begins requests that asks again after a while, each time."""
    now, found = 1.7e9 + draw.random(), []
    for _ in range(200):
        now = time_slots.next_begin(now, delay) + 0.019 * draw.random()  # as late as a busy event loop
        found.append(now)
        now += delay + 0.5 * draw.random()
    return found


def test_requests_of_crawls_that_know_nothing_of_each_other_keep_the_delay() -> None:
    draw = random.Random(1)
    for delay, address in ((0.05, "192.0.2.1"), (0.25, "192.0.2.2"), (3.0, "2001:db8::1")):
        of_each = [begins(TimeSlots(number, 3).at(address), delay, draw) for number in range(3)]
        all_of_them = sorted(itertools.chain.from_iterable(of_each))
        gaps = [later - earlier for earlier, later in itertools.pairwise(all_of_them)]
        assert min(gaps) >= delay - 1e-6  # of epoch seconds, floats know no more


def test_a_turn_can_be_taken_in_its_first_moments_and_is_over_then() -> None:
    time_slots = TimeSlots(1, 2)
    begin = time_slots.next_begin(1000.0, 0.25)
    assert time_slots.next_begin(begin + 0.04, 0.25) == begin
    assert time_slots.next_begin(begin + 0.06, 0.25) > begin + 0.5


def test_a_crawl_has_its_turn_somewhere_at_any_time() -> None:
    here = [TimeSlots(0, 8).at(f"192.0.2.{number}") for number in range(100)]
    for now in (1000.0, 1000.7, 1001.9):
        assert 5 <= sum(time_slots.next_begin(now, 0.25) <= now + 0.3 for time_slots in here) <= 35
