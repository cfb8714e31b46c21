"""Header fields that come in several lines: a list is one list, and of a single value the first line counts."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from hinterland.crawler.features.sessions.jars import CookieJars
from hinterland.crawler.fetching.answers import Answer, BodyLimits
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.client.framing import with_one_framing
from hinterland.crawler.fetching.client.idle_limits import IdleLimits
from hinterland.crawler.fetching.decoding import decode_content
from hinterland.crawler.fetching.gated_answers import gate_of
from hinterland.crawler.fetching.header_fields import codings_of, field_lines, list_field, single_field
from hinterland.crawler.fetching.retry_after import retry_after_seconds
from hinterland.crawler.fetching.served_dates import sent_at
from hinterland.crawler.settings import FetchingSettings
from tests.support.crawling import crawl, links, outcomes
from tests.support.web import LoopbackWeb
from tests.support.web_behaviours import raw

PAGE = b'<title>It is read</title><a href="/next">next</a>'
Fields = tuple[tuple[str, str], ...]


def response(body: bytes, *fields: tuple[str, str], status: bytes = b"200 OK") -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return b"HTTP/1.1 " + status + b"\r\n" + lines.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body


async def answer_to(data: bytes) -> Answer:
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", raw(data))
        async with fetching(web) as fetcher:
            answer = await fetcher.fetch(url, BodyLimits(None, 100_000))
    assert isinstance(answer, Answer)
    return answer


@asynccontextmanager
async def fetching(web: LoopbackWeb, *, cookies: bool = False) -> AsyncIterator[Fetcher]:
    settings = FetchingSettings(allow_networks=("127.0.0.0/8",), addresses=web.addresses)
    now, jars = asyncio.get_running_loop().time, CookieJars(keeps_all=cookies)
    async with Fetcher(settings, "Hinterland/1", now, provider=jars) as fetcher:
        yield fetcher


# --- content codings ----------------------------------------------------------------------------


CODED: dict[str, tuple[bytes, Fields]] = {
    "identity-then-gzip": (
        gzip.compress(PAGE),
        (("Content-Encoding", "identity"), ("Content-Encoding", "gzip")),
    ),
    "empty-then-gzip": (gzip.compress(PAGE), (("Content-Encoding", ""), ("Content-Encoding", "gzip"))),
    "gzip-then-identity": (
        gzip.compress(PAGE),
        (("Content-Encoding", "gzip"), ("content-encoding", "identity")),
    ),
    "gzip-then-empty": (gzip.compress(PAGE), (("Content-Encoding", "gzip"), ("Content-Encoding", ""))),
    "gzip-then-br": (
        brotli.compress(gzip.compress(PAGE)),
        (("Content-Encoding", "gzip"), ("Vary", "*"), ("Content-Encoding", "br")),
    ),
    "three-lines": (
        gzip.compress(brotli.compress(PAGE)),
        (("Content-Encoding", "br"), ("Content-Encoding", "identity,"), ("Content-Encoding", "gzip")),
    ),
    "list-and-line": (
        brotli.compress(brotli.compress(gzip.compress(PAGE))),
        (("Content-Encoding", "gzip, br"), ("Content-Encoding", "br")),
    ),
}


async def test_a_page_whose_codings_come_in_several_lines_is_read_with_its_links(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        urls = [
            web.answer("a.test", f"/{name}", raw(response(body, ("Content-Type", "text/html"), *fields)))
            for name, (body, fields) in CODED.items()
        ]
        web.page("a.test", "/next")
        store = tmp_path / "links.db"
        await crawl(web.addresses, urls, store)
        assert {kind for url, kind in outcomes(store).items() if url in urls} == {"fetched"}
        assert {source for source, target, _ in links(store) if target == web.url("a.test", "/next")} == set(urls)


@pytest.mark.parametrize(
    "fields",
    [
        (("Transfer-Encoding", "gzip, chunked"),),
        (("Transfer-Encoding", "gzip"), ("Transfer-Encoding", "chunked")),
        (("Transfer-Encoding", "gzip"), ("Transfer-Encoding", "identity"), ("Transfer-Encoding", "Chunked")),
        (("Transfer-Encoding", "x-gzip,chunked"), ("Transfer-Encoding", "")),
    ],
)
async def test_a_body_that_was_compressed_to_be_sent_is_unpacked(fields: Fields) -> None:
    packed = gzip.compress(PAGE)
    head = b"HTTP/1.1 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields).encode()
    answer = await answer_to(head + b"\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed))
    assert decode_content(answer.body, answer.content_encoding, 1000) == PAGE


# --- where a body ends --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nX: y\r\ntransfer-encoding:\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 15\r\n",
        b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n",
    ],
)
async def test_chunks_end_a_body_whatever_other_lines_say(fields: bytes) -> None:
    answer = await answer_to(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n4\r\nbody\r\n0\r\n\r\n")
    assert (answer.body, answer.content_encoding) == (b"body", "")


@pytest.mark.parametrize("lead", [b"\r\n", b"\n", b"\r\n\r\n", b"\r\n\r\n\r\n", b"\r\r\n"])
async def test_chunks_end_a_body_after_empty_lines_too(lead: bytes) -> None:
    fields = b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n"
    answer = await answer_to(lead + b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n4\r\nbody\r\n0\r\n\r\n")
    assert (answer.status, answer.body) == (200, b"body")


async def test_identity_says_nothing_about_where_a_body_ends() -> None:
    fields = b"Transfer-Encoding: identity\r\nContent-Length: 4\r\nTransfer-Encoding: identity\r\n"
    assert (await answer_to(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\nbody and more")).body == b"body"


@pytest.mark.slow
@given(st.lists(st.sampled_from([b"chunked", b"gzip", b"identity", b"", b"chunked, gzip"]), max_size=4))
def test_a_head_has_at_most_one_transfer_encoding_once_it_is_mended(values: list[bytes]) -> None:
    head = b"HTTP/1.1 200 OK\r\n" + b"".join(b"Transfer-Encoding: %b\r\nX: y\r\n" % each for each in values) + b"\r\n"
    mended = with_one_framing(head)
    assert mended.lower().count(b"\ntransfer-encoding:") <= 1
    assert mended.count(b"X: y\r\n") == len(values)
    assert with_one_framing(mended) == mended


# --- single values ------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [(), ("",), ("", "  ")])
async def test_of_a_field_that_has_one_value_the_first_line_that_says_anything_counts(
    before: tuple[str, ...],
) -> None:
    firsts = {
        "Location": "/first",
        "Retry-After": "7",
        "ETag": '"first"',
        "Last-Modified": "Mon, 23 Nov 2026 13:42:10 GMT",
        "Date": "Tue, 24 Nov 2026 13:42:10 GMT",
        "Age": "60",
    }
    fields = [(name, value) for name in firsts for value in (*before, firsts[name], "0")]
    answer = await answer_to(response(b"", *fields, status=b"302 Found"))
    assert (answer.location, answer.retry_after, answer.etag) == ("/first", "7", '"first"')
    assert (answer.last_modified, answer.date, answer.age) == (firsts["Last-Modified"], firsts["Date"], "60")


@pytest.mark.parametrize("value, seconds", [("7, 9", 7.0), ("120 , 3", 120.0), ("7,", 7.0)])
def test_of_two_retry_after_that_were_joined_on_the_way_the_first_counts(value: str, seconds: float) -> None:
    assert retry_after_seconds(value, 0.0) == seconds


@pytest.mark.parametrize("age, seconds", [("60", 60), ("60, 9", 60), (" 60 ", 60), ("sixty", 0), ("6 0", 0)])
def test_of_several_ages_the_first_counts_and_what_is_none_says_nothing(age: str, seconds: int) -> None:
    date = "Thu, 01 Jan 1970 00:00:10 GMT"
    assert sent_at(date, age) == 10 + seconds


# --- lists --------------------------------------------------------------------------------------


async def test_all_lines_of_a_list_are_read() -> None:
    fields = [
        ("X-Robots-Tag", "noarchive"),
        ("X-Robots-Tag", "otherbot: none"),
        ("x-robots-tag", "nofollow"),
        ("Link", '</a>; rel="next"'),
        ("Link", '</b>; rel="canonical"'),
    ]
    answer = await answer_to(response(b"", *fields))
    assert answer.robots_tags == ("noarchive", "otherbot: none", "nofollow")
    assert answer.link_fields == ('</a>; rel="next"', '</b>; rel="canonical"')


@pytest.mark.parametrize("lines", [("no", "challenge"), ("challenge", "no"), ("no, Challenge",)])
async def test_a_bot_filter_that_names_itself_in_any_line_is_known(lines: tuple[str, ...]) -> None:
    answer = await answer_to(response(b"", *[("cf-mitigated", line) for line in lines], status=b"403 Forbidden"))
    assert (gate := gate_of(answer)) is not None
    assert gate.owner == "Cloudflare"


async def test_every_line_sets_its_cookie_and_any_may_close_the_connection() -> None:
    fields = [
        ("Set-Cookie", "a=1"),
        ("Connection", "keep-alive"),
        ("Connection", "close"),
        ("Set-Cookie", "b=2"),
    ]
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", raw(response(b"body", *fields), close=False))
        async with fetching(web, cookies=True) as fetcher:
            for _ in range(2):
                await fetcher.fetch(url, BodyLimits(None, 100))
        assert [request.headers.get("cookie") for request in web.requests()] == [None, "a=1; b=2"]
        assert [request.nth for request in web.requests()] == [1, 1]


@pytest.mark.parametrize("lines", [("timeout=5", "max=100"), ("max=100", "timeout=5"), ("timeout=60", "timeout=5")])
def test_the_shortest_limit_of_an_idle_connection_counts(lines: tuple[str, ...]) -> None:
    limits = IdleLimits()
    limits.announced(
        "http://a.test", list_field(CIMultiDict([("Keep-Alive", line) for line in lines]), "Keep-Alive") or ""
    )
    assert limits.may_reuse("http://a.test", idle_since=0.0, now=4.0)
    assert not limits.may_reuse("http://a.test", idle_since=0.0, now=5.0)


names = st.sampled_from(["Content-Encoding", "Transfer-Encoding", "ETag"])
values = st.text(st.characters(min_codepoint=32, max_codepoint=0xFF), max_size=12)


@pytest.mark.slow
@given(st.lists(st.tuples(names, values)))
def test_a_list_in_one_line_says_the_same_as_in_several(pairs: list[tuple[str, str]]) -> None:
    several = CIMultiDict(pairs)
    joined = CIMultiDict({name: ", ".join(several.getall(name)) for name in several})
    for name in ("Content-Encoding", "Transfer-Encoding", "ETag", "Link"):
        assert list_field(several, name) == list_field(joined, name)
        assert (single_field(several, name) is None) == (name not in several)
        assert ", ".join(field_lines(several, name)) == (list_field(several, name) or "")
    assert codings_of(several) == codings_of(joined)
