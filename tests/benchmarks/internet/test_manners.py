"""The judge of manners: it says nothing of a polite log, and finds each fault that is put into one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.internet.manners import Politeness, Verdict, judge, owed_rest
from benchmarks.internet.request_log import Arrival, Request
from benchmarks.internet.web_robots import PRIVATE, RobotsFile

RULES = Politeness(delay_seconds=1.0, delay_factor=2.0, address_delay_seconds=0.5, address_connections=2)
ROBOTS = RobotsFile(crawl_delay=3, forbids=True)
WITH_ROBOTS = "http://b.example"


def request(received: float, ended: float, host: str = "http://a.example", path: str = "/", **more: Any) -> Request:
    made = Request(received, ended, host, "198.18.1.0", path, 200, Arrival.REUSED)
    return replace(made, **more)


def judged(requests: list[Request], rules: Politeness = RULES, travel: float = 0.0) -> Verdict:
    return judge(requests, rules, lambda host: ROBOTS if host == WITH_ROBOTS else None, lambda _: travel)


def robots_read(received: float, host: str = "http://a.example") -> Request:
    return request(received, received, host, "/robots.txt")


@st.composite
def polite_logs(draw: st.DrawFn) -> list[Request]:
    """Visits to three hosts at three addresses, each as soon as it may come or later."""
    requests = []
    for number, host in enumerate(("http://a.example", WITH_ROBOTS, "https://c.example")):
        clock, before = draw(st.floats(0, 5)), None
        for visit in range(draw(st.integers(1, 8))):
            if before is not None:
                asked = float(ROBOTS.crawl_delay or 0) if host == WITH_ROBOTS else 0.0
                clock = before.ended + owed_rest(before, RULES, asked) + draw(st.floats(0, 3))
            seconds, retry_after = draw(st.floats(0, 2)), draw(st.sampled_from([0, 0, 0, 4]))
            path = f"/{visit}.html" if visit else "/robots.txt"
            made = request(clock, clock + seconds, host, path, address=f"198.18.1.{number}")
            before = replace(made, retry_after=retry_after, status=429) if retry_after and visit else made
            requests.append(before)
    return sorted(requests, key=lambda each: each.ended)


@pytest.mark.slow
@given(polite_logs())
def test_nothing_is_said_of_a_polite_log(log: list[Request]) -> None:
    verdict = judged(log)
    assert not verdict.violations
    assert verdict.gaps == len(log) - 3


@pytest.mark.slow
@given(polite_logs(), st.data())
def test_a_request_that_comes_before_its_time_is_found_wherever_it_is(log: list[Request], data: st.DataObject) -> None:
    late = [each for each in log if each.path != "/robots.txt"]
    if not late:
        return
    chosen = data.draw(st.sampled_from(late))
    before = max(
        (each for each in log if each.host == chosen.host and each.received < chosen.received),
        key=lambda each: each.received,
    )
    early = before.ended + data.draw(st.floats(0, 0.99))
    moved = [replace(each, received=early, ended=max(early, each.ended)) if each is chosen else each for each in log]
    assert judged(moved).violations.total() > 0


@pytest.mark.slow
@given(polite_logs(), st.data())
def test_a_request_during_another_to_its_host_is_an_overlap(log: list[Request], data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from(log))
    open_until = replace(chosen, ended=chosen.ended + 1)
    meanwhile = replace(chosen, received=chosen.received + 0.5, ended=chosen.ended + 2, path="/other.html")
    rest = [each for each in log if each is not chosen]
    assert judged([*rest, open_until, meanwhile]).violations["overlap"] > 0


@pytest.mark.parametrize(
    "kind, requests",
    [
        ("gap too short", [robots_read(0), request(0.9, 1)]),
        ("gap too short", [robots_read(0), request(1, 3), request(6.9, 7)]),  # it took 2 s and is owed 4
        ("overlap", [robots_read(0), request(2, 5), request(4, 6)]),
        ("Retry-After not obeyed", [robots_read(0), request(2, 2, status=429, retry_after=9), request(10, 10)]),
        ("Crawl-delay not kept", [robots_read(0, WITH_ROBOTS), request(2, 2, WITH_ROBOTS)]),
        ("robots.txt not read first", [request(0, 0)]),
        ("forbidden by robots.txt", [robots_read(0, WITH_ROBOTS), request(9, 9, WITH_ROBOTS, f"{PRIVATE}1.html")]),
        ("address asked too soon", [robots_read(0, f"http://{name}.example") for name in "abc"]),
        ("too many requests at an address", [request(n, 9, f"http://{n}.example", "/robots.txt") for n in range(3)]),
    ],
)
def test_each_fault_has_its_name(kind: str, requests: list[Request]) -> None:
    verdict = judged(requests)
    assert set(verdict.violations) == {kind}
    assert verdict.examples
    assert kind in verdict.examples[0]


def test_a_robots_txt_may_be_read_again_before_its_crawl_delay_is_over_but_no_page() -> None:
    again = [robots_read(0, WITH_ROBOTS), robots_read(1.5, WITH_ROBOTS)]
    assert not judged(again).violations
    assert set(judged([*again, request(3, 3, WITH_ROBOTS)]).violations) == {"Crawl-delay not kept"}


def test_two_requests_to_an_address_may_arrive_together_if_the_first_was_long_under_way_but_not_many() -> None:
    hosts = [f"http://{number}.example" for number in range(6)]
    assert not judged([robots_read(0.5, hosts[0]), robots_read(0.5, hosts[1])], travel=0.5).violations
    assert judged([robots_read(0.5, host) for host in hosts], travel=0.5).violations["address asked too soon"]


@pytest.mark.slow
@given(st.lists(st.floats(0, 0.5), min_size=1, max_size=30))
def test_no_delay_on_the_way_up_to_the_travel_time_is_attributed_to_the_crawler(delays: list[float]) -> None:
    sent = [(number * RULES.address_delay_seconds, delay) for number, delay in enumerate(delays)]
    log = [robots_read(at + delay, f"http://{at}.example") for at, delay in sent]
    assert not judged(log, travel=0.5).violations


def test_no_limit_of_connections_is_no_fault() -> None:
    log = [request(float(n), 9, f"http://{n}.example", "/robots.txt") for n in range(9)]
    assert not judged(log, replace(RULES, address_connections=0)).violations
