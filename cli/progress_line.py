"""Shows the progress of a command: on a line of a terminal that is overwritten, or on a few lines in a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Final, TextIO

from hinterland.cli.output import Output, is_live
from hinterland.library.text.wording import number

if TYPE_CHECKING:
    from hinterland.cli.live_region import LiveRegion

_LIVE_SECONDS: Final = 0.2


class ProgressLine:
    """A context manager that shows progress.

    On a terminal, one line is overwritten, and cleared when the block ends. Elsewhere, or with in_place=False, further
    lines are written, at most one per `interval_seconds`; the line of a new step is written immediately.
    """

    def __init__(
        self,
        stream: TextIO,
        interval_seconds: float,
        *,
        in_place: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with nothing shown; `clock` returns seconds from any origin."""
        self._stream = stream
        self._output = Output(stream)
        self._clock = clock
        self._in_place = in_place and is_live(stream)
        self._interval = _LIVE_SECONDS if self._in_place else interval_seconds
        self._due = clock() + (0.0 if self._in_place else interval_seconds)
        self._what = ""
        self._live: LiveRegion | None = None

    def __enter__(self) -> ProgressLine:
        """Return this object."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Clear the line."""
        self.close()

    def step(self, text: str) -> None:
        """Show immediately that a step begins or has ended."""
        self._due = self._clock() + self._interval
        if self._in_place:
            self._draw(text)
        else:
            self._output.write(text)

    def update(self, text: str) -> None:
        """Show the progress of the step. Do nothing if the last line was shown too recently."""
        if self._clock() >= self._due:
            self.step(text)

    def hint(self, text: str) -> None:
        """Show a text, but only if the stream is a terminal."""
        if self._in_place:
            self.step(text)

    def count(self, what: str, done: int, of: int) -> None:
        """Show how many items of a step are done.

        `of` is the number of items. It is 1 if the items cannot be counted, and 0 if there are none.
        """
        text = f"{what}: {number(done)} of {number(of)}" if of > 1 else what
        is_new, self._what = what != self._what, what
        if not of:
            self.hint(text)
        elif is_new:
            self.step(text)
        else:
            self.update(text)

    def close(self) -> None:
        """Clear the line. It may be shown again later."""
        if self._live is not None:
            self._live.close()
            self._live = None

    def _draw(self, text: str) -> None:
        from rich.text import Text

        from hinterland.cli.live_region import LiveRegion  # brings rich, which is not needed in a pipe

        if self._live is None:
            self._live = LiveRegion(self._stream, redirects_stdout=False)
        self._live.show(Text(text, no_wrap=True, overflow="ellipsis"))
