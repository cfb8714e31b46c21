"""How many requests may be under way: found by trying, and less whenever something suffers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.flow.delays import QueueingDelay
from crawler.flow.flow import FIRST_REQUESTS, Flow
from crawler.flow.lookup_record import LookupAnswer
from crawler.flow.window import Window
from crawler.frontier.visits import Visit


class Crawl:
    """A flow whose places are always all taken; an answer comes every millisecond."""

    def __init__(self, most: int = 1000) -> None:
        self.flow = Flow(most)
        self.now = 100.0
        self.take_all()

    def take_all(self) -> None:
        while self.flow.requests.has_free():
            self.flow.requests.take(Visit(len(self.flow.requests), 0))

    @property
    def places(self) -> int:
        while self.flow.requests.has_free():
            self.flow.requests.take(Visit(len(self.flow.requests), 0))
        return len(self.flow.requests)

    def answer(self, times: int, excess: float = 0.0, host: str = "a.test") -> None:
        for _ in range(times):
            self.now += 0.001
            self.flow.answered(host, rtt=0.05 + excess, least_rtt=0.05, now=self.now)
            self.take_all()


def test_requests_double_with_each_round_of_answers_as_long_as_all_places_are_taken() -> None:
    crawl = Crawl()
    crawl.answer(FIRST_REQUESTS)
    assert crawl.places == 2 * FIRST_REQUESTS
    crawl.answer(5000)
    assert crawl.places == 1000


def test_nothing_grows_while_places_are_free() -> None:
    flow = Flow(1000)
    assert flow.requests.has_free()
    for number in range(100):
        flow.answered("a.test", rtt=0.05, least_rtt=0.05, now=float(number))
    for number in range(FIRST_REQUESTS):
        assert flow.requests.has_free()
        flow.requests.take(Visit(number, 0))
    assert not flow.requests.has_free()


def test_a_queue_in_our_own_link_shrinks_it_and_it_grows_slowly_afterwards() -> None:
    crawl = Crawl()
    crawl.answer(200)
    before = crawl.flow.requests
    assert before is crawl.flow.requests
    crawl.answer(30, excess=0.5)
    flow = crawl.flow
    for number in range(1000):
        flow.requests.give_back(Visit(number, 0))
    shrunk = crawl.places
    assert shrunk < FIRST_REQUESTS + 200
    crawl.now += 10.0
    crawl.answer(shrunk)
    assert shrunk < crawl.places <= shrunk + 10


def test_one_slow_host_among_many_is_not_our_link() -> None:
    delay = QueueingDelay()
    for number in range(40):
        delay.measured(f"h{number}.test", 0.4 if number % 3 == 0 else 0.05, 0.05, now=number / 100)
    assert (delay.seconds(0.4) or 0.0) < 0.01


def test_the_least_time_of_a_host_is_remembered_over_its_connections() -> None:
    delay = QueueingDelay()
    for number in range(20):
        delay.measured(f"h{number}.test", 0.05, 0.05, now=0.0)
    for number in range(20):  # a new connection knows only the queue that it began in
        delay.measured(f"h{number}.test", 0.3, 0.3, now=5.0)
    assert abs((delay.seconds(5.0) or 0.0) - 0.25) < 1e-9


def test_old_samples_say_nothing_of_now() -> None:
    delay = QueueingDelay()
    for number in range(20):
        delay.measured(f"h{number}.test", 0.5, 0.05, now=0.0)
    assert delay.seconds(60.0) is None


def test_time_outs_of_hosts_that_answered_before_shrink_it_and_those_of_dead_hosts_do_not() -> None:
    crawl = Crawl()
    crawl.answer(FIRST_REQUESTS)
    for _ in range(50):
        crawl.flow.timed_out("dead.test", crawl.now)
    assert crawl.places == 2 * FIRST_REQUESTS
    for _ in range(50):
        crawl.flow.timed_out("a.test", crawl.now)
    for number in range(1000):
        crawl.flow.requests.give_back(Visit(number, 0))
    assert crawl.places < 2 * FIRST_REQUESTS


def test_a_late_event_loop_gets_no_more_to_do() -> None:
    crawl = Crawl()
    for _ in range(20):
        crawl.flow.was_late(0.1, crawl.now)
    crawl.answer(100)
    assert crawl.places == FIRST_REQUESTS


def test_lookups_grow_with_replies_and_shrink_when_the_name_server_stops_replying() -> None:
    flow = Flow(1000)
    taken = 0
    for round_number in range(3):
        while flow.lookups.has_free():
            flow.lookups.take(Visit(taken, -1))
            taken += 1
        for _ in range(50):
            flow.looked_up(0, LookupAnswer.FOUND, now=float(round_number))
    grown = taken
    for _ in range(60):
        flow.looked_up(0, LookupAnswer.SILENT, now=10.0)
    for number in range(taken):
        flow.lookups.give_back(Visit(number, -1))
    taken = 0
    while flow.lookups.has_free():
        flow.lookups.take(Visit(taken, -1))
        taken += 1
    assert taken < grown


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0.0, 1.0), st.floats(0.0, 3.0)), max_size=200),
    st.integers(1, 50), st.integers(1, 50), st.integers(1, 2000),
)  # fmt: skip
def test_a_window_stays_within_its_bounds_whatever_happens(
    steps: list[tuple[bool, float, float]], first: int, least: int, most: int
) -> None:
    window, now = Window(first=first, least=least, most=most), 0.0
    for is_growth, factor, seconds in steps:
        now += seconds
        if is_growth:
            window.grow()
        else:
            window.shrink(factor, now)
        assert 1 <= window.places <= max(most, least)
