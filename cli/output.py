"""Output streams that may lose their reader."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path
from typing import TextIO

from hinterland.library.errors import HinterlandError


class Output:
    """A stream of whole lines. If a pipe loses its reader, or a terminal is closed, later lines are dropped."""

    def __init__(self, stream: TextIO) -> None:
        """Write to this stream until its reader goes away."""
        self.stream = stream
        self._is_open = True
        self._is_terminal = stream.isatty()

    @property
    def width(self) -> int | None:
        """The width of the terminal in columns; None if the stream is not a terminal."""
        return shutil.get_terminal_size().columns if self.stream.isatty() else None

    def write(self, text: str) -> None:
        """Write a text and a line break.

        Raises HinterlandError if the text cannot be written. On stderr, on a closed pipe and on a closed terminal, the
        text is dropped instead.
        """
        if not self._is_open:
            return
        try:
            print(text, file=self.stream, flush=True)
        except BrokenPipeError:
            self._is_open = False
            discard(self.stream)
        except OSError as error:
            self._is_open = False
            discard(self.stream)
            is_hung_up = self._is_terminal and error.errno == errno.EIO
            if self.stream is not sys.stderr and not is_hung_up:  # a lost message is no reason to end a crawl
                raise HinterlandError(f"the output cannot be written: {error.strerror}") from error


def say(text: str) -> None:
    """Print a message of a command to stderr."""
    print(f"hinterland: {text}", file=sys.stderr)


def is_live(stream: TextIO) -> bool:
    """Return whether the stream is a terminal on which a line can be overwritten."""
    return stream.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")


def flush(stream: TextIO) -> None:
    """Write out the buffer, or discard it if the reader has gone away."""
    try:
        stream.flush()
    except BrokenPipeError:
        discard(stream)


def open_standard_streams() -> None:
    """Replace closed standard streams (`>&-`), which Python sets to None, by streams that discard their input."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115  # open until the process ends


def discard(stream: TextIO) -> None:
    """Discard the rest of the buffer. Otherwise, the interpreter would report an error at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
