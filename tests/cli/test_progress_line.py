"""How far a command is, on a terminal and in a pipe."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest

from hinterland.cli.output import is_live
from hinterland.cli.progress_line import ProgressLine

_CONTROLS = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|(\r|\n)|([^\x1b\r\n]+)")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def texts(self) -> list[str]:
        """What was drawn, each time another text."""
        drawn = [found[4] for found in _CONTROLS.finditer(self.getvalue()) if found[4]]
        return [text for before, text in zip(["", *drawn], drawn, strict=False) if text != before]

    def screen(self) -> list[str]:
        """The lines that are left."""
        lines, row = [""], 0
        for found in _CONTROLS.finditer(self.getvalue()):
            number, control, motion, text = found.groups()
            if text:
                lines[row] += text
            elif motion == "\n":
                row += 1
                lines += [""] * (row == len(lines))
            elif control == "A":
                row -= int(number or 1)
            elif control == "K":
                lines[row] = ""
        return lines


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    return Terminal()


class Clock:
    """Mutable: the time, in seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def each_second(clock: Clock, seconds: int, say: Callable[[int], None]) -> None:
    for second in range(seconds):
        clock.now = float(second)
        say(second)


def test_on_a_terminal_one_line_changes_and_goes(terminal: Terminal) -> None:
    clock = Clock()
    with ProgressLine(terminal, 5.0, clock=clock) as progress:
        for done in (0, 50, 100):
            progress.count("documents", done, 100)
            clock.now += 0.15
        progress.count("PageRank", 0, 1)
        assert terminal.screen() == ["PageRank"]
    assert terminal.texts() == ["documents: 0 of 100", "documents: 100 of 100", "PageRank"]
    assert "".join(terminal.screen()) == ""


def test_the_line_goes_too_when_the_command_fails(terminal: Terminal) -> None:
    def fail() -> None:
        with ProgressLine(terminal, 5.0) as progress:
            progress.step("half done")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert "".join(terminal.screen()) == ""
    assert terminal.getvalue().count("\x1b[?25l") == terminal.getvalue().count("\x1b[?25h")  # the cursor is back


def test_a_line_that_is_too_long_is_cut_not_wrapped(terminal: Terminal) -> None:
    with ProgressLine(terminal, 5.0) as progress:
        progress.step("looking for local domains in " + "x" * 100)
        assert len(terminal.screen()) == 1
        assert len(terminal.screen()[0]) == 40
        assert terminal.screen()[0].endswith("…")


def test_in_a_pipe_lines_come_now_and_then() -> None:
    stream, clock = io.StringIO(), Clock()
    with ProgressLine(stream, 5.0, clock=clock) as progress:
        each_second(clock, 12, lambda second: progress.count("documents", second, 12))
    assert stream.getvalue().splitlines() == [f"documents: {done} of 12" for done in (0, 5, 10)]


def test_in_a_pipe_what_is_soon_done_says_nothing_and_what_takes_long_something() -> None:
    stream, clock = io.StringIO(), Clock()
    with ProgressLine(stream, 5.0, clock=clock) as progress:
        each_second(clock, 12, lambda second: progress.update(f"{second} pages"))
    assert stream.getvalue().splitlines() == ["5 pages", "10 pages"]


def test_in_a_pipe_another_step_is_said_at_once_and_hints_are_not() -> None:
    stream, clock = io.StringIO(), Clock()
    with ProgressLine(stream, 5.0, clock=clock) as progress:
        progress.step("1 of 2 experiments done")
        progress.hint("links")
        progress.count("documents", 0, 0)
        progress.step("2 of 2 experiments done")
    assert stream.getvalue().splitlines() == ["1 of 2 experiments done", "2 of 2 experiments done"]


def test_a_hint_is_for_those_who_watch(terminal: Terminal) -> None:
    with ProgressLine(terminal, 5.0) as progress:
        progress.hint("links")
        assert terminal.screen() == ["links"]


@pytest.mark.parametrize("kind", ["dumb", "unknown", None])
def test_a_terminal_that_cannot_write_over_a_line_gets_lines(
    kind: str | None, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERM") if kind is None else monkeypatch.setenv("TERM", kind)
    assert not is_live(terminal)
    with ProgressLine(terminal, 5.0) as progress:
        progress.step("1 of 2")
        progress.step("2 of 2")
    assert terminal.getvalue() == "1 of 2\n2 of 2\n"


def test_an_export_to_the_screen_is_not_written_over(terminal: Terminal) -> None:
    with ProgressLine(terminal, 5.0, in_place=False) as progress:
        progress.step("through 1 of 2 pages")
    assert terminal.getvalue() == "through 1 of 2 pages\n"
