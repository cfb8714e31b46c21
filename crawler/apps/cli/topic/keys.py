"""Answers typed in a terminal: one key each, without Enter; lines where the input is no terminal."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_END_OF_INPUT = "\x04"  # Ctrl-D, which is no end of the input where keys are read one by one
_ESCAPE = "\x1b"
_MOST_BYTES = 32


@contextmanager
def answers_from(stream: TextIO) -> Iterator[Iterator[str]]:
    """Yield the answers as they are typed. While keys are read one by one, the terminal does not show them; it is as
    before when the block ends."""
    try:
        import termios
        import tty

        file = stream.fileno()
        before = termios.tcgetattr(file) if stream.isatty() else None
    except (ImportError, OSError, ValueError):  # no such terminals on this system, or a stream without a file
        before = None
    if before is None:
        yield iter(stream)
        return
    try:
        tty.setcbreak(file)
        yield _keys(file)
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)


def _keys(file: int) -> Iterator[str]:
    """Each key by itself; those that send several characters, such as arrows, are left out."""
    decode = codecs.getincrementaldecoder(sys.getdefaultencoding())("replace").decode
    while data := os.read(file, _MOST_BYTES):
        text = decode(data)
        if text.startswith(_ESCAPE):
            continue
        for key in text:
            if key == _END_OF_INPUT:
                return
            yield key
