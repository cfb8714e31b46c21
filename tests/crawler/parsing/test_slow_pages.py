"""Pages that take long to parse, and those that must not wait for them."""

from __future__ import annotations

import asyncio
import gzip
import os
import time
import zlib

import pytest

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.parsing.messages import RawPage
from hinterland.crawler.parsing.pool import page_watch, parser_process, parsers
from hinterland.crawler.parsing.pool.fair_host_queue import FairHostQueue
from hinterland.crawler.parsing.pool.jobs import ParseJob, unpacked_bytes
from hinterland.crawler.parsing.pool.parsers import ParserPool
from tests.crawler.parsing.test_parsers import CONFIG, page
from tests.support.crawling import wait_until
from tests.support.levels import rounds
from tests.support.parser_processes import parser_processes

pytestmark = pytest.mark.slow

DEEP = RawPage("http://a.test/deep", zlib.compress(b"<div>" * 300_000), "deflate")
"""Looks small, and takes a minute or more."""
VERY_LARGE = RawPage("http://a.test/very-large", b"<title>large</title>" + b"x" * 7_000_000)
LARGE = RawPage("http://a.test/large", b"<title>large</title>" + b"<p>x" * 20_000 + b"x" * 6_000_000)

PAGES = rounds(12, 30)
"""Slow ones that wait; each may be followed by a process of its own."""
MEGABYTE = b"<title>one</title>" + b"<p>x" * 10_000 + b"x" * 960_000


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


async def test_no_process_is_started_for_a_page_of_a_megabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_watch, "SLOW_SECONDS", 1e9)
    async with pool() as opened:
        digest = await opened.parse(RawPage("http://a.test/", MEGABYTE))
        assert digest.page is not None
        assert len(opened._processes) == 1


async def test_large_pages_do_not_wait_for_a_small_one_that_takes_long() -> None:
    async with pool() as opened:
        large = RawPage("http://a.test/", MEGABYTE)
        slow, *others = [asyncio.create_task(opened.parse(each)) for each in (DEEP, large, page(1), large)]
        digests = await asyncio.gather(*others)
        assert all(digest.page is not None for digest in digests)
        assert not slow.done()
        slow.cancel()


async def test_slow_small_pages_are_parsed_one_at_a_time() -> None:
    async with pool() as opened:
        slow = [asyncio.create_task(opened.parse(DEEP)) for _ in range(3)]
        await wait_until(lambda: len(opened._slow) == 2, pause=0.01)
        assert sum(process.is_slow_with(large=False) for process in opened._processes) == 1
        for task in slow:
            task.cancel()


async def test_a_page_that_takes_long_takes_a_smaller_share_of_the_processor() -> None:
    async with pool() as opened:
        slow = asyncio.create_task(opened.parse(DEEP))
        await wait_until(lambda: any(_niceness(process) > _niceness(0) for process in parser_processes()), pause=0.01)
        await wait_until(lambda: len(parser_processes()) == 2, pause=0.01)
        assert sorted(map(_niceness, parser_processes())) == [_niceness(0), _niceness(0) + parser_process._NICENESS]
        slow.cancel()


async def test_a_process_that_had_a_slow_page_gives_way_to_one_with_its_whole_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_watch, "SLOW_SECONDS", 0.01)
    async with pool() as opened:
        assert (await opened.parse(RawPage("http://a.test/", MEGABYTE))).page is not None
        assert (await opened.parse(page(1))).page is not None
        await wait_until(lambda: [*map(_niceness, parser_processes())] == [_niceness(0)], pause=0.01)
        await wait_until(lambda: len(opened._processes) == 1, pause=0.01)
        assert opened.restarts == 0


def _niceness(process: int) -> int:
    """Return the niceness of a process; 0 stands for this one."""
    return os.getpriority(os.PRIO_PROCESS, process)


async def test_a_spare_process_ends_when_no_page_waits_for_it() -> None:
    async with pool() as opened:
        assert (await opened.parse(VERY_LARGE)).page is not None
        await wait_until(lambda: len(parser_processes()) == 1, pause=0.01)
        assert (await opened.parse(VERY_LARGE)).page is not None
        assert opened.restarts == 0


async def test_the_time_of_a_page_is_what_its_process_used_up_to_three_times_as_long_by_the_clock() -> None:
    used, ended = 0.0, list[float]()
    watch = page_watch.PageWatch(lambda: used, lambda: None, lambda: ended.append(time.monotonic()))
    for cpu_seconds, at_least in ((0.1, 0.0), (0.0, 0.3)):
        used, begun = cpu_seconds, time.monotonic()
        watch.page_begins(0.1)
        watch.allow_slow()
        await wait_until(lambda: bool(ended), pause=0.005)
        assert at_least <= ended.pop() - begun + 0.01
        watch.stop()


async def test_the_slow_page_is_identified_among_pages_read_together() -> None:
    async with pool() as opened:
        await opened.parse(page(0))
        [process] = opened._processes
        tasks = [asyncio.create_task(opened.parse(each)) for each in (page(1), page(2), DEEP, page(3))]
        await wait_until(lambda: process.is_slow, pause=0.005)
        assert [job.raw for job in process.jobs if job is not None] == [DEEP]
        digests = await asyncio.gather(tasks[0], tasks[1], tasks[3])
        assert [digest.page.title for digest in digests if digest.page is not None] == ["1", "2", "3"]
        tasks[2].cancel()


@pytest.mark.parametrize("hosts, processes, spares", [(1, 1, 0), (1, 1, 2), (PAGES, 1, 2), (PAGES, 3, 2)])
async def test_however_many_slow_pages_wait_each_is_read_in_its_turn(
    hosts: int, processes: int, spares: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsers, "_SPARES", spares)
    monkeypatch.setattr(page_watch, "SLOW_SECONDS", 0.001)
    monkeypatch.setattr(page_watch, "LEAST_SECONDS", 0.001)
    async with ParserPool(CONFIG, processes=processes, timeout_seconds=60.0) as opened:
        slow = [RawPage(f"http://{n % hosts}.test/{n}", b"<title>slow</title>" + b"<p>x" * 300) for n in range(PAGES)]
        digests = await asyncio.gather(*(opened.parse(each) for each in [*slow, page(1)]))
    assert [digest.failure for digest in digests] == [""] * (PAGES + 1)
    assert [digest.page.title for digest in digests if digest.page is not None] == [*["slow"] * PAGES, "1"]


async def test_a_slow_page_is_given_up_by_its_own_time_and_those_behind_it_are_read() -> None:
    async with pool(timeout_seconds=1.0) as opened:
        deep = [asyncio.create_task(opened.parse(DEEP)) for _ in range(2)]
        raws = [RawPage(f"http://{n}.test/", LARGE.body[:50_000]) for n in range(20)]
        honest = [asyncio.create_task(opened.parse(raw)) for raw in raws]
        assert [digest.failure for digest in await asyncio.gather(*honest)] == [""] * 20
        for task in deep:
            assert ((await task).failure, (await task).detail) == (OutcomeKind.PARSE_TIMEOUT, "not parsed in 1 s")


async def test_a_page_that_nobody_waits_for_any_more_has_no_turn() -> None:
    async with pool() as opened:
        deep = [asyncio.create_task(opened.parse(DEEP)) for _ in range(4)]
        await wait_until(lambda: len(opened._slow) == 3, pause=0.01)
        for task in deep[1:]:
            task.cancel()
        await asyncio.wait(deep[1:])
        assert opened._slow.next() is None
        deep[0].cancel()


def job(host: str, number: int) -> ParseJob:
    return ParseJob(RawPage(f"http://{host}.test/{number}", b""), asyncio.get_running_loop().create_future())


def taken(turns: FairHostQueue) -> list[str]:
    names = []
    while turns.next() is not None:
        names.append(turns.take().raw.url.removeprefix("http://").replace(".test/", ""))
    return names


async def test_hosts_take_turns_with_their_slow_pages() -> None:
    turns = FairHostQueue()
    for host, pages in (("a", 4), ("b", 1), ("c", 2)):
        for number in range(pages):
            turns.append(job(host, number))
    assert len(turns) == 7
    assert taken(turns) == ["a0", "b0", "c0", "a1", "c1", "a2", "a3"]


async def test_a_slow_page_that_is_taken_back_is_the_next_one() -> None:
    turns = FairHostQueue()
    for host in "aab":
        turns.append(job(host, len(turns)))
    first = turns.take()
    turns.appendleft(first)
    assert len([*turns]) == 3
    assert taken(turns) == ["a0", "b2", "a1"]


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
