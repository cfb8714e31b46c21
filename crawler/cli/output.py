"""A stream to write lines to until nobody reads them any more."""

from __future__ import annotations

import os
from typing import TextIO


class Output:
    """Writes whole lines at once. When the reader of a pipe has gone it falls silent instead of failing."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._is_open = True

    def write(self, text: str) -> None:
        if not self._is_open:
            return
        try:
            print(text, file=self.stream, flush=True)
        except BrokenPipeError:
            self._is_open = False
            _discard(self.stream)


def flush(stream: TextIO) -> None:
    """Write out what is buffered, to nowhere if nobody reads it."""
    try:
        stream.flush()
    except BrokenPipeError:
        _discard(stream)


def _discard(stream: TextIO) -> None:
    """Send what is left in the buffer nowhere, or the interpreter complains about it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
