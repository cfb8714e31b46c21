"""Ctrl-C and SIGTERM while something is being computed, compiled, or waited for."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvloop

from hinterland.cli import commands, main
from hinterland.cli.ctrl_c import interruptible, terminable
from hinterland.cli.exit_codes import INTERRUPTED
from hinterland.distribution.environment import ROOT
from tests.support.stored_pages import Page, write_store

COMPILER = """
def compile(press):
    press()
    return "compiled"
"""


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def wait_for_ever() -> None:
    while True:
        time.sleep(0.01)


def pressed_in(work: Callable[[], object]) -> None:
    with interruptible() as ctrl_c:
        work()
        assert ctrl_c.is_pressed
        wait_for_ever()


def test_it_interrupts_what_is_computed() -> None:
    with pytest.raises(KeyboardInterrupt):
        pressed_in(press)


@pytest.mark.parametrize("module", ["numba", "numba.core.codegen", "llvmlite.binding.executionengine"])
def test_it_waits_until_the_compiler_is_done(module: str) -> None:
    compiler: dict[str, Any] = {"__name__": module}
    exec(COMPILER, compiler)
    ended = []
    with pytest.raises(KeyboardInterrupt):
        pressed_in(lambda: ended.append(compiler["compile"](press)))
    assert ended == ["compiled"]


def test_afterwards_everything_is_as_it_was() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    with interruptible():
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_handler_of_somebody_else_stays() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interruptible():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def terminated_in(work: Callable[[], object]) -> None:
    with terminable(), interruptible():
        work()
        wait_for_ever()


@pytest.mark.parametrize("ctrl_c", [signal.default_int_handler, signal.SIG_IGN, signal.SIG_DFL])
def test_sigterm_interrupts_as_ctrl_c_does_even_where_that_is_ignored(ctrl_c: Any) -> None:
    before = signal.signal(signal.SIGINT, ctrl_c)
    try:
        with pytest.raises(KeyboardInterrupt):
            terminated_in(terminate)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("ctrl_c", [signal.default_int_handler, signal.SIG_IGN])
def test_sigterm_waits_until_the_compiler_is_done(ctrl_c: Any) -> None:
    compiler: dict[str, Any] = {"__name__": "numba.core"}
    exec(COMPILER, compiler)
    ended = []
    before = signal.signal(signal.SIGINT, ctrl_c)
    try:
        with pytest.raises(KeyboardInterrupt):
            terminated_in(lambda: ended.append(compiler["compile"](terminate)))
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == ["compiled"]


@pytest.mark.parametrize("ctrl_c", [signal.default_int_handler, signal.SIG_IGN])
def test_sigterm_ends_a_command_that_waits_in_an_event_loop(ctrl_c: Any) -> None:
    cleared = []

    async def work() -> None:
        try:
            asyncio.get_running_loop().call_later(0.01, terminate)
            await asyncio.sleep(60)
        finally:
            cleared.append(True)

    before = signal.signal(signal.SIGINT, ctrl_c)
    try:
        with pytest.raises(KeyboardInterrupt), terminable():
            uvloop.run(work())
    finally:
        signal.signal(signal.SIGINT, before)
    assert cleared == [True]


def test_a_second_ctrl_c_while_the_program_ends_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def pressed_at_its_end() -> Iterator[None]:
        yield
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "terminable", pressed_at_its_end)
    assert commands.main(["settings"]) == INTERRUPTED


def test_after_sigterm_could_have_come_everything_is_as_it_was() -> None:
    before = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)]
    with terminable():
        assert signal.getsignal(signal.SIGTERM) != before[0]
    assert [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)] == before
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with terminable():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before[0])


@pytest.mark.slow
@pytest.mark.parametrize("whole_group", [False, True])
def test_an_index_that_is_terminated_says_what_is_kept_and_nothing_else(tmp_path: Path, *, whole_group: bool) -> None:
    write_store(tmp_path / "s.db", [Page(f"page {number} of many words") for number in range(300)])
    with subprocess.Popen(
        [sys.executable, ROOT / "run.py", "index", tmp_path / "s.db"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "HINTERLAND_NO_SETUP": "1"},
        start_new_session=True,
    ) as index:
        assert index.stderr is not None
        seen = index.stderr.readline()
        assert seen.startswith("main content")
        (os.killpg if whole_group else os.kill)(index.pid, signal.SIGTERM)
        rest = index.stderr.read()
        assert index.wait(timeout=60) == 130
    told = [line for line in rest.splitlines() if not line.startswith("main content")]
    assert told == [
        "hinterland: stopped; everything read and indexed so far is kept; the same command continues from there"
    ]


def test_what_a_library_makes_of_it_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lost(*_: object) -> int:
        try:
            press()
            wait_for_ever()
        except KeyboardInterrupt:
            raise SystemError("returned a result with an exception set") from None
        return 0

    monkeypatch.setattr(commands, "_run", lost)
    assert main(["settings"]) == 130
    assert capsys.readouterr().err == "hinterland: stopped\n"


@pytest.mark.parametrize(
    "command, kept",
    [
        (["index"], "everything read and indexed so far is kept; the same command continues from there"),
        (["import", "a.warc"], "everything imported so far is kept; the same command adds the rest"),
        (["rank"], "the ranks are not stored"),
        (["export", "s.db", "--format", "jsonl"], "no file was written"),
    ],
)
def test_a_command_that_is_stopped_says_what_becomes_of_its_work(
    command: list[str], kept: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "_run", interrupted)
    assert main(command) == 130
    assert capsys.readouterr().err == f"hinterland: stopped; {kept}\n"
