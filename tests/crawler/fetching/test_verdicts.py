"""What an answer means for the page it was asked for."""

from __future__ import annotations

import pytest

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.urls.canonical import Canonicaliser

URL = "http://a.test/dir/page"
CANONICALISER = Canonicaliser(max_length=100, drop_parameters=["sid"])


def verdict(answer: Answer | NoAnswer) -> Verdict:
    return judge(answer, URL, CANONICALISER)


@pytest.mark.parametrize(
    "status, kind",
    [
        *((status, OutcomeKind.FETCHED) for status in (200, 201, 203, 204, 206, 299)),
        *((status, OutcomeKind.CLIENT_ERROR) for status in (400, 401, 403, 404, 410, 451, 499)),
        *((status, OutcomeKind.SERVER_ERROR) for status in (500, 501, 505, 599)),
        *((status, OutcomeKind.UNAVAILABLE) for status in (502, 503, 504)),
        (429, OutcomeKind.THROTTLED),
        *((status, OutcomeKind.UNEXPECTED_STATUS) for status in (0, 101, 300, 304, 305, 306, 399, 600, 999)),
        *((status, OutcomeKind.BAD_REDIRECT) for status in (301, 302, 303, 307, 308)),
    ],
)
def test_every_status_has_its_kind(status: int, kind: OutcomeKind) -> None:
    found = verdict(Answer(status, b"", 0.1))
    assert (found.kind, found.status) == (kind, status)
    assert found.target is None
    assert bool(found.detail) == (kind is not OutcomeKind.FETCHED)


def test_a_503_that_says_when_to_come_back_asks_for_patience() -> None:
    assert verdict(Answer(503, b"", 0.1, retry_after="5")).kind is OutcomeKind.THROTTLED
    assert verdict(Answer(500, b"", 0.1, retry_after="5")).kind is OutcomeKind.SERVER_ERROR


def test_an_answer_of_another_type_is_named_by_it() -> None:
    found = verdict(Answer(200, b"", 0.1, was_skipped=True, content_type="image/png"))
    assert found == Verdict(OutcomeKind.OTHER_TYPE, "image/png", 200)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_leads_to_a_canonical_url(status: int) -> None:
    answer = Answer(status, b"", 0.1, location="../B?sid=1#fragment", was_skipped=True)
    assert verdict(answer) == Verdict(OutcomeKind.REDIRECTED, "", status, "http://a.test/B")


@pytest.mark.parametrize(
    "location, detail",
    [
        (None, "no Location"),
        ("", "to itself, by ''"),
        ("#top", "to itself, by '#top'"),
        ("/dir/page?sid=2", "to itself, by '/dir/page?sid=2'"),
        ("mailto:a@b.c", "to 'mailto:a@b.c'"),
        ("javascript:alert(1)", "to 'javascript:alert(1)'"),
        ("http://[", "to 'http://['"),
        ("/" + "x" * 300, f"to '/{'x' * 199}'"),
    ],
)
def test_a_redirect_without_a_usable_target_says_what_is_wrong_with_it(location: str | None, detail: str) -> None:
    assert verdict(Answer(301, b"", 0.1, location=location)) == Verdict(OutcomeKind.BAD_REDIRECT, detail, 301)


def test_no_answer_is_passed_on_as_it_is() -> None:
    silence = NoAnswer(OutcomeKind.TOO_LARGE, "more than 5 bytes as sent", 0.1, 200)
    assert verdict(silence) == Verdict(OutcomeKind.TOO_LARGE, "more than 5 bytes as sent", 200)
