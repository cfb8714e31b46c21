"""The program as a process: signals, pipes, a terminal, exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.crawling import rows, states
from tests.support.hinterland import ROOT, line_with, overrides, start
from tests.support.web import Exchange, LoopbackWeb, Page

pytestmark = pytest.mark.slow


class SlowWeb:
    """A front page and one page that answers only when it may."""

    def __init__(self, web: LoopbackWeb) -> None:
        self.under_way = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.seed = web.page("a.test", "/", links=["/slow"])
        self.slow = web.answer("a.test", "/slow", self._respond)

    async def _respond(self, exchange: Exchange) -> None:
        self.under_way.set()
        await self.may_answer.wait()
        await Page("slow", [], 200, {})(exchange)


async def test_the_first_ctrl_c_finishes_the_visit_under_way(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = SlowWeb(web)
        process = await start("crawl", pages.seed, "--store", str(store), web=web)
        await pages.under_way.wait()
        process.send_signal(signal.SIGINT)
        await line_with(process.stderr, "finishing 1 visit in flight")
        pages.may_answer.set()
        out, _ = await process.communicate()
    assert process.returncode == 6
    assert b"(stopped)" in out
    assert states(store) == {pages.seed: "fetched", pages.slow: "fetched"}


def run_in_shell(words: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`run.py arguments`, with the redirections that `words` ends in."""
    command = ["sh", "-c", f'"$@" {words}', "sh", sys.executable, str(ROOT / "run.py"), *arguments]
    environment = {**os.environ, "HINTERLAND_NO_SETUP": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_an_answer_that_no_disk_takes_is_said_and_no_bug() -> None:
    done = run_in_shell(">/dev/full", "settings")
    assert done.stderr == "hinterland: the output cannot be written: No space left on device\n"
    assert done.returncode == 2


@pytest.mark.parametrize("closed", ["1>&-", "2>&-"])
def test_a_closed_stream_is_no_bug(closed: str) -> None:
    done = run_in_shell(closed, "settings")
    assert (done.stderr, done.returncode) == ("", 0)
    assert bool(done.stdout) == (closed == "2>&-")


async def test_sigterm_is_a_first_ctrl_c(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = SlowWeb(web)
        process = await start("crawl", pages.seed, "--store", str(store), web=web)
        await pages.under_way.wait()
        process.send_signal(signal.SIGTERM)
        await line_with(process.stderr, "finishing 1 visit in flight")
        pages.may_answer.set()
        await process.communicate()
    assert process.returncode == 6


async def test_a_crawl_whose_terminal_is_closed_finishes_its_visits_and_its_run(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = SlowWeb(web)
        terminal, end = pty.openpty()
        settings = [part for override in overrides(web) for part in ("--set", override)]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(ROOT / "run.py"), "crawl", pages.seed, "--store", str(store), *settings),
            stdin=end,
            stdout=end,
            stderr=end,
            env={**os.environ, "HINTERLAND_NO_SETUP": "1"},
            start_new_session=True,
        )
        os.close(end)
        await pages.under_way.wait()
        os.close(terminal)
        for _ in range(2):  # the system sends it, and a shell to each of its jobs
            process.send_signal(signal.SIGHUP)
        await asyncio.sleep(0.2)
        pages.may_answer.set()
        assert await process.wait() == 6
    assert states(store) == {pages.seed: "fetched", pages.slow: "fetched"}
    assert rows(store, "SELECT reason FROM run") == [("stopped",)]


async def test_the_second_ctrl_c_stops_at_once_and_keeps_what_was_fetched(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = SlowWeb(web)
        process = await start("crawl", pages.seed, "--store", str(store), web=web)
        await pages.under_way.wait()
        process.send_signal(signal.SIGINT)
        await line_with(process.stderr, "finishing 1 visit in flight")
        process.send_signal(signal.SIGINT)
        out, _ = await process.communicate()
        assert not pages.may_answer.is_set()
    assert process.returncode == 7
    assert b"(aborted)" in out
    assert states(store) == {pages.seed: "fetched", pages.slow: "waiting"}


async def test_a_second_crawler_is_refused_and_status_looks_on(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = SlowWeb(web)
        first = await start("crawl", pages.seed, "--store", str(store), web=web, is_itself=True)
        await pages.under_way.wait()
        second = await start("crawl", "--resume", "--store", str(store), web=web)
        _, complaint = await second.communicate()
        status = await start("status", str(store))
        seen, _ = await status.communicate()
        pages.may_answer.set()
        await first.communicate()
    assert second.returncode == 3
    assert b"in use by another crawl" in complaint
    assert f"A crawl is running (process {first.pid})".encode() in seen
    assert b"running now" in seen
    assert first.returncode == 0


async def test_a_killed_crawl_is_distinguished_from_a_running_one_and_can_be_resumed(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        pages = SlowWeb(web)
        killed = await start("crawl", pages.seed, "--store", str(store), web=web, is_itself=True)
        await pages.under_way.wait()
        killed.kill()
        await killed.wait()
        status = await start("status", str(store))
        seen, _ = await status.communicate()
        pages.may_answer.set()
        resumed = await start("crawl", "--resume", "--store", str(store), web=web)
        await resumed.communicate()
    assert b"was killed" in seen
    assert resumed.returncode == 0
    assert states(store) == {pages.seed: "fetched", pages.slow: "fetched"}


async def test_log_json_is_one_object_per_line_and_ends_with_the_reason(tmp_path: Path) -> None:
    async with LoopbackWeb(latency=0.1) as web:
        seed = web.page("a.test", "/", links=["/1", "/2"])
        process = await start(
            "crawl",
            seed,
            "ftp://bad/",
            "--log-json",
            "--max-pages",
            "1",
            "--store",
            str(tmp_path / "s.db"),
            web=web,
        )
        out, errors = await process.communicate()
    events = [json.loads(line) for line in out.splitlines()]
    assert errors == b""
    assert {event["event"] for event in events} == {"warning", "note", "progress", "end"}
    assert events[-1]["reason"] == "max-pages"
    assert events[-1]["exit_code"] == process.returncode == 5
    assert events[-1]["content"]["pages"]["local"]["fetched"] == 1


async def test_log_json_tells_of_errors_in_json_too(tmp_path: Path) -> None:
    process = await start("crawl", "--resume", "--log-json", "--store", str(tmp_path / "s.db"))
    out, _ = await process.communicate()
    [event] = [json.loads(line) for line in out.splitlines()]
    assert event["event"] == "error"
    assert event["exit_code"] == process.returncode == 3


async def test_in_a_pipe_progress_is_plain_lines_on_stderr_and_the_summary_stands_on_stdout(
    tmp_path: Path,
) -> None:
    async with LoopbackWeb(latency=0.2) as web:
        seed = web.page("a.test", "/")
        process = await start("crawl", seed, "--store", str(tmp_path / "s.db"), web=web)
        out, errors = await process.communicate()
    assert process.returncode == 0
    assert out.startswith(b"The crawl ended: ")
    assert b"\x1b" not in out + errors
    first, *others = errors.splitlines()
    assert first.startswith(b"page bodies are stored until "), "what cannot be changed later is said before the crawl"
    assert b"pages fetched" in others[0]


async def test_a_reader_who_goes_away_does_not_end_the_crawl(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    async with LoopbackWeb(latency=0.2) as web:
        seed = web.page("a.test", "/")
        process = await start("crawl", seed, "--store", str(tmp_path / "s.db"), web=web, stderr=writing)
        os.close(writing)
        await process.communicate()
    assert process.returncode == 0
    assert list(states(tmp_path / "s.db").values()) == ["fetched"]


async def test_a_terminal_gets_a_display_that_stays_in_place(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    async with LoopbackWeb() as web:
        pages = SlowWeb(web)
        process = await start("crawl", pages.seed, "--store", str(tmp_path / "s.db"), web=web, stderr=theirs)
        os.close(theirs)
        shown = b""
        while b"in flight" not in shown:
            shown += await asyncio.to_thread(os.read, ours, 4096)
        pages.may_answer.set()
        drain = asyncio.create_task(asyncio.to_thread(_drain, ours))
        out, _ = await process.communicate()
        await drain
    os.close(ours)
    assert process.returncode == 0
    assert b"pages/s" in shown
    assert out.startswith(b"The crawl ended: ")


def _drain(terminal: int) -> None:
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:  # Linux says so when nobody has the terminal open any more
        pass


def test_run_py_alone_says_what_to_try_first() -> None:
    environment = {**os.environ, "HINTERLAND_NO_SETUP": "1"}
    done = subprocess.run([sys.executable, ROOT / "run.py"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0
    assert "python3 run.py demo" in done.stdout
    assert "python3 run.py crawl https://" in done.stdout
