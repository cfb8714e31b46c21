"""Ctrl-C while something is being computed, or compiled."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from crawler.apps.cli import commands, main
from crawler.apps.cli.ctrl_c import interruptible

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
        (["index"], "everything read and indexed so far is kept, and the same command goes on from there"),
        (["import", "a.warc"], "everything taken in so far is kept, and the same command adds the rest"),
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
