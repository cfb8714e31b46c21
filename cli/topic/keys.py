"""Answers typed in a terminal: single keys without Enter, or lines if the input is not a terminal."""

from __future__ import annotations

import codecs
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TextIO

_END_OF_INPUT = "\x04"  # Ctrl-D, which does not end the input while keys are read one by one
_LONG_KEY = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]?|O.?|.)?", re.DOTALL)
"""The bytes of a key that has no character, such as an arrow (ECMA-48, section 5.4)."""
_MOST_BYTES = 32


@contextmanager
def answers_from(stream: TextIO) -> Iterator[Iterator[str]]:
    """Yield the answers as they are typed.

    While keys are read one by one, the terminal does not show them; it is restored when the block ends.
    """
    file = _terminal(stream)
    if file is None:
        yield iter(stream)
        return
    import termios
    import tty

    before = termios.tcgetattr(file)
    try:
        tty.setcbreak(file)
        yield _keys(file)
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)


def _terminal(stream: TextIO) -> int | None:
    """Return the file descriptor of a terminal that can be read key by key; None if the stream is something else."""
    if find_spec("termios") is None:  # not on Windows
        return None
    try:
        file = stream.fileno()
    except (OSError, ValueError):  # a stream without a file
        return None
    return file if os.isatty(file) else None


def _keys(file: int) -> Iterator[str]:
    """Yield one key at a time. A key that sends several characters, such as an arrow, is skipped."""
    decode = codecs.getincrementaldecoder(sys.getdefaultencoding())("replace").decode
    while data := os.read(file, _MOST_BYTES):
        for key in _LONG_KEY.sub("", decode(data)):
            if key == _END_OF_INPUT:
                return
            yield key
