"""The test web itself: what it serves, what it logs, and that it breaks HTTP exactly as asked."""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import ssl
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.request import ProxyHandler, build_opener
from urllib.request import Request as UrllibRequest

import brotli
import pytest

from tests.support import web_behaviours as behaviours
from tests.support.web import (
    ANY_PATH,
    Answer,
    Exchange,
    Handler,
    LoopbackWeb,
    Request,
    gaps,
    most_open,
    overlaps,
    random_graph,
    web_from_graph,
    web_process,
)
from tests.support.web_tls import self_signed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


async def ask(web: LoopbackWeb, host: str, path: str = "/", *, close: bool = True) -> bytes:
    """All bytes that the server sends to one request, until it closes."""
    reader, writer = await asyncio.open_connection(web.addresses.get(host, "127.0.0.1"), web.port)
    writer.write(request_bytes(web, host, path, close=close))
    try:
        return await asyncio.wait_for(reader.read(), 10)
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


def request_bytes(web: LoopbackWeb, host: str, path: str = "/", *, close: bool = False) -> bytes:
    ending = "Connection: close\r\n\r\n" if close else "\r\n"
    return f"GET {path} HTTP/1.1\r\nHost: {host}:{web.port}\r\n{ending}".encode()


async def read_answer(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """One response with a Content-Length: (head, body)."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length:"))
    return head, await reader.readexactly(length)


def body_of(response: bytes) -> bytes:
    return response.partition(b"\r\n\r\n")[2]


async def answer_to(handler: Handler) -> bytes:
    """The bytes with which a handler answers one request."""
    async with LoopbackWeb() as web:
        web.answer("a.test", "/", handler)
        return await ask(web, "a.test")


def request(host: str, started: float, finished: float) -> Request:
    return Request(host, "/", started, finished, 200, 1, 1, "127.0.0.1")


# Content


async def test_hosts_of_one_port_are_told_apart_by_the_host_header() -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/", title="first")
        web.page("b.test", "/", title="second")
        assert b"first" in await ask(web, "a.test")
        assert b"second" in await ask(web, "B.Test")
        assert b" 404 " in await ask(web, "c.test")


async def test_a_page_links_relatively_or_to_another_host_with_the_port() -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/", links=["/b?x=1&y", ("b.test", "/")])
        body = body_of(await ask(web, "a.test"))
        assert b'href="/b?x=1&amp;y"' in body
        assert f'href="http://b.test:{web.port}/"'.encode() in body


async def test_a_redirect_names_the_other_host() -> None:
    async with LoopbackWeb() as web:
        web.redirect("a.test", "/", ("b.test", "/there"), 308)
        response = await ask(web, "a.test")
        assert response.startswith(b"HTTP/1.1 308 Permanent Redirect\r\n")
        assert f"Location: http://b.test:{web.port}/there\r\n".encode() in response


async def test_any_path_does_not_answer_for_robots_txt() -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", ANY_PATH, Answer(b"anything"))
        assert body_of(await ask(web, "a.test", "/x?y")) == b"anything"
        assert b" 404 " in await ask(web, "a.test", "/robots.txt")


async def test_a_host_is_reached_at_its_own_address() -> None:
    async with LoopbackWeb(addresses=("127.0.0.1", "127.0.0.2")) as web:
        web.page("a.test", "/")
        web.host("b.test", "127.0.0.2")
        web.page("b.test", "/")
        assert web.addresses == {"a.test": "127.0.0.1", "b.test": "127.0.0.2"}
        await ask(web, "a.test")
        await ask(web, "b.test")
        assert [entry.address for entry in web.log] == ["127.0.0.1", "127.0.0.2"]


# The log


async def test_requests_of_a_kept_connection_are_counted_as_its_own() -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/")
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
        for _ in range(2):
            writer.write(request_bytes(web, "a.test"))
            await read_answer(reader)
        await ask(web, "a.test")
        writer.close()
        assert [(entry.connection, entry.nth, entry.status) for entry in web.log] == [
            (1, 1, 200),
            (1, 2, 200),
            (2, 1, 200),
        ]
        assert web.log[0].headers["host"] == f"a.test:{web.port}"


async def test_fetches_count_pages_but_not_robots_txt() -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/")
        web.robots("a.test", "User-agent: *")
        for path in ("/robots.txt", "/", "/", "/missing"):
            await ask(web, "a.test", path)
        assert web.fetches() == {("a.test", "/"): 2, ("a.test", "/missing"): 1}
        assert len(web.requests("a.test", "/robots.txt")) == 1


async def test_a_request_ends_when_the_client_leaves() -> None:
    asked, ended = asyncio.Event(), asyncio.Event()

    async def hang(exchange: Exchange) -> None:
        asked.set()
        await exchange.wait_for_client_to_leave()

    async with LoopbackWeb(on_finished=lambda request: ended.set()) as web:
        web.answer("a.test", "/", hang)
        _, writer = await asyncio.open_connection("127.0.0.1", web.port)
        writer.write(request_bytes(web, "a.test"))
        await asked.wait()
        entry = web.log[0]
        assert entry.finished == math.inf
        writer.close()
        await ended.wait()
        assert entry.started <= entry.finished < math.inf
        assert entry.status == 0


async def test_two_open_requests_to_one_host_are_an_overlap() -> None:
    async with LoopbackWeb() as web:
        both_have_come = asyncio.Event()

        async def wait_for_the_other(exchange: Exchange) -> None:
            if len(exchange.web.log) == 2:
                both_have_come.set()
            await both_have_come.wait()
            await Answer(b"now")(exchange)

        web.answer("a.test", ANY_PATH, wait_for_the_other)
        await asyncio.gather(ask(web, "a.test", "/1"), ask(web, "a.test", "/2"))
        assert [{before.path, after.path} for before, after in web.overlaps()] == [{"/1", "/2"}]
        assert min(web.gaps("a.test")) < 0


def test_overlaps_and_gaps_are_counted_for_each_host() -> None:
    long, inside, after = request("a", 0, 10), request("a", 2, 3), request("a", 9, 11)
    elsewhere = request("b", 1, 20)
    assert overlaps([elsewhere, after, inside, long]) == [(long, inside), (long, after)]
    assert overlaps([request("a", 0, 1), request("a", 1, 2), elsewhere]) == []
    assert gaps([request("a", 5, 6), request("a", 0, 2)]) == [3]


def test_most_open_counts_requests_at_once() -> None:
    assert most_open([]) == 0
    assert most_open([request("a", 0, 2), request("b", 1, 3), request("c", 2, 4)]) == 2


async def test_closing_the_web_ends_what_is_open() -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/", behaviours.stall(b"HTTP/1.1 200 OK\r\n"))
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
        writer.write(request_bytes(web, "a.test"))
        await reader.readline()
    with pytest.raises(ConnectionResetError):
        await reader.readline()
    writer.close()
    assert [(entry.status, entry.finished < math.inf) for entry in web.log] == [(200, True)]


# Behaviours


async def test_the_first_times_differ_from_the_rest() -> None:
    async with LoopbackWeb() as web:
        throttled = behaviours.throttled(503, retry_after="7")
        web.answer("a.test", "/", behaviours.first_times(2, throttled, behaviours.OK_PAGE))
        answers = [await ask(web, "a.test") for _ in range(3)]
        assert [b"Retry-After: 7\r\n" in answer for answer in answers] == [True, True, False]
        assert [entry.status for entry in web.log] == [503, 503, 200]


async def test_slow_answers_are_whole_answers() -> None:
    for handler in (
        behaviours.slow_first_byte(0.001, behaviours.OK_PAGE),
        behaviours.dribble(behaviours.OK_PAGE, step_bytes=20, pause=0),
    ):
        assert body_of(await answer_to(handler)) == behaviours.OK_PAGE.body


@pytest.mark.parametrize("handler", [behaviours.drop, behaviours.reset])
async def test_a_dropped_connection_sends_no_byte(handler: Handler) -> None:
    assert await answer_to(handler) == b""


async def test_a_reset_is_a_reset() -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/", behaviours.reset)
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
        writer.write(request_bytes(web, "a.test"))
        with pytest.raises(ConnectionResetError):
            await reader.read()


async def test_a_stale_connection_is_closed_once_at_its_second_request() -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/", behaviours.stale_keep_alive(behaviours.OK_PAGE))
        for expected in (b"", b"HTTP"):
            reader, writer = await asyncio.open_connection("127.0.0.1", web.port)
            writer.write(request_bytes(web, "a.test"))
            await read_answer(reader)
            writer.write(request_bytes(web, "a.test"))
            assert await reader.read(4) == expected
            writer.close()


async def test_a_truncated_body_is_shorter_than_announced() -> None:
    response = await answer_to(behaviours.truncated(Answer(b"12345"), missing=3))
    assert b"Content-Length: 8\r\n" in response
    assert body_of(response) == b"12345"


async def test_bytes_can_follow_an_answer_that_closes() -> None:
    response = await answer_to(behaviours.surplus_after_close(Answer(b"12345"), b"67"))
    assert b"Content-Length: 5\r\n" in response
    assert b"Connection: close\r\n" in response
    assert body_of(response) == b"1234567"


async def test_a_body_can_end_with_the_connection() -> None:
    response = await answer_to(behaviours.until_close(Answer(b"12345")))
    assert b"Content-Length" not in response
    assert body_of(response) == b"12345"


async def test_chunks_can_be_whole_or_broken() -> None:
    whole = await answer_to(behaviours.chunked(Answer(b"12345"), chunk_bytes=3))
    broken = await answer_to(behaviours.chunked(Answer(b"12345"), chunk_bytes=3, last_chunk=b"zz\r\n"))
    assert body_of(whole) == b"3\r\n123\r\n2\r\n45\r\n0\r\n\r\n"
    assert body_of(broken) == b"3\r\n123\r\n2\r\n45\r\nzz\r\n"
    assert b"Transfer-Encoding: chunked\r\n" in whole
    assert b"Content-Length" not in whole


async def test_every_content_coding_decodes_to_the_page() -> None:
    decode: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.decompress,
        "deflate": zlib.decompress,
        "raw-deflate": lambda body: zlib.decompress(body, -zlib.MAX_WBITS),
        "br": brotli.decompress,
        "zstd": zstd.decompress,
    }
    assert decode.keys() == behaviours.COMPRESSORS.keys()
    for coding, decompress in decode.items():
        response = await answer_to(behaviours.encoded(behaviours.OK_PAGE, coding))
        assert f"Content-Encoding: {coding.removeprefix('raw-')}\r\n".encode() in response
        assert decompress(body_of(response)) == behaviours.OK_PAGE.body


async def test_a_truncated_gzip_is_a_whole_http_message() -> None:
    response = await answer_to(behaviours.truncated_gzip(behaviours.OK_PAGE))
    assert f"Content-Length: {len(body_of(response))}\r\n".encode() in response
    with pytest.raises(EOFError):
        gzip.decompress(body_of(response))


def test_a_gzip_bomb_is_a_thousand_times_larger_inside() -> None:
    bomb = behaviours.gzip_bomb(megabytes=5)
    assert len(bomb.body) < 10_000
    assert len(gzip.decompress(bomb.body)) == 5_000_000


@pytest.mark.parametrize("announced", [True, False])
async def test_a_huge_body_is_huge(announced: bool) -> None:
    response = await answer_to(behaviours.huge(3_000_000, announced=announced))
    assert 2_900_000 < len(body_of(response)) <= 3_000_000
    assert (b"Content-Length" in response) == announced


async def test_headers_can_be_many_or_long() -> None:
    assert (await answer_to(behaviours.header_flood(300))).count(b"X-Flood-") == 300
    assert b"x" * 100_000 in await answer_to(behaviours.long_header(100_000))


async def test_a_charset_can_be_declared_anywhere_or_nowhere() -> None:
    title = "Nächster Fährhafen"
    nowhere = await answer_to(behaviours.in_charset(title, "iso-8859-1"))
    assert title.encode("latin-1") in nowhere
    assert b"charset" not in nowhere
    assert b"charset=koi8-r\r\n" in await answer_to(behaviours.in_charset("Паром", "koi8-r", in_header=True))
    assert b'<meta charset="koi8-r">' in await answer_to(behaviours.in_charset("Паром", "koi8-r", in_meta=True))


async def test_a_content_type_can_be_missing() -> None:
    assert b"Content-Type" not in await answer_to(Answer(b"what is this?", content_type=None))


async def test_the_calendar_has_no_end() -> None:
    async with LoopbackWeb() as web:
        entrance = behaviours.calendar_trap(web, "trap.test")
        assert entrance == web.url("trap.test", "/calendar?month=0")
        for month in (0, 1, 1000):
            assert f"month={month + 1}".encode() in await ask(web, "trap.test", f"/calendar?month={month}")


async def test_a_redirect_chain_ends_and_a_loop_does_not() -> None:
    async with LoopbackWeb() as web:
        web.page("a.test", "/end")
        start = behaviours.redirect_chain(web, behaviours.hops_on("a.test", 3), ("a.test", "/end"))
        assert start == web.url("a.test", "/hop0")
        assert f"Location: {web.url('a.test', '/end')}".encode() in await ask(web, "a.test", "/hop2")
        behaviours.redirect_loop(web, [("b.test", "/1"), ("c.test", "/2")])
        assert f"Location: {web.url('b.test', '/1')}".encode() in await ask(web, "c.test", "/2")


async def test_robots_txt_can_be_a_chain_of_hosts_away() -> None:
    async with LoopbackWeb() as web:
        behaviours.robots_chain(web, ["a.test", "b.test", "c.test"], "User-agent: *\nDisallow: /x")
        assert web.url("b.test", "/robots.txt").encode() in await ask(web, "a.test", "/robots.txt")
        assert b"Disallow: /x" in await ask(web, "c.test", "/robots.txt")


async def test_a_page_spells_its_own_url_in_many_ways() -> None:
    async with LoopbackWeb() as web:
        behaviours.spellings_of_itself(web, "a.test", "/dir/page")
        body = await ask(web, "a.test", "/dir/page")
        assert body.count(b"<a href=") == 15
        assert b'"/dir/%70age"' in body


def test_hostile_pages_are_as_deep_and_wide_as_asked() -> None:
    assert behaviours.nested_divs(1000).body.count(b"<div>") == 1000
    assert behaviours.many_attributes(1000).body.count(b"=1") == 1000
    assert len(behaviours.huge_robots("Disallow: /", 1_000_000)) > 999_900


@pytest.mark.parametrize(
    "handler", [pytest.param(handler, id=name) for name, handler in behaviours.every_page_breakage()]
)
async def test_no_breakage_keeps_the_client_waiting(handler: Handler) -> None:
    assert len(await answer_to(handler)) < 1000


async def test_hosts_can_speak_tls_with_a_certificate_of_their_own(tmp_path: Path) -> None:
    context, certificate = self_signed(tmp_path, ["a.test", "b.test"])
    async with LoopbackWeb(tls=context) as web:
        assert web.page("a.test", "/", title="secret") == f"https://a.test:{web.port}/"
        trusting = ssl.create_default_context(cafile=certificate)
        reader, writer = await asyncio.open_connection("127.0.0.1", web.port, ssl=trusting, server_hostname="a.test")
        writer.write(request_bytes(web, "a.test"))
        assert b"secret" in (await read_answer(reader))[1]
        writer.close()
        with pytest.raises(ssl.SSLCertVerificationError):
            await asyncio.open_connection("127.0.0.1", web.port, ssl=True, server_hostname="a.test")


# Webs from graphs


async def test_a_graph_becomes_pages_that_link_across_hosts() -> None:
    async with web_from_graph([0, 0, 2], [1, 2, 0], n=3, pages_per_host=2) as web:
        body = await ask(web, "h0.test", "/p0")
        assert web.url("h0.test", "/p1").encode() in body
        assert web.url("h1.test", "/p2").encode() in body
        assert web.addresses.keys() == {"h0.test", "h1.test"}


def test_a_random_graph_is_reproducible_and_reachable_from_its_first_page() -> None:
    sources, targets = random_graph(7, 200)
    assert (sources, targets) == random_graph(7, 200) != random_graph(8, 200)
    reached, frontier = {0}, {0}
    while frontier:
        frontier = {t for s, t in zip(sources, targets, strict=True) if s in frontier} - reached
        reached |= frontier
    assert reached == set(range(200))


@pytest.mark.slow
def test_a_web_in_its_own_process_logs_to_a_file(tmp_path: Path) -> None:
    opener = build_opener(ProxyHandler({}))
    with web_process(tmp_path / "log.jsonl", graph_seed=3, hosts=4, pages=40) as web:
        assert web.seed == f"http://h0.test:{web.port}/p0"
        assert sorted(web.addresses) == ["h0.test", "h1.test", "h2.test", "h3.test"]
        for host, path in (("h0.test", "/p0"), ("h3.test", "/p39")):
            asked = UrllibRequest(f"http://127.0.0.1:{web.port}{path}", headers={"Host": f"{host}:{web.port}"})
            with opener.open(asked, timeout=10) as response:
                assert b"<title>Page" in response.read()
    entries = [(entry.host, entry.path, entry.status) for entry in web.requests()]
    assert entries == [("h0.test", "/p0", 200), ("h3.test", "/p39", 200)]
    assert json.loads((tmp_path / "log.jsonl").read_text().splitlines()[0])["nth"] == 1
