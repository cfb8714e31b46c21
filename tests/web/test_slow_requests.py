"""A client that does not get to the end of its request is cut off, and one that keeps a connection is not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp.test_utils import TestServer

from hinterland.web.application import REQUEST_SECONDS, application
from tests.support.fake_index import FakeIndex

LONGEST_WAIT = 20.0
BEGUN = [
    b"",
    b"G",
    b"GET /healthz HTT",
    b"GET /healthz HTTP/1.1\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Endless: ",
    b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n",
]


@asynccontextmanager
async def connected(store: Path) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    app = application(store, FakeIndex(store), only_this_machine=True, request_seconds=0.4)
    async with TestServer(app) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            yield reader, writer
        finally:
            writer.close()


async def is_closed(reader: asyncio.StreamReader) -> bool:
    """Return whether the server closes the connection; it is reset if the server has not read all that was sent."""
    async with asyncio.timeout(LONGEST_WAIT):
        try:
            return await reader.read() == b""
        except ConnectionResetError:
            return True


@pytest.mark.parametrize("begun", BEGUN)
async def test_a_request_whose_head_never_ends_is_closed(begun: bytes, crawled_store: Path) -> None:
    async with connected(crawled_store) as (reader, writer):
        writer.write(begun)
        assert await is_closed(reader)


async def test_a_head_that_comes_byte_by_byte_wins_no_time(crawled_store: Path) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.02)

    async with connected(crawled_store) as (reader, writer):
        writer.write(b"GET /healthz HTTP/1.1\r\nX-Endless: ")
        dripping = asyncio.create_task(drip(writer))
        try:
            assert await is_closed(reader)
        finally:
            dripping.cancel()


async def test_the_second_request_of_a_connection_has_as_long_as_the_first(crawled_store: Path) -> None:
    async with connected(crawled_store) as (reader, writer):
        writer.write(b"GET /robots.txt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /robots.txt HTTP/1.1\r\nX-Endless: ")
        async with asyncio.timeout(LONGEST_WAIT):
            answer = await reader.read()
        assert answer.count(b"HTTP/1.1 200") == 1


@pytest.mark.slow
async def test_an_answer_that_goes_on_is_not_cut_off(crawled_store: Path) -> None:
    async with connected(crawled_store) as (reader, writer):
        writer.write(b"GET /crawl/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        async with asyncio.timeout(LONGEST_WAIT):
            await reader.readuntil(b"retry: 3000")
        await asyncio.sleep(1.0)  # much longer than a request may take
        assert not reader.at_eof()


def test_the_time_is_longer_than_proxies_keep_an_idle_connection() -> None:
    assert REQUEST_SECONDS > 60
