"""Whatever a page does, it ends in the store under its name, and no other page suffers."""

from __future__ import annotations

import asyncio
import lzma
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.retry_rules import RETRY_RULES
from tests.support.crawling import crawl, rows
from tests.support.web import HTML, Answer, Exchange, Handler, LoopbackWeb
from tests.support.web_behaviours import (
    OK_PAGE,
    chunked,
    dribble,
    drop,
    encoded,
    first_times,
    gzip_bomb,
    header_flood,
    huge,
    many_attributes,
    nested_divs,
    raw,
    reset,
    slow_first_byte,
    stale_keep_alive,
    stall,
    status,
    surplus_after_close,
    throttled,
    truncated,
    truncated_gzip,
    until_close,
)
from tests.support.web_tls import self_signed

pytestmark = pytest.mark.slow

BODY = b"<!doctype html><title>fine</title>" + b"<p>word" * 2000
BROKEN: dict[str, tuple[Handler, OutcomeKind]] = {
    "an-image": (Answer(b"GIF89a", content_type="image/gif"), OutcomeKind.OTHER_TYPE),
    "missing": (status(404), OutcomeKind.CLIENT_ERROR),
    "gone": (status(410), OutcomeKind.CLIENT_ERROR),
    "error": (status(500), OutcomeKind.SERVER_ERROR),
    "unavailable": (status(503), OutcomeKind.UNAVAILABLE),
    "throttled-429": (throttled(429, "0"), OutcomeKind.THROTTLED),
    "throttled-503": (throttled(503, "0"), OutcomeKind.THROTTLED),
    "not-modified": (Answer(b"", 304), OutcomeKind.UNEXPECTED_STATUS),
    "redirect-nowhere": (status(302), OutcomeKind.BAD_REDIRECT),
    "redirect-to-mail": (Answer(b"", 302, headers={"Location": "mailto:a@b.c"}), OutcomeKind.BAD_REDIRECT),
    "redirect-to-itself": (Answer(b"", 302, headers={"Location": "/#top"}), OutcomeKind.BAD_REDIRECT),
    "slow-first-byte": (slow_first_byte(60, OK_PAGE), OutcomeKind.FIRST_BYTE_TIMEOUT),
    "no-byte": (stall(), OutcomeKind.FIRST_BYTE_TIMEOUT),
    "half-a-head": (stall(b"HTTP/1.1 200 OK\r\nContent-Ty"), OutcomeKind.FIRST_BYTE_TIMEOUT),
    "stalled-body": (stall(Answer(BODY).head() + BODY[:100]), OutcomeKind.SLOW_BODY),
    "dribbled-body": (dribble(Answer(BODY), step_bytes=1), OutcomeKind.SLOW_BODY),
    "endless-body": (dribble(Answer(BODY * 100), step_bytes=1000), OutcomeKind.BODY_TIMEOUT),
    "dropped": (drop, OutcomeKind.DISCONNECTED),
    "reset": (reset, OutcomeKind.DISCONNECTED),
    "not-http": (raw(b"SSH-2.0-OpenSSH_9.6\r\n"), OutcomeKind.BAD_RESPONSE),
    "too-many-headers": (header_flood(2000), OutcomeKind.BAD_RESPONSE),
    "truncated": (truncated(Answer(BODY)), OutcomeKind.TRUNCATED),
    "truncated-chunks": (chunked(Answer(BODY), last_chunk=b""), OutcomeKind.TRUNCATED),
    "truncated-gzip": (truncated_gzip(Answer(BODY)), OutcomeKind.TRUNCATED),
    "bomb": (gzip_bomb(20), OutcomeKind.TOO_LARGE),
    "huge": (huge(3_000_000), OutcomeKind.TOO_LARGE),
    "huge-unannounced": (huge(3_000_000, announced=False), OutcomeKind.TOO_LARGE),
    "no-gzip": (Answer(BODY, headers={"Content-Encoding": "gzip"}), OutcomeKind.CORRUPT),
    "unknown-coding": (Answer(lzma.compress(BODY), headers={"Content-Encoding": "xz"}), OutcomeKind.UNKNOWN_ENCODING),
}
WHOLE: dict[str, Handler] = {
    "plain": Answer(BODY),
    "without-type": Answer(BODY, content_type=None),
    "empty": Answer(b""),
    "xhtml": Answer(BODY, content_type="application/xhtml+xml; charset=utf-8"),
    "shouting": Answer(BODY, content_type="TEXT/HTML"),
    "chunked": chunked(Answer(BODY)),
    "until-close": until_close(Answer(BODY)),
    "surplus": surplus_after_close(Answer(BODY)),
    "slow-but-steady": dribble(Answer(BODY[:300]), step_bytes=100),
    "long-headers": header_flood(200),
    "no-coding": Answer(BODY, headers={"Content-Encoding": "UTF-8"}),
    **{coding: encoded(Answer(BODY), coding) for coding in ("gzip", "deflate", "raw-deflate", "br", "zstd")},
}
IMPATIENT = {
    "first_byte_timeout_seconds": 2.0,
    "body_timeout_seconds": 1.0,
    "max_body_bytes": 2_000_000,
    "max_attempts": 1,
    "max_in_flight": 100,
}


@contextmanager
def closed_port() -> Iterator[int]:
    """A port at which nobody listens, and nobody else can begin to."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


async def plain_answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What a server without TLS says to the beginning of a TLS handshake."""
    await reader.read(1)
    writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
    writer.close()


async def test_every_breakage_of_a_page_is_stored_under_its_name_and_spares_all_others(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        expected = {}
        for name, (handler, kind) in BROKEN.items():
            # Each on a host of its own, since some failures make a host rest; one good page beside it.
            expected[web.answer(f"{name}.test", "/", handler)] = str(kind)
            expected[web.page(f"{name}.test", "/good")] = "fetched"
        for name, handler in WHOLE.items():
            expected[web.answer("whole.test", f"/{name}", handler)] = "fetched"
        crawled = await crawl(
            web.addresses,
            list(expected),
            tmp_path / "store.db",
            fetching=IMPATIENT,
            politeness={"give_up_after_failures": 100},
        )
    assert dict(rows(crawled.store, "SELECT url, outcome FROM pages")) == expected
    wrong_state = rows(
        crawled.store,
        "SELECT url, outcome, state FROM pages WHERE state <>"
        " CASE WHEN outcome IN ('fetched', 'other_type') THEN 'fetched' ELSE 'failed' END",
    )
    assert wrong_state == []
    assert rows(crawled.store, "SELECT url FROM pages WHERE state = 'failed' AND detail = ''") == []
    titles = rows(
        crawled.store,
        "SELECT url FROM pages WHERE url LIKE 'http://whole.test%' AND title <> 'fine'",
    )
    assert titles == [(web.url("whole.test", "/empty"),)]


async def test_what_keeps_a_host_from_being_asked_is_noted_with_the_host(tmp_path: Path) -> None:
    unknown_name = "n" * 64 + ".test"  # no resolver asks the network for a label this long
    certificate, _ = self_signed(tmp_path, ["stranger.test"])
    plain = await asyncio.start_server(plain_answer, "127.0.0.1", 0)
    async with plain, LoopbackWeb() as web, LoopbackWeb(tls=certificate) as stranger:
        with closed_port() as port:
            good = web.page("good.test", "/")
            refused = f"http://{web.host('shut.test')}:{port}/"
            no_tls = f"https://{web.host('tls.test')}:{plain.sockets[0].getsockname()[1]}/"
            untrusted = stranger.page("stranger.test", "/")
            unknown = f"http://{unknown_name}:{web.port}/"
            unreachable = [refused, no_tls, untrusted, unknown]
            crawled = await crawl(
                web.addresses | stranger.addresses,
                [good, *unreachable],
                tmp_path / "store.db",
                politeness={"give_up_after_failures": 2},
            )
    errors = dict(rows(crawled.store, "SELECT url || '/', last_error FROM hosts WHERE is_given_up = 1"))
    assert {url: error.removeprefix("robots.txt: ").split(": ")[0] for url, error in errors.items()} == {
        refused: "connect_failure",
        no_tls: "tls_failure",
        untrusted: "tls_failure",
        unknown: "dns_failure",
    }
    assert crawled.reason.label == "hosts-given-up"
    assert crawled.state(good) == "fetched"
    assert {crawled.state(url) for url in unreachable} == {"waiting"}, "who resumes the crawl tries again"
    assert crawled.statistics.frontier.stranded == 4
    assert crawled.statistics.host_failures == {"tls_failure": 4, "connect_failure": 2, "dns_failure": 2}


async def test_a_host_that_dies_after_its_robots_txt_makes_its_pages_fail(tmp_path: Path) -> None:
    async with LoopbackWeb() as web, LoopbackWeb() as dying:

        async def last_words(exchange: Exchange) -> None:
            await Answer(b"", 404).__call__(exchange)
            await dying.__aexit__(None, None, None)

        dying.answer("dying.test", "/robots.txt", last_words)
        page = dying.url("dying.test", "/")
        good = web.page("good.test", "/")
        addresses = web.addresses | dying.addresses
        crawled = await crawl(addresses, [page, good], tmp_path / "store.db")
    assert crawled.outcome(page) == "connect_failure"
    assert crawled.outcome(good) == "fetched"


async def test_a_private_address_is_never_dialled_whatever_leads_there(tmp_path: Path) -> None:
    async with LoopbackWeb(addresses=("127.0.0.1", "127.0.0.2")) as web:
        good = web.page("good.test", "/")
        inside = web.page(web.host("inside.test", "127.0.0.2"), "/")
        literal = web.page("127.0.0.2", "/")
        seed = web.redirect("moved.test", "/", ("inside.test", "/"))
        web.addresses["metadata.test"] = "169.254.169.254"
        metadata = web.url("metadata.test", "/")
        crawled = await crawl(
            web.addresses,
            [good, literal, seed, metadata],
            tmp_path / "store.db",
            fetching={"allow_networks": ("127.0.0.1/32",)},
        )
    assert crawled.outcome(good) == "fetched"
    assert crawled.outcome(seed) == "redirected"
    errors = dict(rows(crawled.store, "SELECT url || '/', last_error FROM host WHERE is_given_up"))
    assert set(errors) == {inside, literal, metadata}
    assert all("forbidden_address: " in error for error in errors.values()), errors
    for url in (inside, literal, metadata):
        assert (crawled.state(url), crawled.outcome(url)) == ("waiting", None), "under other settings it may be fetched"
    assert {request.address for request in web.log} == {"127.0.0.1"}
    assert crawled.reason.label == "hosts-given-up"


# --- trying again -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, handler",
    [
        (OutcomeKind.SERVER_ERROR, status(500)),
        (OutcomeKind.UNAVAILABLE, status(502)),
        (OutcomeKind.THROTTLED, throttled(429, "0")),
        (OutcomeKind.DISCONNECTED, raw(b"HTTP/1.1 200")),
        (OutcomeKind.BAD_RESPONSE, raw(b"nonsense\r\n\r\n")),
        (OutcomeKind.TRUNCATED, truncated(OK_PAGE)),
        (OutcomeKind.CORRUPT, Answer(BODY, headers={"Content-Encoding": "gzip"})),
        (OutcomeKind.CLIENT_ERROR, status(404)),
        (OutcomeKind.OTHER_TYPE, Answer(b"", content_type="text/plain")),
    ],
)
async def test_a_page_is_tried_as_often_as_the_table_says(kind: OutcomeKind, handler: Handler, tmp_path: Path) -> None:
    attempts = RETRY_RULES.of(kind).attempts
    async with LoopbackWeb() as web:
        url, good = web.answer("a.test", "/", handler), web.page("a.test", "/good")
        crawled = await crawl(web.addresses, [url, good], tmp_path / "store.db", fetching={"max_attempts": 100})
    assert web.fetches()["a.test", "/"] == attempts
    assert rows(crawled.store, "SELECT outcome, attempt, retry_at FROM fetch WHERE page = 0") == [
        (str(kind), attempts, None)
    ]
    assert crawled.statistics.retries == attempts - 1
    assert crawled.statistics.outcomes == {str(kind): 1, "fetched": 1}
    assert crawled.reason.label == "exhausted"


async def test_the_settings_may_ask_for_fewer_tries_but_throttling_is_no_fault_of_the_page(
    tmp_path: Path,
) -> None:
    async with LoopbackWeb() as web:
        failing, good = web.answer("a.test", "/", status(500)), web.page("a.test", "/good")
        busy = web.answer("b.test", "/", first_times(4, throttled(429, "0"), OK_PAGE))
        seeds = [failing, good, busy]
        crawled = await crawl(web.addresses, seeds, tmp_path / "store.db", fetching={"max_attempts": 2})
    assert crawled.outcome(failing) == "server_error"
    assert crawled.outcome(busy) == "fetched"
    assert web.fetches()["a.test", "/"] == 2


async def test_a_page_that_recovers_counts_once_and_keeps_no_trace_of_its_failures(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        page = web.page("a.test", "/", links=["/next"])
        web.page("a.test", "/next")
        recovering = first_times(1, status(500), first_times(1, status(502), web.handler("a.test", "/")))
        web.answer("a.test", "/", recovering)
        crawled = await crawl(web.addresses, [page], tmp_path / "store.db")
    assert rows(crawled.store, "SELECT outcome, attempt, detail, retry_at FROM fetch WHERE page = 0") == [
        ("fetched", 3, "", None)
    ]
    assert crawled.statistics.outcomes == {"fetched": 2}
    assert rows(crawled.store, "SELECT failures FROM host") == [(0,)]


async def test_while_a_page_waits_for_its_next_try_the_store_says_so(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        failing = web.answer("a.test", "/", status(500))
        crawled = await crawl(
            web.addresses, [failing, web.page("a.test", "/b")], tmp_path / "s.db", max_pages=1, retry_seconds=60
        )
    [row] = rows(
        crawled.store,
        "SELECT state, outcome, attempt, round(retry_at - started_at) FROM page JOIN fetch ON page = id WHERE url = ?",
        failing,
    )
    assert row == ("waiting", "server_error", 1, 60)


async def test_a_connection_gone_stale_costs_one_more_request_and_no_failure(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.answer("a.test", "/", stale_keep_alive(OK_PAGE))
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db")
    assert crawled.outcome(seed) == "fetched"
    assert crawled.statistics.retries == 0
    robots, stale, fresh = web.log
    assert [robots.path, stale.path, fresh.path] == ["/robots.txt", "/", "/"]
    assert (robots.connection, stale.nth) == (stale.connection, 2)
    assert fresh.nth == 1


async def test_fields_of_any_octets_and_dates_of_any_size_harm_nobody(tmp_path: Path) -> None:
    def response(head: bytes) -> Handler:
        return raw(b"HTTP/1.1 " + head + b"\r\nContent-Length: 2\r\n\r\nok")

    async with LoopbackWeb() as web:
        cv = web.answer("a.test", "/cv", response(b"200 OK\r\nContent-Type: application/pdf; name=r\xe9sum\xe9.pdf"))
        page = web.answer("b.test", "/", response(b'200 OK\r\nETag: "\xe9"\r\nX-Robots-Tag: \xe9\r\nLink: </\xe9>'))
        moved = web.answer("c.test", "/", response(b"301 Moved\r\nLocation: /caf\xe9"))
        to = web.page("c.test", "/caf%E9")
        busy = web.answer("d.test", "/", response(b"503 No\r\nRetry-After: Mon, 01 Jan 99999999999 00:00:00 GMT"))
        crawled = await crawl(
            web.addresses,
            [cv, page, moved, busy],
            tmp_path / "store.db",
            in_processes=True,
            politeness={"give_up_after_failures": 2},
        )
    assert [crawled.outcome(url) for url in (cv, page, moved, to)] == ["other_type", "fetched", "redirected", "fetched"]
    assert crawled.outcome(busy) == "throttled"
    assert rows(crawled.store, "SELECT detail FROM fetch WHERE detail LIKE '%pdf%'") == [
        ("application/pdf; name=résumé.pdf",)
    ]


# --- hostile to the parser ----------------------------------------------------------------------


async def test_a_page_that_nobody_can_parse_in_time_costs_one_page(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        deep = web.answer("a.test", "/deep", nested_divs(200_000))
        wide = web.answer("a.test", "/wide", many_attributes(200_000))  # no more, or its tree is cut
        pages = [web.page(f"h{n}.test", "/") for n in range(10)]
        crawled = await crawl(
            web.addresses,
            [deep, *pages, wide],
            tmp_path / "store.db",
            in_processes=True,
            parsing={"processes": 2, "timeout_seconds": 1.5},
        )
    assert {crawled.outcome(page) for page in pages} == {"fetched"}
    assert [crawled.outcome(url) for url in (deep, wide)] == ["parse_timeout", "parse_timeout"]
    assert [crawled.state(url) for url in (deep, wide)] == ["failed", "failed"]
    assert crawled.statistics.parser_restarts >= 2
    assert len(web.requests("a.test")) == 2, "such a page is not fetched again"


async def test_what_a_page_says_is_stored(tmp_path: Path) -> None:
    html = """<!doctype html><html lang="de"><title> Das  ist es </title><meta name=description content=Kurz>
        <link rel=canonical href="/canonical"><h1>Kopf</h1><p>Text <a href="/b#c">zu B</a> <a href="mailto:x@y">"""
    async with LoopbackWeb() as web:
        headers = {"ETag": '"1"', "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}
        seed = web.page("a.test", "/", html=html, headers=headers)
        crawled = await crawl(web.addresses, [seed], tmp_path / "store.db", storage={"keep_bodies": True})
    [row] = rows(
        crawled.store,
        "SELECT title, description, language, status, content_type, charset, wire_bytes, body_bytes, etag,"
        " last_modified, length(body_hash), headings, text IS NOT NULL, body IS NOT NULL, canonical.url, seconds > 0"
        " FROM fetch JOIN content USING (page) JOIN page AS canonical ON canonical.id = canonical WHERE page = 0",
    )
    assert row == (
        "Das ist es", "Kurz", "de", 200, HTML, "utf-8", len(html), len(html), '"1"',
        "Mon, 01 Jan 2024 00:00:00 GMT", 16, '[[1,"Kopf"]]', 1, 1, web.url("a.test", "/canonical"), 1,
    )  # fmt: skip
    assert rows(crawled.store, "SELECT anchor, kind FROM links ORDER BY kind") == [("zu B", "a"), ("", "canonical")]
