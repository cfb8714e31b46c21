"""The header field Refresh, which leads on as `<meta http-equiv=refresh>` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.crawler.fetching.answers import Answer as Answered
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.visit_records import moved_by_field
from hinterland.crawler.parsing.html.meta_refresh import field_refresh
from hinterland.crawler.urls.canonical import Canonicaliser
from tests.support.crawling import crawl, fetched, links, outcomes
from tests.support.web import Answer, LoopbackWeb
from tests.support.web_behaviours import raw

GATE = "http://a.test/gate/"


def gate(refresh: str, body: bytes = b"", content_type: str | None = "text/html") -> Answer:
    return Answer(body, content_type=content_type, headers={"Refresh": refresh})


@pytest.mark.parametrize(
    "answer",
    [
        gate("0; url=/inside"),
        gate("5;URL='/inside'", b"<p>You will be taken there."),
        gate("0;/inside", content_type=None),
        gate("3, url=../inside", b"<base href=/else/where/>"),
        gate('0; url="/inside"', b"<meta http-equiv=refresh content='0; url=/not-this'>"),
        gate("1; url=/inside", b"one moment", "text/plain"),
        gate("0; url=/inside", b"GIF89a", "image/gif"),
        gate("soon", b"<meta http-equiv=refresh content='0; url=/inside'>"),
    ],
)
async def test_a_gate_that_leads_on_by_a_refresh_field_is_not_the_whole_crawl(answer: Answer, tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.answer("a.test", "/gate/", answer)
        inside = web.page("a.test", "/inside", links=["/further"])
        further = web.page("a.test", "/further")
        done = await crawl(web.addresses, [seed], tmp_path / "s.db")
    assert {inside, further} <= fetched(tmp_path / "s.db")
    assert (seed, inside, "refresh") in links(tmp_path / "s.db") or done.outcome(seed) == "redirected"
    assert web.url("a.test", "/not-this") not in outcomes(tmp_path / "s.db")
    assert done.reason is EndReason.EXHAUSTED


async def test_of_two_refresh_fields_the_first_counts(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n"
        refresh = b"Refresh: 0; url=/first\r\nRefresh: 0; url=/second\r\n\r\n"
        seed = web.answer("a.test", "/", raw(head + refresh, close=False))
        first = web.page("a.test", "/first")
        await crawl(web.addresses, [seed], tmp_path / "s.db")
    assert fetched(tmp_path / "s.db") == {seed, first}


@pytest.mark.parametrize("refresh", ["30", "30;", "0; url=/gate/#top", "", "never", "0; url=mailto:a@b.test"])
def test_what_only_shows_itself_again_stays_what_it_is(refresh: str) -> None:
    verdict = Verdict(OutcomeKind.OTHER_TYPE, "image/jpeg", 200)
    answer = Answered(200, b"", 0.1, was_skipped=True, refresh=refresh)
    assert moved_by_field(verdict, answer, GATE, Canonicaliser()) is verdict


@pytest.mark.parametrize("kind", [OutcomeKind.CLIENT_ERROR, OutcomeKind.FETCHED, OutcomeKind.THROTTLED])
def test_a_refresh_field_leads_nowhere_from_an_error(kind: OutcomeKind) -> None:
    answer = Answered(404, b"", 0.1, was_skipped=True, refresh="0; url=/elsewhere")
    assert moved_by_field(Verdict(kind), answer, GATE, Canonicaliser()).kind is kind


@pytest.mark.parametrize(
    "field, said",
    [
        (None, None),
        ("", None),
        ("7", (7, GATE)),
        ("7; url=", (7, GATE)),
        ("7; url=x", (7, GATE + "x")),
        ("7; url=//b.test/x", (7, "http://b.test/x")),
        ("7; url=http://[", (7, "http://[")),
    ],
)
def test_a_refresh_field_is_relative_to_its_page(field: str | None, said: tuple[int, str] | None) -> None:
    assert field_refresh(field, GATE) == said
