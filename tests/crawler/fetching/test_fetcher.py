"""One request at a time: what comes back of it, how long that may take, and what is never dialled."""

from __future__ import annotations

import asyncio
import errno
import re
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from hinterland.crawler.features.sessions.jars import CookieJars
from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.failure_text import failure_text
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.names.lookups import FoundName, LookupFailed, LookupProblem, ResolvedAddress
from hinterland.crawler.fetching.names.resolver import NamedAddress, NameResolver
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.settings import FetchingSettings
from tests.support.crawling import wait_until
from tests.support.web import Answer as Response
from tests.support.web import Exchange, Handler, LoopbackWeb
from tests.support.web_behaviours import (
    OK_PAGE,
    chunked,
    drop,
    gzip_bomb,
    raw,
    redirect_chain,
    reset,
    slow_first_byte,
    stale_keep_alive,
    stall,
    status,
    truncated,
    until_close,
)
from tests.support.web_tls import self_signed

pytestmark = pytest.mark.slow

HTML = BodyLimits(frozenset({"text/html"}), 100_000)
ANYTHING = BodyLimits(None, 1000, cut=True)


@asynccontextmanager
async def fetching(web: LoopbackWeb, **changes: Any) -> AsyncIterator[Fetcher]:
    provider = changes.pop("provider", None)
    given = {"allow_networks": ("127.0.0.0/8",), "addresses": web.addresses} | changes
    now = asyncio.get_running_loop().time
    async with Fetcher(FetchingSettings(**given), "Hinterland/1", now, provider=provider) as fetcher:
        yield fetcher


async def fetch(web: LoopbackWeb, url: str, limits: BodyLimits = HTML, **changes: Any) -> Answer | NoAnswer:
    async with fetching(web, **changes) as fetcher:
        return await fetcher.fetch(url, limits)


# --- answers ------------------------------------------------------------------------------------


async def test_an_answer_has_the_body_as_sent_and_the_fields_that_matter() -> None:
    headers = {
        "Content-Encoding": "gzip",
        "ETag": '"1"',
        "Last-Modified": "yesterday",
        "Retry-After": "7",
        "Location": "/elsewhere",
        "Link": '</next>; rel="next"',
        "X-Robots-Tag": "noindex",
        "Date": "Mon, 23 Nov 2026 13:42:10 GMT",
        "Age": "60",
    }
    async with LoopbackWeb(latency=0.02) as web:
        url = web.answer("a.test", "/", Response(b"\x1f\x8b not unpacked", headers=headers))
        answer = await fetch(web, url)
    assert isinstance(answer, Answer)
    assert answer.seconds >= 0.015  # timers may fire a little early
    assert answer == Answer(
        status=200,
        body=b"\x1f\x8b not unpacked",
        seconds=answer.seconds,
        content_type="text/html; charset=utf-8",
        content_encoding="gzip",
        location="/elsewhere",
        retry_after="7",
        etag='"1"',
        last_modified="yesterday",
        robots_tags=("noindex",),
        link_fields=('</next>; rel="next"',),
        date="Mon, 23 Nov 2026 13:42:10 GMT",
        age="60",
    )


@pytest.mark.parametrize(
    "content_type, is_read",
    [
        ("text/html", True),
        ("TEXT/HTML ; charset=x", True),
        (None, True),
        ("text/plain", False),
        ("", True),
        ("text/html charset=utf-8", True),
        ("text/html,", True),
        ("text/html, text/html; charset=utf-8", True),
        ("text/html; charset=utf-8, text/html", True),
        ("text/plain, text/html", True),
        ("text/html, image/png", False),
        ("image/png charset=binary", False),
        ("*/*", True),
        ("html", True),
    ],
)
async def test_only_bodies_of_wanted_types_are_read(content_type: str | None, is_read: bool) -> None:
    head = f"Content-Type: {content_type}\r\n" if content_type is not None else ""
    async with LoopbackWeb() as web:
        response = f"HTTP/1.1 200 OK\r\n{head}Content-Length: 4\r\n\r\nbody".encode()
        answer = await fetch(web, web.answer("a.test", "/", raw(response)))
    assert isinstance(answer, Answer)
    assert (answer.was_skipped, answer.body) == (not is_read, b"body" if is_read else b"")


async def test_a_content_type_may_come_in_two_fields_of_which_the_last_counts() -> None:
    fields = b"Content-Type: text/plain\r\nContent-Type: text/html;charset=koi8-r\r\nContent-Length: 4\r\n"
    async with LoopbackWeb() as web:
        answer = await fetch(web, web.answer("a.test", "/", raw(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\nbody")))
    assert isinstance(answer, Answer)
    assert (answer.body, answer.content_type) == (b"body", "text/plain, text/html;charset=koi8-r")


async def test_a_large_body_that_is_not_wanted_is_not_downloaded() -> None:
    sent = 0

    async def large(exchange: Exchange) -> None:
        nonlocal sent
        await exchange.send(Response(content_type="video/mp4").head(Content_Length="1000000000"))
        while True:
            await exchange.send(bytes(65_536))
            sent += 65_536

    async with LoopbackWeb() as web:
        answer = await fetch(web, web.answer("a.test", "/", large))
    assert isinstance(answer, Answer)
    assert answer.was_skipped
    assert sent < 20_000_000


async def test_a_body_beyond_the_limit_is_refused_or_cut_as_wanted() -> None:
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", Response(b"x" * 5000))
        refused = await fetch(web, url, BodyLimits(None, 1000))
        cut = await fetch(web, url, BodyLimits(None, 1000, cut=True))
        fits = await fetch(web, url, BodyLimits(None, 5000))
    assert isinstance(refused, NoAnswer)
    assert (refused.kind, refused.status) == (OutcomeKind.TOO_LARGE, 200)
    assert isinstance(cut, Answer)
    assert cut.body == b"x" * 1000
    assert isinstance(fits, Answer)
    assert len(fits.body) == 5000


async def test_a_bomb_is_no_larger_here_than_on_the_wire() -> None:
    async with LoopbackWeb() as web:
        bomb = gzip_bomb(50)
        answer = await fetch(web, web.answer("a.test", "/", bomb))
    assert isinstance(answer, Answer)
    assert answer.body == bomb.body


async def test_redirects_are_answers_and_not_followed() -> None:
    async with LoopbackWeb() as web:
        url = redirect_chain(web, [("a.test", "/1")], ("b.test", "/2"), 308)
        answer = await fetch(web, url)
        assert isinstance(answer, Answer)
        assert (answer.status, answer.location) == (308, web.url("b.test", "/2"))
    assert len(web.log) == 1


async def test_the_url_is_sent_as_it_is_written() -> None:
    path = "/%7Ea/b%2Fc/%E4%BD%A0;d=1?q=a+b%20c&[x]=|&=%27'"
    async with LoopbackWeb() as web:
        web.answer("a.test", path, OK_PAGE)
        await fetch(web, web.url("a.test", path))
    assert [request.path for request in web.log] == [path]


@pytest.mark.parametrize("code", [301, 404])
async def test_an_answer_does_not_wait_for_a_body_that_nobody_wants(code: int) -> None:
    response = Response(b"moved or missing", code, headers={"Location": "/there"})
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", stall(response.head(Content_Length="50")))
        answer = await fetch(web, url)
    assert isinstance(answer, Answer)
    assert (answer.status, answer.was_skipped) == (code, True)


async def test_a_message_that_breaks_off_is_none_even_if_its_body_is_not_wanted() -> None:
    async with LoopbackWeb() as web:
        moved = Response(b"moved", 301, headers={"Location": "/there"})
        outcome = await fetch(web, web.answer("a.test", "/", truncated(moved)))
    assert isinstance(outcome, NoAnswer)
    assert outcome.kind == OutcomeKind.TRUNCATED


FIELDS_IN_LATIN_1 = b"""HTTP/1.1 200 OK\r
Content-Type: text/html; name=r\xe9sum\xe9\r
Content-Encoding: \xe9\r
ETag: "\xe9"\r
Last-Modified: \xe9\r
Location: /caf\xe9?\xc3\xa9\r
Retry-After: \xe9\r
X-Robots-Tag: \xe9\r
Link: </\xe9>\r
Content-Length: 2\r
\r
ok"""


async def test_fields_may_hold_any_octets() -> None:
    async with LoopbackWeb() as web:
        answer = await fetch(web, web.answer("a.test", "/", raw(FIELDS_IN_LATIN_1)))
    assert isinstance(answer, Answer)
    assert (answer.body, answer.content_type) == (b"ok", "text/html; name=résumé")
    assert (answer.content_encoding, answer.etag, answer.last_modified) == ("é", '"é"', "é")
    assert (answer.retry_after, answer.robots_tags, answer.link_fields) == ("é", ("é",), ("</é>",))
    assert answer.location == "/caf%E9?é"


# --- time ---------------------------------------------------------------------------------------


async def test_each_phase_of_a_request_has_its_own_time_limit() -> None:
    page = Response(b"x" * 10_000)
    quick = {"connect_timeout_seconds": 0.2, "first_byte_timeout_seconds": 0.1}
    async with LoopbackWeb() as web:
        never = web.answer("a.test", "/never", stall())
        slow = web.answer("a.test", "/slow", stall(page.head() + b"x"))
        long = web.answer("a.test", "/long", stall(page.head() + b"x" * 9000))
        async with fetching(web, **quick, body_timeout_seconds=0.4) as fetcher:
            outcomes = await asyncio.gather(*(fetcher.fetch(url, HTML) for url in (never, slow, long)))
    assert [outcome.kind for outcome in outcomes if isinstance(outcome, NoAnswer)] == [
        OutcomeKind.FIRST_BYTE_TIMEOUT,
        OutcomeKind.SLOW_BODY,
        OutcomeKind.BODY_TIMEOUT,
    ]


async def test_the_first_byte_is_waited_for_from_when_the_request_is_sent() -> None:
    async with LoopbackWeb() as web, asyncio.timeout(30):
        url = web.answer("a.test", "/", stall())
        outcome = await fetch(web, url, connect_timeout_seconds=3600, first_byte_timeout_seconds=0.1)
    assert isinstance(outcome, NoAnswer)
    assert (outcome.kind, outcome.detail) == (
        OutcomeKind.FIRST_BYTE_TIMEOUT,
        "no answer within 0.1 s of the request",
    )


def look_up_by(ask: Callable[[str], Awaitable[FoundName]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a function stand for the name server."""

    class Asked:
        look_up = staticmethod(ask)

        def forget(self) -> None:
            pass

        def close(self) -> None:
            pass

    monkeypatch.setattr("hinterland.crawler.fetching.client.fetcher.open_lookups", lambda source: Asked())


async def test_the_time_that_connecting_took_is_not_taken_from_the_first_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    async def slowly(name: str) -> FoundName:
        await asyncio.sleep(0.6)
        return FoundName((ResolvedAddress("127.0.0.1", socket.AF_INET),), 60.0)

    look_up_by(slowly, monkeypatch)
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", OK_PAGE)
        answer = await fetch(web, url, first_byte_timeout_seconds=0.5, addresses={})
    assert isinstance(answer, Answer)


async def test_a_host_that_does_not_accept_connections_times_out() -> None:
    with socket.socket() as deaf, socket.socket() as first, socket.socket() as second:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for caller in (first, second):  # they fill its queue, so that the kernel ignores the next connection
            caller.setblocking(False)
            assert caller.connect_ex(deaf.getsockname()) in (0, errno.EINPROGRESS)
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        outcome = await fetch(LoopbackWeb(), url, connect_timeout_seconds=0.3)
    assert isinstance(outcome, NoAnswer)
    assert outcome.kind == OutcomeKind.CONNECT_TIMEOUT


async def test_a_request_that_is_cancelled_closes_its_connection() -> None:
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", slow_first_byte(60.0, OK_PAGE))
        async with fetching(web) as fetcher:
            request = asyncio.create_task(fetcher.fetch(url, HTML))
            await wait_until(lambda: web.log)
            request.cancel()
            await asyncio.wait([request])
            assert request.cancelled()
            await wait_until(lambda: web.log[0].finished < inf)


# --- connections --------------------------------------------------------------------------------


async def test_connections_are_kept_as_long_as_bodies_are_read_to_their_end() -> None:
    async with LoopbackWeb() as web:
        urls = [
            web.answer("a.test", "/page", OK_PAGE),
            web.answer("a.test", "/chunked", chunked(OK_PAGE)),
            web.answer("a.test", "/empty", Response(b"")),
            web.answer("a.test", "/missing", status(404)),
            web.redirect("a.test", "/moved", "/page"),
        ]
        async with fetching(web) as fetcher:
            for url in urls * 2:
                assert isinstance(await fetcher.fetch(url, HTML), Answer)
    assert {request.connection for request in web.log} == {1}


@pytest.mark.parametrize("code", [200, 403, 429, 503])
async def test_a_small_body_that_nobody_wants_comes_along_if_a_gate_may_have_sent_it(code: int) -> None:
    said = Response(b"<title>Who are you?</title>", code, headers={"CF-Mitigated": "challenge", "X-Other": "x"})
    async with LoopbackWeb() as web:
        for path, handler in (("/whole", said), ("/chunked", chunked(said)), ("/closed", until_close(said))):
            answer = await fetch(web, web.answer("a.test", path, handler), BodyLimits(frozenset(), 0))
            assert isinstance(answer, Answer)
            assert (answer.status, answer.body, answer.was_skipped) == (code, b"", True)
            assert answer.unwanted == said.body
            assert answer.filter_fields == (("cf-mitigated", "challenge"),)


async def test_a_body_that_nobody_wants_is_left_alone_if_it_is_large_or_late_or_breaks_off() -> None:
    large, small = Response(b"x" * 60_000, 403), Response(b"Who are you?", 403)
    late = [chunked(small, last_chunk=b"")]
    async with LoopbackWeb() as web:
        handlers: list[Handler] = [large, chunked(large), *late, stall(chunked_head(small))]
        for number, handler in enumerate(handlers):
            answer = await fetch(web, web.answer("a.test", f"/{number}", handler))
            assert isinstance(answer, Answer)
            assert (answer.status, answer.unwanted) == (403, b"")


def chunked_head(answer: Response) -> bytes:
    return answer.head(Content_Length="", Transfer_Encoding="chunked") + b"5\r\nWho a\r\n"


async def test_no_more_connections_are_kept_than_leave_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hinterland.crawler.fetching.client.connections._FEW", 3)
    monkeypatch.setattr("resource.getrlimit", lambda _: (10, 10))
    async with LoopbackWeb() as web:
        urls = [web.answer(f"h{number}.test", "/", OK_PAGE) for number in range(9)]
        async with fetching(web) as fetcher:
            for url in [*urls, *urls[-5:], urls[0]]:
                assert isinstance(await fetcher.fetch(url, HTML), Answer)
    used = Counter(request.connection for request in web.log)
    assert sorted(used.values()) == [1] * 5 + [2] * 5, "the last five were kept, the first had to be opened again"


async def test_a_request_on_a_stale_connection_is_nobodys_fault_and_the_next_one_has_a_new_connection() -> None:
    async with LoopbackWeb() as web:
        first = web.answer("a.test", "/first", OK_PAGE)
        stale = web.answer("a.test", "/stale", stale_keep_alive(OK_PAGE))
        dropped = web.answer("b.test", "/", drop)
        async with fetching(web) as fetcher:
            await fetcher.fetch(first, HTML)
            broken_off = await fetcher.fetch(stale, HTML)
            assert isinstance(await fetcher.fetch(stale, HTML), Answer)
            lost = await fetcher.fetch(dropped, HTML)
            assert fetcher.closed_before == 1
    assert isinstance(broken_off, NoAnswer)
    assert isinstance(lost, NoAnswer)
    assert (broken_off.kind, broken_off.is_stale) == (OutcomeKind.DISCONNECTED, True)
    assert (lost.kind, lost.is_stale) == (OutcomeKind.DISCONNECTED, False)
    assert web.fetches() == {("a.test", "/first"): 1, ("a.test", "/stale"): 2, ("b.test", "/"): 1}


@pytest.mark.parametrize("breaks_off", [drop, reset])
async def test_a_server_that_breaks_off_every_request_is_to_blame_from_the_second_on(breaks_off: Handler) -> None:
    async with LoopbackWeb() as web:
        first = web.answer("a.test", "/first", OK_PAGE)
        dropped = web.answer("a.test", "/", breaks_off)
        async with fetching(web) as fetcher:
            await fetcher.fetch(first, HTML)
            outcomes = [await fetcher.fetch(dropped, HTML) for _ in range(3)]
    assert [outcome.kind for outcome in outcomes if isinstance(outcome, NoAnswer)] == [OutcomeKind.DISCONNECTED] * 3
    assert [outcome.is_stale for outcome in outcomes if isinstance(outcome, NoAnswer)] == [True, False, False]
    assert web.fetches()["a.test", "/"] == 3


# --- what requests say --------------------------------------------------------------------------


async def test_requests_carry_our_name_and_the_headers_of_the_settings() -> None:
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", OK_PAGE)
        await fetch(web, url, accept_language="de", headers={"X-Study": "links"})
    headers = web.log[0].headers
    assert headers["user-agent"] == "Hinterland/1"
    assert headers["host"] == f"a.test:{web.port}"
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert headers["accept-language"] == "de"
    assert headers["x-study"] == "links"
    assert "referer" not in headers


@pytest.mark.parametrize("keeps", [False, True])
async def test_cookies_go_back_to_their_host_alone_and_only_if_a_jar_is_open(keeps: bool) -> None:
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", Response(b"", headers={"Set-Cookie": "id=1"}))
        other = web.answer("b.test", "/", OK_PAGE)
        async with fetching(web, provider=CookieJars(keeps_all=keeps)) as fetcher:
            for each in (url, url, other):
                await fetcher.fetch(each, HTML)
    assert [request.headers.get("cookie") for request in web.log] == [None, "id=1" if keeps else None, None]


# --- addresses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["127.0.0.1", "[::1]", "named.test"])
async def test_an_address_that_is_not_allowed_is_not_connected_to_in_any_spelling(name: str) -> None:
    async with LoopbackWeb() as web:
        url = f"http://{name}:{web.port}/"
        async with fetching(web, allow_networks=(), addresses={"named.test": "127.0.0.1"}) as fetcher:
            outcome = await fetcher.fetch(url, HTML)
            found = await fetcher.resolve(url[:-1])
    assert isinstance(outcome, NoAnswer)
    assert isinstance(found, NoAnswer)
    assert outcome.kind == found.kind == OutcomeKind.FORBIDDEN_ADDRESS
    assert "allow_networks" in outcome.detail
    assert web.log == []


async def test_the_guard_is_asked_again_for_the_socket_whatever_the_resolver_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lie(self: NameResolver, name: str, port: int, *, is_chosen: bool) -> list[ResolvedAddress]:
        return [ResolvedAddress("127.0.0.1", socket.AF_INET)]

    monkeypatch.setattr(NameResolver, "addresses", lie)
    async with LoopbackWeb() as web:
        outcome = await fetch(web, web.url("a.test"), allow_networks=())
    assert isinstance(outcome, NoAnswer)
    assert outcome.kind == OutcomeKind.FORBIDDEN_ADDRESS
    assert web.log == []


async def test_resolving_returns_the_address_that_will_be_connected_to() -> None:
    async with LoopbackWeb() as web, fetching(web, addresses={"a.test": "127.0.0.9"}) as fetcher:
        assert await fetcher.resolve("http://a.test:8080") == NamedAddress("127.0.0.9", inf)
        assert await fetcher.resolve("https://127.0.0.3") == NamedAddress("127.0.0.3", inf)
        assert await fetcher.resolve("https://[::1]:99") == NoAnswer(
            OutcomeKind.FORBIDDEN_ADDRESS, "::1 is not allowed by fetching.allow_networks", 0.0, is_final=True
        )


async def test_a_name_that_does_not_exist_is_a_dns_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(name: str) -> FoundName:
        raise LookupFailed(LookupProblem.NO_SUCH_NAME, "no such name")

    look_up_by(fail, monkeypatch)
    async with LoopbackWeb() as web, fetching(web) as fetcher:
        outcome = await fetcher.fetch("http://nowhere.test/", HTML)
        found = await fetcher.resolve("http://nowhere.test")
    assert isinstance(outcome, NoAnswer)
    assert isinstance(found, NoAnswer)
    assert outcome.kind == found.kind == OutcomeKind.DNS_FAILURE
    assert outcome.detail == found.detail == "nowhere.test: no such name"


async def test_a_look_up_that_takes_too_long_is_a_failure_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hang(name: str) -> FoundName:
        await asyncio.Event().wait()
        raise AssertionError("nobody answers")

    look_up_by(hang, monkeypatch)
    async with LoopbackWeb() as web, fetching(web, connect_timeout_seconds=0.1) as fetcher:
        found = await fetcher.resolve("http://slow.test")
        outcome = await fetcher.fetch("http://slow.test/", HTML)
    assert isinstance(found, NoAnswer)
    assert isinstance(outcome, NoAnswer)
    assert found.kind == outcome.kind == OutcomeKind.DNS_FAILURE
    assert found.detail == outcome.detail == "slow.test: the lookup took more than 0.1 s"


_OF_PYTHON = re.compile(r"<\w+[ (]|b'|b\"|Errno|Exception|Error\b|message=|\('|_ssl\.c|object at|\\")


@pytest.mark.parametrize(
    "response, words",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Ty", "the connection was closed within the header fields"),
        (b"HTTP/1.1 200 OK\r\n", "the connection was closed within the header fields"),
        (b"", "the connection was closed without an answer"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", "the connection was closed without an answer"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbo", "the body breaks off after 2 of 4 bytes"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", "breaks off within its chunks"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", "Invalid character in chunk size: zz"),
        (b"HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "Invalid header token: bad header"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "Duplicate Content-Length"),
        (b"SSH-2.0-OpenSSH_9.2 it's \"b'\xff\x00\r\n\r\n", "Bad status line"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 600 + b"\r\n", "Too many headers received"),
    ],
)
async def test_failures_are_described_in_words(response: bytes, words: str) -> None:
    async with LoopbackWeb() as web:
        outcome = await fetch(web, web.answer("a.test", "/", raw(response)))
    assert isinstance(outcome, NoAnswer)
    assert words in outcome.detail
    assert outcome.has_begun == ("within the header fields" in words)
    assert outcome.detail.isprintable()
    if not response.startswith(b"SSH"):  # whose words are not ours
        assert not _OF_PYTHON.search(outcome.detail)


@pytest.mark.parametrize(
    "error",
    [
        OSError(111, "Connect call failed ('127.0.0.1', 80)"),
        OSError("Multiple exceptions: [Errno 111] Connect call failed ('::1', 80, 0, 0), [Errno 101] x"),
        ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)"),
        ConnectionResetError(104, "Connection reset by peer"),
        ValueError(""),
        aiohttp.ClientPayloadError("Response body is broken: 400, message: x"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_of_the_system_are_described_in_words(error: Exception) -> None:
    assert len(failure_text(error)) > 5
    assert not _OF_PYTHON.search(failure_text(error))


# --- proxies and TLS ----------------------------------------------------------------------------


async def test_through_a_proxy_everything_goes_and_names_are_not_looked_up_here() -> None:
    async with LoopbackWeb() as proxy:
        proxy.answer("a.test", "http://a.test/page", OK_PAGE)
        settings = {"proxy": f"http://127.0.0.1:{proxy.port}", "allow_networks": (), "addresses": {}}
        async with fetching(proxy, **settings) as fetcher:
            assert await fetcher.resolve("http://a.test") is None
            answer = await fetcher.fetch("http://a.test/page", HTML)
    assert isinstance(answer, Answer)
    assert answer.body == OK_PAGE.body


@pytest.mark.parametrize("host", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1", "[fd00::1]"])
async def test_private_addresses_are_left_to_the_proxy_that_dials_them(host: str, tmp_path: Path) -> None:
    async with LoopbackWeb() as proxy:
        settings = {"proxy": f"http://127.0.0.1:{proxy.port}", "allow_networks": (), "addresses": {}}
        async with fetching(proxy, **settings) as fetcher:
            assert await fetcher.resolve(f"http://{host}") is None
            answer = await fetcher.fetch(f"http://{host}/", HTML)
            tunnelled = await fetcher.fetch(f"https://{host}/", HTML)
    assert isinstance(answer, Answer)
    assert isinstance(tunnelled, NoAnswer)
    assert (tunnelled.kind, tunnelled.detail) == (OutcomeKind.CONNECT_FAILURE, "the proxy answered with status 404")
    assert [request.path for request in proxy.log] == [f"http://{host}/", f"{host}:443"]


async def test_a_proxy_that_is_down_is_a_connection_that_fails() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        proxy = f"http://127.0.0.1:{taken.getsockname()[1]}"
        outcome = await fetch(LoopbackWeb(), "http://a.test/", proxy=proxy)
    assert isinstance(outcome, NoAnswer)
    assert outcome.kind == OutcomeKind.CONNECT_FAILURE


async def test_a_certificate_is_checked_against_the_authorities_of_the_settings(tmp_path: Path) -> None:
    context, ca_file = self_signed(tmp_path, ["a.test"])
    async with LoopbackWeb(tls=context) as web:
        url = web.answer("a.test", "/", OK_PAGE)
        wrong_name = web.answer("b.test", "/", OK_PAGE)
        trusted = await fetch(web, url, ca_file=str(ca_file))
        unknown = await fetch(web, url)
        unchecked = await fetch(web, url, verify_tls=False)
        other = await fetch(web, wrong_name, ca_file=str(ca_file))
    assert isinstance(trusted, Answer)
    assert isinstance(unchecked, Answer)
    assert isinstance(unknown, NoAnswer)
    assert isinstance(other, NoAnswer)
    assert unknown.kind == other.kind == OutcomeKind.TLS_FAILURE
    assert "certificate" in unknown.detail
