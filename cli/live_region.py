"""Lines that stay in place on a terminal, even if it is resized."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console, RenderableType
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType, Segment
from rich.text import Text

from hinterland.cli.output import discard


class LiveRegion:
    """Lines on a terminal that replace the lines shown before them. Other lines are printed above.

    When a terminal is made narrower, it usually wraps the shown lines, so they take more rows than were drawn. The
    extra rows are also erased; otherwise, parts of old lines would remain above. (If the cursor stayed at the first
    line, the rows need not be counted. But tmux moves the cursor into the middle of lines that no longer fit the
    screen.)

    If the terminal is closed, whatever is shown later is dropped.
    """

    def __init__(self, terminal: TextIO, *, redirects_stdout: bool = True) -> None:
        """Start with no lines shown.

        While the lines are shown, output to sys.stderr appears above them. With `redirects_stdout`, output to
        sys.stdout does so as well.
        """
        self._terminal = terminal
        self._redirects_stdout = redirects_stdout
        self._console = Console(
            file=terminal, highlight=False, markup=False, force_terminal=True if terminal.isatty() else None
        )
        self._live: Live | None = None
        self._widths: list[int] = []

    @property
    def is_shown(self) -> bool:
        """Whether lines are on the terminal."""
        return self._live is not None

    def show(self, content: RenderableType) -> None:
        """Draw these lines, cut to the height of the terminal, in place of the previous lines."""
        with self._dropping_if_closed():
            if self._live is None:
                self._live = Live(
                    console=self._console,
                    auto_refresh=False,
                    transient=True,
                    redirect_stdout=self._redirects_stdout,
                    vertical_overflow="crop",
                )
                self._live.start()
            self._refit()
            self._live.update(content, refresh=True)
        lines = self._console.render_lines(content, pad=False)[: self._console.size.height]
        self._widths = [Segment.get_line_length(line) for line in lines]

    def print(self, text: Text) -> None:
        """Print a text above the lines."""
        with self._dropping_if_closed():
            self._refit()
            self._console.print(text)

    def close(self) -> None:
        """Erase the lines."""
        if self._live is not None:
            with self._dropping_if_closed():
                self._refit()
                self._live.stop()
        self._live, self._widths = None, []

    @contextmanager
    def _dropping_if_closed(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            discard(self._terminal)

    def _refit(self) -> None:
        """Erase the extra rows, from the last row up, that the lines take since the terminal was made narrower."""
        columns = self._console.size.width
        more = 0 if "XTERM_VERSION" in os.environ else extra_rows(self._widths, columns)  # xterm cuts lines off
        if more:
            up = [(ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2)] * more
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2), *up))
        self._widths = [min(width, columns) for width in self._widths]


def extra_rows(widths: Sequence[int], columns: int) -> int:
    """Return how many more rows than lines a terminal needs for lines of these widths, because it wraps long lines."""
    return sum(max(width - 1, 0) // max(columns, 1) for width in widths)
