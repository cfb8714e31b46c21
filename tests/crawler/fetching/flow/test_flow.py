"""How many requests may be under way: found by trying, and less whenever something suffers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.flow.delays import QueueingDelay
from hinterland.crawler.fetching.flow.flow import FIRST_REQUESTS, FIRST_TASKS, Congestion, Flow
from hinterland.crawler.fetching.flow.lookup_record import LookupAnswer
from hinterland.crawler.fetching.flow.window import Window
from hinterland.crawler.frontier.visits import HostTask, HostTaskKind, Visit


class Crawl:
    """A flow whose places are always all taken by pages; an answer comes every millisecond."""

    def __init__(self, most: int = 1000) -> None:
        self.flow = Flow(most)
        self.now = 100.0
        self._page = 0
        self._under_way: list[Visit] = []

    @property
    def places(self) -> int:
        while self.flow.requests.has_free():
            visit = Visit(self._page % 997, self._page)
            self._page += 1
            self._under_way.append(visit)
            self.flow.begins(visit)
        return self.flow.requests.limit

    def answer(self, times: int, excess: float = 0.0, hosts: int = 20) -> None:
        for number in range(times):
            assert self.places
            self.now += 0.001
            self.flow.answered(f"h{number % hosts}.test", rtt=0.05 + excess, now=self.now)
            self.flow.served(self._under_way.pop(0), self.now)


def test_requests_double_with_each_round_of_pages_as_long_as_all_places_are_taken() -> None:
    crawl = Crawl()
    crawl.answer(FIRST_REQUESTS)
    assert crawl.places == 2 * FIRST_REQUESTS
    crawl.answer(5000)
    assert crawl.places == 1000


def test_robots_txts_have_places_of_their_own_and_say_nothing_of_how_many_pages_the_link_can_carry() -> None:
    flow, begun = Flow(1000), 0
    while flow.has_room():
        flow.begins(Visit(begun, -1, HostTask(HostTaskKind.ROBOTS, begun)))
        begun += 1
    assert begun == FIRST_TASKS
    for number in range(begun):
        flow.served(Visit(number, -1, HostTask(HostTaskKind.ROBOTS, number)), 1.0)
    assert FIRST_TASKS < flow.tasks.limit < 2 * FIRST_TASKS
    assert flow.requests.limit == FIRST_REQUESTS


def test_nothing_grows_while_places_are_free() -> None:
    flow = Flow(1000)
    for number in range(100):
        assert flow.requests.has_free()
        flow.begins(Visit(number, number))
        flow.served(Visit(number, number), float(number))
    assert flow.requests.limit == FIRST_REQUESTS


def test_a_place_that_is_given_back_twice_counts_once() -> None:
    flow = Flow(1000)
    visits = [Visit(number, number) for number in range(FIRST_REQUESTS)]
    for visit in visits:
        flow.begins(visit)
    flow.served(visits[0], 1.0)
    flow.ends(visits[0])
    assert len(flow.requests) == FIRST_REQUESTS - 1


def test_a_queue_in_our_own_link_shrinks_it_and_it_grows_slowly_afterwards() -> None:
    crawl = Crawl()
    crawl.answer(400)
    before = crawl.places
    crawl.answer(60, excess=0.5)
    shrunk = crawl.places
    assert shrunk < before
    crawl.now += 10.0
    crawl.answer(shrunk)
    assert shrunk < crawl.places <= 1.2 * shrunk


def test_a_queue_that_comes_again_bounds_the_receive_windows_until_it_stays_away() -> None:
    crawl = Crawl()
    crawl.answer(200)
    crawl.answer(100, excess=0.5)
    windows = [crawl.flow.receive_window]
    crawl.now += 3.0
    crawl.answer(100, excess=0.5)
    windows.append(crawl.flow.receive_window)
    for _ in range(3):
        crawl.now += 20.0
        crawl.answer(60)
    windows.append(crawl.flow.receive_window)
    assert [window is None for window in windows] == [True, False, True]


def test_one_slow_host_in_three_is_not_our_link() -> None:
    delay = QueueingDelay()
    for number in range(80):
        slow = 0.4 if number >= 40 and number % 3 == 0 else 0.05
        delay.measured(f"h{number % 40}.test", slow, number / 100)
    assert (delay.seconds(0.8) or 0.0) < 0.01


def test_the_least_time_of_a_host_is_remembered_over_its_connections() -> None:
    delay = QueueingDelay()
    for number in range(20):
        delay.measured(f"h{number}.test", 0.05, 0.0)
    for number in range(20):
        delay.measured(f"h{number}.test", 0.3, 5.0)
    assert (delay.seconds(5.0) or 0.0) >= 0.1


def test_hosts_that_answer_late_for_the_first_time_are_far_and_no_queue() -> None:
    delay = QueueingDelay()
    for number in range(300):
        delay.measured(f"h{number}.test", 0.05 + number / 1000, number / 100)
        assert not delay.seconds(number / 100)


def test_a_way_that_is_always_restless_is_no_queue() -> None:
    delay = QueueingDelay()
    for number in range(3000):
        delay.measured(f"h{number % 20}.test", 0.05 + number * 7919 % 100 / 1000, number / 100)
        if number % 10 == 0 and number > 500:
            assert (delay.seconds(number / 100) or 0.0) < 0.08
    middle = sorted(delay.seconds(30.0 + number / 10) or 0.0 for number in range(10))[5]
    assert middle < 0.04


def test_old_samples_say_nothing_of_now() -> None:
    delay = QueueingDelay()
    for number in range(40):
        delay.measured(f"h{number % 20}.test", 0.5, 0.0)
    assert delay.seconds(60.0) is None


def test_time_outs_of_hosts_that_answered_before_shrink_it_and_those_of_dead_hosts_do_not() -> None:
    crawl = Crawl()
    crawl.answer(4 * FIRST_REQUESTS)
    before = crawl.places
    for _ in range(50):
        crawl.flow.timed_out("dead.test", crawl.now)
    assert crawl.places == before
    for _ in range(50):
        crawl.flow.timed_out("h1.test", crawl.now)
    assert crawl.places < before


def test_a_late_event_loop_gets_no_more_to_do() -> None:
    crawl = Crawl()
    for _ in range(20):
        crawl.flow.was_late(0.1, crawl.now)
    crawl.answer(100)
    assert crawl.places == FIRST_REQUESTS


def lookups_that_begin(flow: Flow) -> int:
    """How many find a place beside each other."""
    visits: list[Visit] = []
    while flow.lookups.has_free():
        visits.append(Visit(len(visits), -1, HostTask(HostTaskKind.RESOLVE, len(visits))))
        flow.begins(visits[-1])
    for visit in visits:
        flow.ends(visit)
    return len(visits)


def test_lookups_grow_with_replies_and_shrink_when_the_name_server_stops_replying() -> None:
    flow = Flow(1000)
    first = lookups_that_begin(flow)
    for _ in range(100):
        flow.looked_up(0, LookupAnswer.FOUND, now=1.0)
    grown = lookups_that_begin(flow)
    for _ in range(60):
        flow.looked_up(0, LookupAnswer.SILENT, now=10.0)
    assert first < grown
    assert lookups_that_begin(flow) < grown


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


def test_what_took_places_away_is_forgotten_once_they_are_given_again() -> None:
    crawl = Crawl()
    crawl.answer(200)
    crawl.answer(100, excess=0.5)
    causes = [crawl.flow.congestion]
    crawl.now += 20.0
    crawl.answer(100)
    causes.append(crawl.flow.congestion)
    assert causes == [Congestion.LINK, None]
