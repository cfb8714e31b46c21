"""What an answer to the request for a robots.txt says."""

from __future__ import annotations

import gzip

import pytest

from crawler.fetching.answers import Answer, NoAnswer
from crawler.fetching.outcomes import OutcomeKind
from crawler.robots.answers import RobotsFile, RobotsUnread, read_robots


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


def test_no_answer_leaves_it_unread() -> None:
    failed = NoAnswer(OutcomeKind.CONNECT_FAILURE, "refused", 0.1)
    assert read(failed) == RobotsUnread(OutcomeKind.CONNECT_FAILURE, "connect_failure: refused")


def test_a_body_that_cannot_be_decoded_leaves_it_unread() -> None:
    found = read(Answer(200, b"no gzip", 0.1, content_encoding="gzip"))
    assert isinstance(found, RobotsUnread)
    assert found.kind is OutcomeKind.CORRUPT
