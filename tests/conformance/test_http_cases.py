"""Raw HTTP/1 responses, good and broken, as the fetcher reads them (cases of nodejs/llhttp)."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from typing import Any

import pytest

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.settings import FetchingSettings
from tests.support.shared_data import conformance_cases
from tests.support.web import Exchange, LoopbackWeb

CASES = conformance_cases("http_response_cases")
ANYTHING = BodyLimits(content_types=None, max_bytes=100_000)
NOT_HTTP = {OutcomeKind.BAD_RESPONSE, OutcomeKind.TRUNCATED, OutcomeKind.DISCONNECTED}
CUT_OFF = {OutcomeKind.TRUNCATED, OutcomeKind.DISCONNECTED}

READ_ALL_THE_SAME = {
    "http-038": "bare LF as line end: RFC 9112 section 2.2 lets a recipient take it, and servers do send it",
    "http-052": "the same",
}
REFUSED_ALL_THE_SAME = {"http-040": "HTTP/5.6: whatever that is, it is not the HTTP that we asked in"}


async def fetch_raw(raw: bytes, segment_bytes: int | None = None) -> Answer | NoAnswer:
    """What the fetcher makes of a server that sends `raw`, at once or in small segments, then closes."""

    async def send(exchange: Exchange) -> None:
        step = segment_bytes or len(raw)
        for start in range(0, len(raw), step):
            await exchange.send(raw[start : start + step])
            await asyncio.sleep(0)
        exchange.close()

    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", send)
        settings = FetchingSettings(allow_networks=("127.0.0.0/8",), addresses=web.addresses)
        async with Fetcher(settings, "Hinterland", asyncio.get_running_loop().time) as fetcher:
            outcome = await asyncio.wait_for(fetcher.fetch(url, ANYTHING), 10)
        assert len(web.log) == 1, "one answer is enough, however bad"
        return outcome


def name_of(case: dict[str, Any]) -> str:
    return f"{case['id']} {case['tier']} {case['source'][0].partition('::')[2]}"


@pytest.mark.parametrize("segment_bytes", [None, 1, 7], ids=["at-once", "by-bytes", "by-sevens"])
@pytest.mark.parametrize("case", CASES, ids=name_of)
async def test_a_raw_response_is_read_as_the_case_says(case: dict[str, Any], segment_bytes: int | None) -> None:
    outcome = await fetch_raw(b64decode(case["raw_b64"]), segment_bytes)
    if case["expect"] == "ok" and case["id"] not in REFUSED_ALL_THE_SAME:
        assert isinstance(outcome, Answer)
        assert outcome.status == case["status"]
        assert outcome.body == b64decode(case["body_b64"])
    elif case["expect"] == "error" and case["id"] in READ_ALL_THE_SAME:
        assert isinstance(outcome, Answer)
    else:
        assert isinstance(outcome, NoAnswer)
        assert outcome.kind in (CUT_OFF if case["expect"] == "incomplete" else NOT_HTTP)


def test_no_normative_case_is_an_exception() -> None:
    normative = {case["id"] for case in CASES if case["tier"] == "normative"}
    assert normative.isdisjoint(READ_ALL_THE_SAME | REFUSED_ALL_THE_SAME)


async def test_a_page_longer_than_it_says_is_cut_like_in_browsers() -> None:
    outcome = await fetch_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345 and what nobody counted")
    assert isinstance(outcome, Answer)
    assert outcome.body == b"12345"
