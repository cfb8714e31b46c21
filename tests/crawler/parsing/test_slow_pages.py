"""Pages that take long to parse, and those that must not wait for them."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest

from crawler.fetching.outcomes import OutcomeKind
from crawler.parsing.messages import RawPage
from crawler.parsing.pool import page_watch, parsers
from crawler.parsing.pool.jobs import unpacked_bytes
from crawler.parsing.pool.parsers import ParserPool
from tests.crawler.parsing.test_parsers import CONFIG, page
from tests.support.crawling import wait_until

DEEP = RawPage("http://a.test/deep", zlib.compress(b"<div>" * 300_000), "deflate")
"""Looks small, and takes a minute or more."""
LARGE = RawPage("http://a.test/large", b"<title>large</title>" + b"<p>x" * 800_000 + b"x" * 3_000_000)


def pool(timeout_seconds: float = 600.0) -> ParserPool:
    return ParserPool(CONFIG, processes=1, timeout_seconds=timeout_seconds)


async def test_however_many_pages_are_slow_one_process_is_left_for_the_others() -> None:
    async with pool() as opened:
        slow = [asyncio.create_task(opened.parse(DEEP)) for _ in range(3)]
        await asyncio.sleep(0)
        digests = await asyncio.gather(*(opened.parse(page(number)) for number in range(40)))
        assert [digest.page.title for digest in digests if digest.page is not None] == [str(n) for n in range(40)]
        assert not any(task.done() for task in slow)
        assert len(opened._processes) <= 1 + parsers._SPARES
        for task in slow:
            task.cancel()


async def test_large_pages_are_parsed_one_at_a_time_beside_the_others() -> None:
    async with pool() as opened:
        large = [asyncio.create_task(opened.parse(LARGE)) for _ in range(4)]
        await asyncio.sleep(0)
        assert len(opened._large) == 4
        digest = await opened.parse(page(1))
        assert digest.page is not None
        assert [each.page.title for each in await asyncio.gather(*large) if each.page is not None] == ["large"] * 4
        assert sum(process.is_slow for process in opened._processes) == 0
        assert opened.restarts == 0


async def test_a_page_of_a_megabyte_has_no_process_started_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_watch, "SLOW_SECONDS", 1e9)
    async with pool() as opened:
        digest = await opened.parse(RawPage("http://a.test/", b"<title>one</title>" + b"<p>x" * 250_000))
        assert digest.page is not None
        assert len(opened._processes) == 1


async def test_once_a_page_was_slow_those_of_a_megabyte_are_parsed_one_at_a_time() -> None:
    async with pool() as opened:
        slow = asyncio.create_task(opened.parse(DEEP))
        await wait_until(lambda: len(opened._processes) == 2, pause=0.01)
        large = RawPage("http://a.test/", b"<title>one</title>" + b"<p>x" * 250_000)
        digests = [asyncio.create_task(opened.parse(large)) for _ in range(3)]
        await asyncio.sleep(0)
        assert len(opened._large) == 3  # the slow one has to end first
        assert (await opened.parse(page(1))).page is not None
        for task in (slow, *digests):
            task.cancel()


async def test_large_pages_that_wait_when_one_turns_out_to_be_slow_wait_for_it_to_end() -> None:
    async with pool() as opened:
        large = RawPage("http://a.test/", b"<title>one</title>" + b"<p>x" * 250_000)
        tasks = [asyncio.create_task(opened.parse(each)) for each in (DEEP, large, page(1), large)]
        assert (await tasks[2]).page is not None
        assert not tasks[1].done()
        assert len(opened._large) == 2
        for task in tasks:
            task.cancel()


async def test_of_very_many_slow_pages_the_last_are_given_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "_MAX_SLOW", 0)
    monkeypatch.setattr(parsers, "_SPARES", 0)
    async with pool() as opened:
        digest = await opened.parse(DEEP)
        assert digest.failure == OutcomeKind.PARSE_TIMEOUT
        assert digest.detail == "not parsed in 0.2 s, and 0 others like it were waiting"
        assert (await opened.parse(page(1))).page is not None


async def test_without_a_spare_process_slow_pages_are_parsed_in_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "_SPARES", 0)
    monkeypatch.setattr(page_watch, "SLOW_SECONDS", 0.001)
    monkeypatch.setattr(page_watch, "LEAST_SECONDS", 0.001)
    async with pool() as opened:
        packed = RawPage("http://a.test/", zlib.compress(LARGE.body), "deflate")
        digests = await asyncio.gather(*(opened.parse(each) for each in (LARGE, packed, page(1))))
        assert [digest.page.title for digest in digests if digest.page is not None] == ["large", "large", "1"]


def test_how_long_a_body_is_unpacked_shows_at_its_end_or_is_guessed() -> None:
    assert unpacked_bytes(RawPage("u", gzip.compress(b"x" * 1_000_000), "gzip")) == 1_000_000
    assert unpacked_bytes(RawPage("u", b"x" * 9000)) == 9000
    assert unpacked_bytes(RawPage("u", b"x" * 9000, "br")) == 45_000
    assert unpacked_bytes(RawPage("u", b"", "gzip")) == 0
