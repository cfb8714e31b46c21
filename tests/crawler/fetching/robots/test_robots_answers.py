"""What an answer to the request for a robots.txt says."""

from __future__ import annotations

import gzip

import pytest

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.answers import RobotsFile, RobotsUnread, moved_to, read_robots
from hinterland.crawler.urls.canonical import Canonicaliser
from tests.support.gate_pages import GATE_PAGES


def read(answer: Answer | NoAnswer, max_bytes: int = 100) -> RobotsFile | RobotsUnread:
    return read_robots(answer, max_bytes=max_bytes, max_decoded_bytes=1000)


def test_a_file_is_decoded_and_cut() -> None:
    assert read(Answer(200, gzip.compress(b"x" * 300), 0.1, content_encoding="gzip")) == RobotsFile(b"x" * 100)


@pytest.mark.parametrize("status", [301, 401, 404, 410])
def test_certainty_that_there_is_none_is_no_file(status: int) -> None:
    assert read(Answer(status, b"", 0.1)) == RobotsFile(None)


@pytest.mark.parametrize("status, kind", [(500, OutcomeKind.UNAVAILABLE), (429, OutcomeKind.THROTTLED)])
def test_an_error_of_the_server_leaves_it_unread(status: int, kind: OutcomeKind) -> None:
    assert read(Answer(status, b"", 0.1)) == RobotsUnread(kind, f"status {status}")


CHALLENGED = (
    Answer(403, b"", 0.1, filter_fields=(("cf-mitigated", "challenge"),)),
    Answer(202, b"", 0.1, filter_fields=(("sg-captcha", "challenge"),)),
    Answer(302, b"", 0.1, location="https://validate.perfdrive.com/x"),
    Answer(403, b"", 0.1, content_type="text/html", unwanted=GATE_PAGES["DataDome"][1]),
    Answer(200, GATE_PAGES["Anubis"][1], 0.1, content_type="text/html"),
)


@pytest.mark.parametrize("answer", CHALLENGED)
def test_a_challenge_in_its_place_leaves_it_unread_and_allows_nothing(answer: Answer) -> None:
    found = read(answer, 10_000)
    assert isinstance(found, RobotsUnread)
    assert found.kind is OutcomeKind.CHALLENGED
    assert found.detail.startswith("a challenge page of ")
    assert moved_to(answer, "http://a.test/robots.txt", Canonicaliser(), redirects=0) is None


def test_no_answer_leaves_it_unread() -> None:
    failed = NoAnswer(OutcomeKind.CONNECT_FAILURE, "refused", 0.1)
    assert read(failed) == RobotsUnread(OutcomeKind.CONNECT_FAILURE, "connect_failure: refused")


def test_a_body_that_cannot_be_decoded_leaves_it_unread() -> None:
    found = read(Answer(200, b"no gzip", 0.1, content_encoding="gzip"))
    assert isinstance(found, RobotsUnread)
    assert found.kind is OutcomeKind.CORRUPT


def moved(status: int, location: str | None, redirects: int = 0) -> str | None:
    answer = Answer(status, b"", 0.1, location=location)
    return moved_to(answer, "http://a.test/robots.txt", Canonicaliser(), redirects=redirects)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_leads_to_where_the_file_has_moved(status: int) -> None:
    assert moved(status, "HTTP://B.test:80/x/../real.txt") == "http://b.test/real.txt"
    assert moved(status, "/real.txt") == "http://a.test/real.txt"


@pytest.mark.parametrize("status, location", [(200, "/real.txt"), (404, "/real.txt"), (301, "mailto:you@a.test")])
def test_an_answer_that_leads_nowhere_is_the_last(status: int, location: str) -> None:
    assert moved(status, location) is None


def test_redirects_are_followed_as_often_as_allowed() -> None:
    assert moved(301, "/real.txt", redirects=4) is not None
    assert moved(301, "/real.txt", redirects=5) is None


def test_a_failure_leads_nowhere() -> None:
    failed = NoAnswer(OutcomeKind.CONNECT_FAILURE, "refused", 0.1)
    assert moved_to(failed, "http://a.test/robots.txt", Canonicaliser(), redirects=0) is None
