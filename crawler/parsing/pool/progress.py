"""At which page a parser process is, told without a message: a few bytes of memory that it shares with the crawl.

It answers pages together that came together, so what it has not answered does not say which of them takes so long.
"""

from __future__ import annotations

import mmap
import os
import struct
import sys
import time
from contextlib import suppress
from typing import Final

_COUNT: Final = struct.Struct("=q")
_SECONDS: Final = struct.Struct("=d")
_SECONDS_AT: Final = _COUNT.size
_TABLE_AT: Final = _SECONDS_AT + _SECONDS.size
_SIZE: Final = _TABLE_AT + _COUNT.size
_CPU_CLOCK: Final = 2
"""With the complement of a process's number, the clock of the CPU time it has used (see clock_getcpuclockid(3))."""


class ParserProgress:
    """Written by the one side, read by the other; both map the same file."""

    def __init__(self, file: int) -> None:
        """file: of `new_file`; it may be closed then."""
        self._memory = mmap.mmap(file, _SIZE)
        self._begun = 0

    def page_begins(self) -> None:
        self._begun += 1
        self.table_begins(0)
        # In this order: at worst a page seems to have taken less than it has.
        _SECONDS.pack_into(self._memory, _SECONDS_AT, seconds_used())
        _COUNT.pack_into(self._memory, 0, self._begun)

    def table_begins(self, table: int) -> None:
        """The rules or the hook of a table are being applied to the page, number from 1; 0: no more."""
        _COUNT.pack_into(self._memory, _TABLE_AT, table)

    @property
    def table(self) -> int:
        """The one at hand; 0 if there is none."""
        number: int = _COUNT.unpack_from(self._memory, _TABLE_AT)[0]
        return number

    @property
    def begun(self) -> int:
        """Pages so far."""
        count: int = _COUNT.unpack_from(self._memory)[0]
        return count

    def seconds_on_page(self, process: int) -> float:
        """What the process has used since it began its last page."""
        before: float = _SECONDS.unpack_from(self._memory, _SECONDS_AT)[0]
        return seconds_used(process) - before


def new_file() -> int:
    """A file of the right size, to be shared and closed."""
    if sys.platform == "linux":
        file = os.memfd_create("progress")
    else:
        import tempfile  # half a megabyte in every parser

        with tempfile.TemporaryFile() as named:
            file = os.dup(named.fileno())
    os.ftruncate(file, _SIZE)
    return file


def seconds_used(process: int | None = None) -> float:
    """CPU time of a process, this one or another; 0 if it is gone. Where that of others cannot be asked for, the time
    of day stands for it.
    """
    if sys.platform != "linux":
        return time.monotonic()
    if process is None:
        return time.process_time()
    with suppress(OSError):
        return time.clock_gettime((~process << 3) | _CPU_CLOCK)
    return 0.0
