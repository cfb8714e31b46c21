"""Whether an answer comes from a gate or from the site behind it."""

from __future__ import annotations

import gzip

import brotli
import pytest

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.gated_answers import gate_of
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.validators import Validators
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.urls.canonical import Canonicaliser
from tests.support.gate_pages import GATE_PAGES, ORDINARY_PAGES

ANUBIS = GATE_PAGES["Anubis"][1]
CLOUDFLARE = GATE_PAGES["Cloudflare asks for a browser"][1]


def verdict(answer: Answer | NoAnswer, validators: Validators | None = None) -> Verdict:
    return judge(answer, "http://a.test/page", Canonicaliser(), validators)


@pytest.mark.parametrize("name", GATE_PAGES)
def test_a_page_of_a_gate_is_challenged_whatever_its_status_and_its_coding(name: str) -> None:
    status, page, words = GATE_PAGES[name]
    for body, coding in ((page, ""), (gzip.compress(page), "gzip"), (brotli.compress(page), "br")):
        answer = Answer(status, body, 0.1, content_type="text/html; charset=utf-8", content_encoding=coding)
        if status >= 300:
            answer = Answer(status, b"", 0.1, True, "text/html", coding, unwanted=body)
        found = verdict(answer)
        assert (found.kind, found.status) == (OutcomeKind.CHALLENGED, status)
        assert found.detail.startswith(f"{words} (status {status}, ")


@pytest.mark.parametrize("name", ORDINARY_PAGES)
def test_an_ordinary_page_is_fetched(name: str) -> None:
    body = gzip.compress(ORDINARY_PAGES[name])
    assert verdict(Answer(200, body, 0.1, content_encoding="gzip")) == Verdict(OutcomeKind.FETCHED, "", 200)


def test_a_field_of_a_filter_is_enough_be_there_a_body_or_not() -> None:
    answer = Answer(202, b"", 0.1, filter_fields=(("x-amzn-waf-action", "challenge"),))
    detail = "a challenge page of AWS WAF (status 202, x-amzn-waf-action: challenge)"
    assert verdict(answer) == Verdict(OutcomeKind.CHALLENGED, detail, 202)


def test_a_redirect_to_a_wall_is_no_redirect() -> None:
    answer = Answer(302, b"", 0.1, location="https://consent.google.com/m?continue=x")
    detail = "a consent page of Google (status 302, leads to https://consent.google.com/m?continue=x)"
    assert verdict(answer) == Verdict(OutcomeKind.CHALLENGED, detail, 302)
    assert verdict(Answer(302, b"", 0.1, location="/next")).kind is OutcomeKind.REDIRECTED


@pytest.mark.parametrize(
    "answer, kind",
    [
        (Answer(200, ANUBIS, 0.1, content_type="text/plain"), OutcomeKind.FETCHED),
        (Answer(200, ANUBIS, 0.1, etag='"1"'), OutcomeKind.FETCHED),
        (Answer(200, ANUBIS, 0.1, last_modified="Thu, 26 Nov 2026 12:00:00 GMT"), OutcomeKind.FETCHED),
        (Answer(200, ANUBIS + b" " * 20_000, 0.1), OutcomeKind.FETCHED),
        (Answer(200, b"no gzip", 0.1, content_encoding="gzip"), OutcomeKind.FETCHED),
        (Answer(200, gzip.compress(ANUBIS + b" " * 10**7), 0.1, content_encoding="gzip"), OutcomeKind.FETCHED),
        (Answer(200, gzip.compress(ANUBIS), 0.1, content_encoding="rot13"), OutcomeKind.FETCHED),
        (Answer(404, b"", 0.1, unwanted=CLOUDFLARE), OutcomeKind.CLIENT_ERROR),
        (Answer(500, b"", 0.1, unwanted=CLOUDFLARE), OutcomeKind.SERVER_ERROR),
        (Answer(403, b"", 0.1, unwanted=b"<title>Forbidden</title>"), OutcomeKind.CLIENT_ERROR),
    ],
)
def test_in_doubt_an_answer_is_taken_for_what_it_says_it_is(answer: Answer, kind: OutcomeKind) -> None:
    assert verdict(answer).kind is kind


def test_a_page_that_is_the_same_as_before_is_no_gate() -> None:
    assert verdict(Answer(304, b"", 0.1), Validators('"1"', None)).is_same


def test_no_answer_is_no_gate_and_an_answer_that_was_skipped_may_be_one() -> None:
    assert verdict(NoAnswer(OutcomeKind.DISCONNECTED, "gone", 0.1)).kind is OutcomeKind.DISCONNECTED
    assert gate_of(Answer(200, b"", 0.1, was_skipped=True, content_type="text/html", unwanted=ANUBIS)) is not None
