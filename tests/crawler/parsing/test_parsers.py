"""The pool of parser processes: what one page does to its process, no other page notices."""

from __future__ import annotations

import asyncio
import os
import platform
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.parsing.messages import FrameReader, PageDigest, ParserConfig, RawPage
from hinterland.crawler.parsing.pool import page_watch, parsers
from hinterland.crawler.parsing.pool.parser_process import ParsersUnusable
from hinterland.crawler.parsing.pool.parsers import ParserPool
from tests.support.crawling import wait_until
from tests.support.parser_processes import fork_servers, parser_processes

pytestmark = pytest.mark.slow

CONFIG = ParserConfig(
    agent="Hinterland",
    max_body_bytes=20_000_000,
    max_url_length=2000,
    sort_parameters=False,
    drop_parameters=[],
    keep_text=True,
    keep_bodies=False,
    max_memory_bytes=1 << 30,
)
DEEP = RawPage("http://a.test/deep", b"<div>" * 300_000)
"""Parsing it takes a minute or more."""


@pytest.fixture(autouse=True)
def _one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch off the handling of slow pages, which test_slow_pages tests."""
    monkeypatch.setattr(page_watch, "SLOW_SECONDS", 1e9)
    monkeypatch.setattr(parsers, "_LARGE_BYTES", 1 << 40)


def page(number: int) -> RawPage:
    return RawPage(f"http://a.test/{number}", b"<title>%d</title><a href='/x'>" % number)


@asynccontextmanager
async def pool(
    *, processes: int = 1, timeout_seconds: float = 60.0, config: ParserConfig = CONFIG, at_once: bool = True
) -> AsyncIterator[ParserPool]:
    """A pool that leaves nothing behind when the block ends."""
    before, tasks = parser_processes() | fork_servers(), asyncio.all_tasks()
    made = ParserPool(config, processes=processes, timeout_seconds=timeout_seconds, at_once=at_once)
    async with made as opened:
        yield opened
    assert parser_processes() | fork_servers() == before
    assert asyncio.all_tasks() - tasks == set()


def parser_process() -> int:
    """Return the number of this process's only parser."""
    [child] = parser_processes()
    return child


async def wait_until_busy(process: int) -> None:
    """Wait until it has used a tenth of a second of CPU time, which only DEEP takes."""
    enough = seconds_worked(process) + 0.1
    await wait_until(lambda: seconds_worked(process) >= enough, pause=0.01)


def seconds_worked(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def test_pages_are_parsed_each_answer_going_to_who_asked() -> None:
    async with pool(processes=2) as parsers:
        digests = await asyncio.gather(*(parsers.parse(page(number)) for number in range(100)))
        assert parsers.backlog == 0
    assert [digest.page.title for digest in digests if digest.page is not None] == [
        str(number) for number in range(100)
    ]
    assert parsers.restarts == 0


async def test_processes_may_wait_for_the_first_page() -> None:
    before = parser_processes() | fork_servers()
    async with pool(processes=2, at_once=False) as parsers:
        assert parser_processes() | fork_servers() == before
        digests = await asyncio.gather(*(parsers.parse(page(number)) for number in range(3)))
    assert [digest.page is not None for digest in digests] == [True] * 3


async def test_a_page_that_takes_too_long_is_given_up_and_those_beside_it_are_parsed() -> None:
    async with pool(timeout_seconds=1.0) as parsers:
        digests = await asyncio.gather(
            parsers.parse(page(1)), parsers.parse(DEEP), *(parsers.parse(page(number)) for number in range(2, 12))
        )
        assert parsers.restarts == 2  # with the pages around it, and again by itself
    assert digests[1].failure == OutcomeKind.PARSE_TIMEOUT
    assert digests[1].detail == "not parsed in 1 s"
    assert [digest.page is not None for digest in digests] == [True, False, *[True] * 10]


async def test_while_one_process_is_held_up_the_others_go_on() -> None:
    async with pool(processes=2) as parsers:
        await wait_until(lambda: all(process.has_greeted for process in parsers._processes), pause=0.01)
        held_up = asyncio.create_task(parsers.parse(DEEP))
        await asyncio.sleep(0)
        for number in range(20):
            # Many at a time would wait behind the deep page as well: its process takes a few ahead.
            assert (await parsers.parse(page(number))).page is not None
        assert not held_up.done()
        held_up.cancel()


async def test_a_page_that_takes_its_process_down_is_named_as_the_culprit() -> None:
    async with pool() as parsers:
        await parsers.parse(page(0))
        victim = parser_process()
        culprit = asyncio.create_task(parsers.parse(DEEP))
        await wait_until_busy(victim)
        os.kill(victim, signal.SIGSEGV)  # it could as well have been the system, short of memory: one more try
        await wait_until(lambda: bool(parser_processes() - {victim}), pause=0.01)
        again = parser_process()
        [process] = parsers._processes
        await wait_until(lambda: process.jobs, pause=0.01)  # until then it is busy with its own start
        await wait_until_busy(again)
        os.kill(again, signal.SIGSEGV)
        digest = await culprit
        assert digest.failure == OutcomeKind.PARSER_CRASH
        assert digest.detail == "the parser was ended by SIGSEGV"
        assert parsers.restarts == 2
        assert (await parsers.parse(page(1))).page is not None


async def test_pages_that_were_with_the_culprit_are_parsed_all_the_same() -> None:
    async with pool() as parsers:
        await parsers.parse(page(0))
        victim = parser_process()
        culprit = asyncio.create_task(parsers.parse(DEEP))
        beside = [asyncio.create_task(parsers.parse(page(number))) for number in range(1, 20)]
        await asyncio.sleep(0)
        await wait_until_busy(victim)
        culprit.cancel()  # nobody waits for it any more, so it is not tried again
        await asyncio.sleep(0)
        os.kill(victim, signal.SIGSEGV)
        digests = await asyncio.gather(*beside)
        assert parsers.restarts == 1
    titles = [digest.page.title for digest in digests if digest.page is not None]
    assert titles == [str(number) for number in range(1, 20)]


async def test_an_answer_that_comes_in_at_the_last_moment_puts_the_blame_on_nobody_else() -> None:
    async with pool() as opened:
        await opened.parse(page(0))
        [process] = opened._processes
        answers = [asyncio.create_task(opened.parse(page(number))) for number in (1, 2)]
        await asyncio.sleep(0)
        process._give_up()  # as the timer does when the first of them has run out of time
        first = process.jobs.popleft()
        assert first is not None
        first.answer.set_result(PageDigest())
        assert await answers[0] == PageDigest()
        assert (await answers[1]).page is not None


@pytest.mark.parametrize("pause", [0.0, 0.001, 0.5])
async def test_a_process_that_is_killed_between_two_pages_is_replaced_and_costs_none(pause: float) -> None:
    async with pool() as parsers:
        await parsers.parse(page(0))
        os.kill(parser_process(), signal.SIGKILL)
        time.sleep(pause)  # noqa: ASYNC251 - the pool is not to notice before it has handed out the next page
        digest = await parsers.parse(page(1))
    assert digest.page is not None
    assert digest.page.title == "1"


async def test_a_page_that_needs_too_much_memory_costs_one_page() -> None:
    small = ParserConfig(**{name: getattr(CONFIG, name) for name in CONFIG.__struct_fields__} | {
        "max_memory_bytes": 200 << 20, "max_tree_bytes": 1 << 40,
    })  # fmt: skip
    async with pool(config=small) as parsers:
        greedy, good = await asyncio.gather(
            parsers.parse(RawPage("http://a.test/", b"<p>" * 2_500_000)), parsers.parse(page(1))
        )
    assert greedy.failure == OutcomeKind.PARSER_CRASH
    assert good.page is not None


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have ways of their own")
async def test_what_a_large_page_took_is_given_back_when_it_is_read() -> None:
    def resident_bytes() -> int:
        pages = Path(f"/proc/{parser_process()}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    async with pool() as parsers:
        await parsers.parse(page(0))
        before = resident_bytes()
        digest = await parsers.parse(RawPage("http://a.test/", b"<br>" * 300_000))  # its tree takes 55 MB
        assert digest.page is not None
        assert resident_bytes() < before + 15_000_000


async def test_after_a_large_page_the_crawl_gives_memory_back_as_well_some_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trims: list[None] = []
    monkeypatch.setattr(parsers, "_TRIM_SECONDS", 0.0)
    monkeypatch.setattr(parsers, "release_freed_memory", lambda: trims.append(None))
    async with pool() as opened:
        await opened.parse(page(0))
        await asyncio.sleep(0.01)
        assert not trims
        await opened.parse(RawPage("http://a.test/", b"<a href=x>" + b" " * 1_100_000))
        await wait_until(lambda: len(trims) == parsers._TRIMS, pause=0.01)
        await asyncio.sleep(0.01)
        assert len(trims) == parsers._TRIMS


async def test_a_process_that_runs_out_of_memory_says_nothing_on_the_terminal(
    capfd: pytest.CaptureFixture[str],
) -> None:
    small = msgspec.structs.replace(CONFIG, max_memory_bytes=200 << 20)
    async with pool(config=small) as parsers:
        too_much, good = await asyncio.gather(
            parsers.parse(RawPage("http://a.test/", bytes(300 << 20))), parsers.parse(page(1))
        )
    assert (too_much.failure, too_much.detail) == (OutcomeKind.PARSER_CRASH, "the parser ran out of memory")
    assert good.page is not None
    assert capfd.readouterr().err == ""


async def test_a_task_that_stops_waiting_for_its_page_does_not_disturb_others() -> None:
    async with pool() as parsers:
        tasks = [asyncio.create_task(parsers.parse(page(number))) for number in range(12)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        digests = await asyncio.gather(*tasks[1::2])
        assert [digest.page.title for digest in digests if digest.page is not None] == ["1", "3", "5", "7", "9", "11"]
        assert isinstance(await parsers.parse(page(99)), PageDigest)


async def test_closing_does_not_wait_for_a_page_that_is_being_parsed() -> None:
    async with pool() as parsers:
        await parsers.parse(page(0))
        waiting = asyncio.create_task(parsers.parse(DEEP))
        await asyncio.sleep(0)
        await wait_until_busy(parser_process())
        waiting.cancel()


async def test_closing_while_a_process_is_being_replaced_leaves_nothing_behind() -> None:
    for pause in (0.0, 0.01, 0.05):
        async with pool(processes=2) as parsers:
            await parsers.parse(page(0))
            for child in parser_processes():
                os.kill(child, signal.SIGKILL)
            await asyncio.sleep(pause)


async def test_processes_that_die_as_they_start_end_the_crawl_not_its_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    async with pool() as parsers:
        with pytest.raises(ParsersUnusable, match="cannot start a parser process: the parser died with code 3"):
            await parsers.parse(page(1))
        with pytest.raises(ParsersUnusable):
            await parsers.parse(page(2))


async def test_a_pool_is_saturated_when_more_pages_would_only_wait() -> None:
    async with pool() as opened:
        await opened.parse(page(0))
        assert opened.is_saturated is False
        tasks = [asyncio.create_task(opened.parse(DEEP)) for _ in range(16)]
        await asyncio.sleep(0)
        assert opened.backlog == len(tasks)
        await wait_until(lambda: opened.is_saturated, at_most=0.1)
        for task in tasks:
            task.cancel()


@pytest.mark.parametrize("field", ["url", "content_type", "content_encoding"])
async def test_a_page_that_cannot_be_handed_over_fails_alone(field: str) -> None:
    async with pool(processes=1) as opened:
        half = msgspec.structs.replace(page(1), **{field: "http://a.test/\ud800"})
        first, broken, last = await asyncio.gather(
            *(opened.parse(each) for each in (page(0), half, page(2))), return_exceptions=True
        )
        assert isinstance(broken, UnicodeEncodeError)
        for digest, title in ((first, "0"), (last, "2"), (await opened.parse(page(3)), "3")):
            assert isinstance(digest, PageDigest)
            assert digest.page is not None
            assert digest.page.title == title
        assert opened.backlog == 0


async def test_an_answer_that_cannot_be_read_costs_its_page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    frames, feed = list[bytes](), FrameReader.feed

    def bent(self: FrameReader, data: bytes) -> Iterator[bytes]:
        for payload in feed(self, data):
            frames.append(payload)
            yield payload[: len(payload) // 2] if len(frames) == 3 else payload

    monkeypatch.setattr(FrameReader, "feed", bent)
    async with pool(processes=1) as opened:
        digests = [await opened.parse(page(number)) for number in range(3)]
        assert [digest.failure for digest in digests] == ["", OutcomeKind.PARSER_CRASH, ""]
        assert "cannot be read" in digests[1].detail
