from __future__ import annotations

import time

from hinterland.crawler.cluster.lease import Lease


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def lease_of(seconds: float = 10.0) -> tuple[Lease, Clock, list[float]]:
    clock, ends = Clock(), list[float]()
    lease = Lease(seconds, lambda: ends.append(clock.now), clock)
    lease.give_up()  # the thread; what is tested is asked here
    lease._is_over = False
    return lease, clock, ends


def test_a_lease_begins_when_an_answer_is_known_to_have_arrived() -> None:
    lease, _, _ = lease_of()
    first = lease.asked(0)
    assert not lease.begun.is_set()
    lease.asked(first)
    assert lease.begun.is_set()


def test_it_runs_from_when_the_answer_was_sent_that_has_arrived() -> None:
    lease, clock, ends = lease_of()
    first = lease.asked(0)
    clock.now = 4.0
    lease.asked(first)
    clock.now = 9.9
    lease.holds()
    assert not ends
    clock.now = 10.0
    lease.holds()
    assert ends == [10.0]


def test_questions_whose_answers_do_not_arrive_renew_nothing() -> None:
    lease, clock, ends = lease_of()
    first = lease.asked(0)
    for clock.now in (1.0, 5.0, 9.0):
        lease.asked(first)
    clock.now = 10.5
    lease.asked(first)
    assert ends == [10.5]


def test_a_process_that_was_stopped_ends_when_it_wakes_up() -> None:
    clock, ends = Clock(), list[float]()

    def end() -> None:
        ends.append(clock.now)
        lease.give_up()

    lease = Lease(10.0, end, clock)
    lease.asked(lease.asked(0))
    clock.now = 1000.0
    for _ in range(200):
        if ends:
            break
        time.sleep(0.01)
    assert ends == [1000.0]
