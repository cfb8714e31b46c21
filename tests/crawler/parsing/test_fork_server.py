"""The process that parser processes are forked from: there in a moment, gone with the crawl, and replaceable itself."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from hinterland.crawler.parsing.messages import Greeting, frame
from hinterland.crawler.parsing.pool.forked_parsers import ForkedParser
from hinterland.crawler.parsing.pool.parser_process import ParserProcess, ParsersUnusable
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.distribution.installation import code_folder
from tests.crawler.parsing.test_parsers import CONFIG, DEEP, page, pool
from tests.support.crawling import wait_until
from tests.support.parser_processes import fork_servers, parser_processes

pytestmark = pytest.mark.slow


@asynccontextmanager
async def one_parser() -> AsyncIterator[ParserPool]:
    """A pool whose only parser has read a page."""
    async with pool() as opened:
        await opened.parse(page(0))
        yield opened


def the_server() -> int:
    [server] = fork_servers()
    return server


async def test_another_parser_costs_less_cpu_time_than_an_interpreter_takes_to_start() -> None:
    async with one_parser() as opened:
        before = _cpu_seconds(the_server())
        for number in range(20):
            for parser in parser_processes():
                os.kill(parser, signal.SIGKILL)
            await opened.parse(page(number))
        assert opened.restarts == 20
        assert _cpu_seconds(the_server()) - before < 20 * 0.02


def _cpu_seconds(process: int) -> float:
    return time.clock_gettime((~process << 3) | 2)


async def test_a_fork_is_made_by_a_process_with_one_thread() -> None:
    async with one_parser():
        assert len(_threads(the_server())) == 1


def _threads(process: int) -> list[Path]:
    return list(Path(f"/proc/{process}/task").iterdir())


async def test_the_limit_of_memory_is_that_of_parsers() -> None:
    async with one_parser():
        [parser] = parser_processes()
        assert resource.prlimit(parser, resource.RLIMIT_AS) == (CONFIG.max_memory_bytes,) * 2
        assert resource.prlimit(the_server(), resource.RLIMIT_AS) == resource.getrlimit(resource.RLIMIT_AS)


async def test_a_parser_holds_no_file_of_another() -> None:
    """Otherwise the end of the other would go unnoticed."""
    async with pool(processes=3) as opened:
        await wait_until(lambda: all(process.has_greeted for process in opened._processes), pause=0.01)
        for parser in parser_processes():
            assert len([each for each in _files(parser) if each.startswith("socket:")]) == 1


def _files(process: int) -> list[str]:
    return [str(each.readlink()) for each in Path(f"/proc/{process}/fd").iterdir()]


async def test_a_request_to_end_that_goes_to_the_whole_group_is_left_to_the_crawl() -> None:
    async with one_parser() as opened:
        before = the_server(), parser_processes()
        for process in (the_server(), *parser_processes()):
            for request in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                os.kill(process, request)
        assert (await opened.parse(page(1))).page is not None
        assert (the_server(), parser_processes()) == before
        assert opened.restarts == 0


async def test_a_server_that_dies_takes_no_parser_with_it_and_another_one_takes_its_place() -> None:
    async with one_parser() as opened:
        server, [parser] = the_server(), parser_processes()
        os.kill(server, signal.SIGKILL)
        assert (await opened.parse(page(1))).page is not None
        assert opened.restarts == 0
        await wait_until(lambda: not fork_servers(), pause=0.01)  # one that was killed may take a moment to be gone
        os.kill(parser, signal.SIGKILL)
        assert (await opened.parse(page(2))).page is not None
        assert opened.restarts == 1
        assert the_server() != server


async def test_a_page_is_blamed_neither_for_the_death_of_its_parser_nor_for_that_of_the_server() -> None:
    async with one_parser() as opened:
        pages = [asyncio.create_task(opened.parse(page(number))) for number in range(1, 20)]
        await asyncio.sleep(0)
        for process in (the_server(), *parser_processes()):
            os.kill(process, signal.SIGKILL)
        digests = await asyncio.gather(*pages)
    assert [digest.page.title for digest in digests if digest.page is not None] == [str(n) for n in range(1, 20)]


async def test_a_server_that_dies_with_orders_pending_costs_no_page() -> None:
    async with pool(processes=2) as opened:
        os.kill(the_server(), signal.SIGKILL)  # it is only just importing what it needs
        assert (await opened.parse(page(1))).page is not None


async def test_a_pool_that_closes_before_its_server_has_started_does_not_wait() -> None:
    async with asyncio.timeout(30):
        async with pool():
            pass


async def test_a_parser_whose_server_has_died_is_given_up_like_any_other() -> None:
    async with pool(timeout_seconds=1.0) as opened:
        await opened.parse(page(0))
        os.kill(the_server(), signal.SIGKILL)
        digest = await opened.parse(DEEP)
        assert digest.detail == "not parsed in 1 s"
        assert (await opened.parse(page(1))).page is not None


async def test_a_process_that_cannot_be_forked_is_dropped_if_there_are_others() -> None:
    async with one_parser() as opened:
        _let_no_file_be_opened(the_server())
        opened._start_spare()
        await wait_until(lambda: len(opened._processes) == 1, pause=0.01)
        assert (await opened.parse(page(1))).page is not None


async def test_without_any_process_the_error_says_why() -> None:
    async with one_parser() as opened:
        _let_no_file_be_opened(the_server())
        [parser] = parser_processes()
        os.kill(parser, signal.SIGKILL)
        with pytest.raises(ParsersUnusable, match=os.strerror(errno.EMFILE)):
            await opened.parse(page(1))


def _let_no_file_be_opened(process: int) -> None:
    """Let the process open no more files, as on an exhausted system."""
    resource.prlimit(process, resource.RLIMIT_NOFILE, (3, resource.prlimit(process, resource.RLIMIT_NOFILE)[1]))


async def test_a_parser_that_greets_before_its_start_has_returned_is_given_pages() -> None:
    async with pool() as opened:
        process = ParserProcess(opened)
        process._forked = ForkedParser(lambda: None)
        process.connection_made(asyncio.Transport())
        process.data_received(frame(Greeting(1), msgspec.msgpack.Encoder()))
        assert process.is_ready


_SERVED = """
import signal, socket, sys
from hinterland.crawler.parsing.pool.fork_server import LENGTH_BYTES, serve
config = bytes.fromhex(sys.argv[1])
server, crawl = socket.socketpair()
crawl.sendall(len(config).to_bytes(LENGTH_BYTES, "big") + config)
crawl.close()
serve(server)
print(signal.set_wakeup_fd(-1))
"""


def test_a_server_that_ends_is_told_of_no_more_signals_by_a_socket_that_is_closed() -> None:
    served = subprocess.run(
        [sys.executable, "-c", _SERVED, msgspec.msgpack.encode(CONFIG).hex()],
        cwd=code_folder(), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert served.stdout == "-1\n", "another signal would print a traceback on the terminal"
