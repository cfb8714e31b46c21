"""Lines that stay in place on a terminal that changes its width, and breaks the lines it shows by that."""

from __future__ import annotations

import io
import os
import pty
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Group
from rich.text import Text

from hinterland.cli.live_region import LiveRegion, extra_rows
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine

_CONTROL = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|(\r)|(\n)|([^\x1b\r\n]+)")


class ReflowingTerminal(io.StringIO):
    """A screen without a bottom, whose rows are broken when it is made narrower."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = [""]
        self.row = 0
        self.column = 0

    def isatty(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        for count, control, home, down, words in _CONTROL.findall(text):
            if words:
                row = self.rows[self.row].ljust(self.column)
                self.rows[self.row] = row[: self.column] + words + row[self.column + len(words) :]
                self.column += len(words)
            elif home:
                self.column = 0
            elif down:
                self.row, self.column = self.row + 1, 0
                self.rows += [""] * (self.row == len(self.rows))
            elif control == "A":
                self.row -= int(count or 1)
            elif control == "K":
                self.rows[self.row] = ""
        return len(text)

    def break_lines(self, columns: int) -> None:
        broken: list[str] = []
        last = 0
        for number, row in enumerate(self.rows):
            broken += [row[start : start + columns] for start in range(0, max(len(row), 1), columns)]
            if number == self.row:
                last = len(broken) - 1
        self.rows, self.row = broken, last

    def shown(self) -> list[str]:
        return [row.rstrip() for row in self.rows if row.strip()]


@pytest.fixture(autouse=True)
def _a_usual_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("XTERM_VERSION", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


def is_wide(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda *_: os.terminal_size((columns, 50)))


def lines(texts: list[str]) -> Group:
    return Group(*[Text(text, no_wrap=True, overflow="crop") for text in texts])


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text("abc", min_size=1, max_size=90), min_size=1, max_size=8),
    st.lists(st.integers(5, 90), min_size=1, max_size=5),
)
def test_no_torn_copies_stay_whatever_width_the_terminal_is_given(
    monkeypatch: pytest.MonkeyPatch, texts: list[str], widths: list[int]
) -> None:
    terminal = ReflowingTerminal()
    is_wide(monkeypatch, 90)
    region = LiveRegion(terminal, redirects_stdout=False)
    region.print(Text("note"))
    region.show(lines(texts))
    for width in widths:
        is_wide(monkeypatch, width)
        terminal.break_lines(width)
        region.show(lines(texts))
        assert terminal.shown() == ["note", *(text[:width] for text in texts)]
    is_wide(monkeypatch, 4)
    terminal.break_lines(4)
    region.print(Text("odd"))
    assert terminal.shown()[:2] == ["note", "odd"]
    terminal.break_lines(4)
    region.close()
    assert terminal.shown() == ["note", "odd"]


def test_a_terminal_that_cuts_lines_off_loses_none_of_what_was_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XTERM_VERSION", "XTerm(390)")
    terminal = ReflowingTerminal()
    region = LiveRegion(terminal)
    region.print(Text("note"))
    for columns in (80, 20):
        is_wide(monkeypatch, columns)
        region.show(lines(["x" * 70, "y" * 70]))
    region.close()
    assert terminal.shown() == ["note"]


def test_the_line_of_a_command_is_drawn_cleanly_when_the_terminal_narrows(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = ReflowingTerminal()
    is_wide(monkeypatch, 80)
    with ProgressLine(terminal, 1.0) as line:
        line.step("reading the pages of the store that have a body, " + "one by one " * 2)
        for columns in (30, 10):
            is_wide(monkeypatch, columns)
            terminal.break_lines(columns)
            line.step("PageRank of all of it")
            assert len(terminal.shown()) == 1
    assert terminal.shown() == []


@given(st.lists(st.integers(0, 300), max_size=10), st.integers(1, 200))
def test_rows_are_counted_as_a_terminal_breaks_them(widths: list[int], columns: int) -> None:
    terminal = ReflowingTerminal()
    terminal.rows = ["x" * width for width in widths] or [""]
    terminal.break_lines(columns)
    assert extra_rows(widths, columns) == len(terminal.rows) - max(len(widths), 1)


def test_what_is_shown_after_the_terminal_is_closed_is_dropped() -> None:
    terminal, end = pty.openpty()
    with os.fdopen(end, "w") as stream:
        region = LiveRegion(stream)
        region.show(Text("one"))
        os.close(terminal)
        region.show(Text("two"))
        region.print(Text("three"))
        region.close()
        assert not os.isatty(stream.fileno())


def test_output_for_a_terminal_that_was_closed_is_dropped() -> None:
    terminal, end = pty.openpty()
    with os.fdopen(end, "w") as stream:
        output = Output(stream)
        os.close(terminal)
        output.write("one")
        output.write("two")
