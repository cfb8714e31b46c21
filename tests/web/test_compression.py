"""Answers are compressed for clients that take it, each form has its own entity tag, and nothing is sent twice."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import given
from hypothesis import strategies as st

from hinterland.web.application import application
from hinterland.web.compression import is_compressible, matches, takes_gzip
from hinterland.web.security import HEADERS
from tests.support.fake_index import FakeIndex

Client = TestClient[web.Request, web.Application]

LONG = (
    *("/", "/?q=Ferry", "/page/0", "/crawl", "/hosts?all=1", "/api/page?number=0", "/api/openapi.json", "/metrics"),
    *("/static/style.css", "/search.atom?q=Ferry", "/search.csv?q=Ferry", "/broken-links", "/page/99999"),
)


@asynccontextmanager
async def client_of(store: Path) -> AsyncIterator[Client]:
    app = application(store, FakeIndex(store), only_this_machine=True)
    async with TestClient(TestServer(app), auto_decompress=False) as client:
        yield client


async def asked(client: Client, path: str, headers: Mapping[str, str]) -> tuple[ClientResponse, bytes]:
    async with client.get(path, headers={"Accept-Encoding": "identity", **headers}) as answer:
        return answer, await answer.read()


@pytest.mark.slow
@pytest.mark.parametrize("path", LONG)
async def test_an_answer_comes_compressed_to_those_who_take_it_and_plain_to_others(
    path: str, crawled_store: Path
) -> None:
    async with client_of(crawled_store) as client:
        plain, body = await asked(client, path, {})
        packed, packed_body = await asked(client, path, {"Accept-Encoding": "gzip, deflate, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Content-Length"] == str(len(packed_body))
    assert len(packed_body) < len(body)
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert plain.headers["Content-Type"] == packed.headers["Content-Type"]
    assert packed.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    if "q=" not in path and path not in ("/metrics", "/crawl"):  # which tell the time
        assert gzip.decompress(packed_body) == body


async def test_a_list_sent_in_pieces_comes_compressed_too(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        plain, body = await asked(client, "/broken-links.csv", {})
        packed, packed_body = await asked(client, "/broken-links.csv", {"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed_body) == body


async def test_each_form_has_its_own_tag_and_is_not_sent_to_those_who_have_it(crawled_store: Path) -> None:
    both = {"plain": {}, "packed": {"Accept-Encoding": "gzip"}}
    async with client_of(crawled_store) as client:
        tags = {form: (await asked(client, "/page/0", taken))[0].headers["ETag"] for form, taken in both.items()}
        assert tags["plain"] != tags["packed"]
        for form, taken in both.items():
            for named in (tags[form], f"W/{tags[form]}", f'"other", {tags[form]}', "*"):
                answer, body = await asked(client, "/page/0", {**taken, "If-None-Match": named})
                assert (answer.status, body) == (304, b""), (form, named)
                assert answer.headers["ETag"] == tags[form]
                assert answer.headers["Vary"] == "Accept-Encoding"
                assert "Content-Encoding" not in answer.headers
            other = tags["packed" if form == "plain" else "plain"]
            assert (await asked(client, "/page/0", {**taken, "If-None-Match": other}))[0].status == 200


async def test_a_page_that_has_changed_has_another_tag(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        tags = {(await asked(client, path, {}))[0].headers["ETag"] for path in ("/page/0", "/page/1", "/page/2")}
    assert len(tags) == 3


async def test_short_answers_and_errors_stay_what_they_are(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        for path in ("/healthz", "/robots.txt", "/api/host?number=99"):
            answer, _ = await asked(client, path, {"Accept-Encoding": "gzip"})
            assert "Content-Encoding" not in answer.headers, path
        answer, body = await asked(client, "/page/99999", {"Accept-Encoding": "gzip", "If-None-Match": "*"})
        assert answer.status == 404
        assert "ETag" not in answer.headers
        assert b"No such page" in gzip.decompress(body)


async def test_a_head_request_tells_the_length_and_the_tag_of_what_would_come(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        got, body = await asked(client, "/page/0", {"Accept-Encoding": "gzip"})
        async with client.head("/page/0", headers={"Accept-Encoding": "gzip"}) as told:
            assert told.headers["Content-Length"] == str(len(body))
            assert told.headers["ETag"] == got.headers["ETag"]
            assert told.headers["Content-Encoding"] == "gzip"


async def test_events_are_never_held_up_by_a_compressor(crawled_store: Path) -> None:
    async with (
        client_of(crawled_store) as client,
        client.get("/crawl/events", headers={"Accept-Encoding": "gzip"}) as answer,
    ):
        assert "Content-Encoding" not in answer.headers
        assert await answer.content.readline() == b"retry: 3000\n"


@pytest.mark.parametrize(
    "fields, takes",
    [
        ([], False),
        ([""], False),
        (["gzip"], True),
        (["GZIP"], True),
        (["x-gzip"], True),
        (["deflate, gzip;q=1.0, *;q=0.5"], True),
        (["br;q=1.0, gzip;q=0.1"], True),
        (["gzip;q=0"], False),
        (["gzip; q=0.000"], False),
        (["*"], True),
        (["*;q=0"], False),
        (["gzip;q=0, *"], False),
        (["br", "gzip"], True),
        (["identity"], False),
        (["identity;q=1, gzip;q=0.5"], False),
        (["identity;q=0.5, gzip"], True),
        (["gzip;q=much"], False),
        (["gzip;q=nan"], False),
        (["gzipped"], False),
    ],
)
def test_whether_a_client_takes_gzip_is_read_off_all_of_its_header_lines(fields: list[str], takes: bool) -> None:
    assert takes_gzip(fields) is takes


@pytest.mark.slow
@given(st.lists(st.text(max_size=30), max_size=3))
def test_whatever_stands_in_the_header_is_an_answer(fields: list[str]) -> None:
    assert takes_gzip(fields) in (True, False)


def test_texts_are_compressible_and_streams_of_events_and_pictures_are_not() -> None:
    for name in ("text/html", "text/csv", "application/json", "application/atom+xml", "image/svg+xml"):
        assert is_compressible(name), name
    for name in ("text/event-stream", "image/png", "application/octet-stream"):
        assert not is_compressible(name), name


def test_a_tag_is_compared_without_the_mark_of_weakness() -> None:
    assert matches('W/"a"', '"a"')
    assert matches('"b" , "a"', '"a"')
    assert not matches("", '"a"')
    assert not matches('"ab"', '"a"')
