from __future__ import annotations

import pytest

from hinterland.crawler.features.rendering.allowance import Allowance


def allowance(requests: int = 2, size: int = 100) -> Allowance:
    return Allowance("http://a.test/page", requests, size)


@pytest.mark.parametrize("kind", ["script", "xhr", "fetch"])
def test_scripts_and_data_may_be_fetched(kind: str) -> None:
    assert allowance().objection(kind, "GET") == ""


@pytest.mark.parametrize("kind", ["image", "media", "font", "ping", "websocket", "eventsource", "document", "other"])
def test_what_a_page_says_nothing_with_is_not_fetched_nor_missed(kind: str) -> None:
    given = allowance()
    reason = given.objection(kind, "GET")
    given.refuse(kind, reason)
    assert reason == "of a type that is not fetched"
    assert given.refusals == ""


def test_nothing_is_sent_to_a_server() -> None:
    assert allowance().objection("fetch", "POST") == "sent by POST"


def test_requests_end_with_the_allowed_number_or_bytes() -> None:
    given = allowance(requests=2)
    given.requests("http://a.test/1")
    given.requests("http://b.test/2")
    assert given.objection("script", "GET") == "over the limit of 2 requests"
    full = allowance(size=100)
    full.received("http://a.test/1", 100, 0.5)
    assert full.objection("script", "GET") == "over the limit of bytes"


def test_the_requests_of_the_page_s_own_host_are_counted_for_its_rest() -> None:
    given = allowance(requests=9)
    for url in ("http://a.test/1", "http://b.test/2", "http://a.test/3"):
        given.requests(url)
        given.received(url, 1, 0.5)
    assert (given.requests_of_host, given.seconds_of_host) == (2, 1.0)


def test_refusals_are_reported_with_their_reasons() -> None:
    given = allowance()
    for reason in ("forbidden by robots.txt", "sent by POST", "forbidden by robots.txt"):
        given.refuse("fetch", reason)
    assert given.refusals == "some of its requests were refused: 2 forbidden by robots.txt, 1 sent by POST"
