"""How far an index is while it is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from crawler.apps.cli.output import Output
from crawler.apps.text.wording import number

COMPILING = "compiling, once on this machine"


class IndexProgress:
    """How far the index is: one line that changes on a terminal, now and then a line in a pipe."""

    def __init__(self, stream: TextIO, clock: Callable[[], float], interval_seconds: float) -> None:
        self._stream = stream
        self._output = Output(stream)
        self._clock = clock
        self._interval = 0.2 if stream.isatty() else interval_seconds
        self._next = 0.0
        self._what = ""
        self._width = 0

    def show(self, what: str, done: int, of: int) -> None:
        is_new, self._what = what != self._what, what
        if not is_new and self._clock() < self._next:
            return
        self._next = self._clock() + self._interval
        line = f"{what}: {number(done)} of {number(of)}" if of > 1 else what
        if self._stream.isatty():
            self._stream.write("\r" + line.ljust(self._width))
            self._stream.flush()
            self._width = len(line)
        elif of:
            self._output.write(line)

    def close(self) -> None:
        if self._stream.isatty() and self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
