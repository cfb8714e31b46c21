"""Shows which page a parser process is parsing, in a few bytes of memory shared with the crawl.

A process answers pages that arrived together only when all of them are done, so missing answers do not show which page
is slow.
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
"""Combined with the complement of a process id, this is the id of the clock of its CPU time (see
clock_getcpuclockid(3)).
"""


class ParserProgress:
    """The progress of a parser process, which it writes and the crawl reads; both map the same file."""

    def __init__(self, file: int) -> None:
        """Map `file`, from `new_file`; it may be closed afterwards."""
        self._memory = mmap.mmap(file, _SIZE)
        self._begun = 0

    def page_begins(self) -> None:
        """Note that the next page begins."""
        self._begun += 1
        self.table_begins(0)
        # With this order of writing, a page can only seem to have taken less time than it did.
        _SECONDS.pack_into(self._memory, _SECONDS_AT, seconds_used())
        _COUNT.pack_into(self._memory, 0, self._begun)

    def table_begins(self, table: int) -> None:
        """Note that the table with this number, from 1, is being applied to the page; 0 for none."""
        _COUNT.pack_into(self._memory, _TABLE_AT, table)

    @property
    def table(self) -> int:
        """The number of the table being applied; 0 if there is none."""
        number: int = _COUNT.unpack_from(self._memory, _TABLE_AT)[0]
        return number

    @property
    def begun(self) -> int:
        """How many pages have begun."""
        count: int = _COUNT.unpack_from(self._memory)[0]
        return count

    def seconds_on_page(self, process: int) -> float:
        """Return the seconds of CPU time that the process has used for its current page."""
        before: float = _SECONDS.unpack_from(self._memory, _SECONDS_AT)[0]
        return seconds_used(process) - before


def new_file() -> int:
    """Return the descriptor of a new file of the right size; the caller shares and closes it."""
    if sys.platform == "linux":
        file = os.memfd_create("progress")
    else:
        import tempfile  # costs half a megabyte in every parser

        with tempfile.TemporaryFile() as named:
            file = os.dup(named.fileno())
    os.ftruncate(file, _SIZE)
    return file


def seconds_used(process: int | None = None) -> float:
    """Return the CPU time of a process, by default this one, in seconds; 0 if it has ended.

    If the system does not provide the CPU time of other processes, return the wall-clock time instead.
    """
    if sys.platform != "linux":
        return time.monotonic()
    if process is None:
        return time.process_time()
    with suppress(OSError):
        return time.clock_gettime((~process << 3) | _CPU_CLOCK)
    return 0.0
