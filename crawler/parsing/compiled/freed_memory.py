"""Gives back to the system what was freed: glibc keeps it, for the next page, but a page of megabytes is rare."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

LARGE_BYTES: Final = 1_000_000
"""Of a page as it is decoded, or of what it said: from here on giving back is worth the milliseconds it takes."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # see mallopt(3)
_LARGE_BLOCK_BYTES: Final = 1 << 20
"""From here on a block is the system's, which has it back as soon as it is freed."""
_KEPT_BYTES: Final = 4 << 20


def give_back_freed_memory() -> None:
    """Where the C library has no way for that, nothing happens."""
    if _TRIM is not None:
        _TRIM(0)


def keep_little_freed_memory() -> None:
    """For a process that lives long and holds much, before it starts threads. Where the C library has no way for that,
    nothing happens.

    Else glibc gives each thread a heap of its own, and after a large block keeps the like for later: of a crawl's own
    process 23 MB of 108 were free before it had met any large page.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # not glibc
            set_option = ctypes.CDLL(None).mallopt
            set_option(_ARENA_MAX, 1)
            set_option(_MMAP_THRESHOLD, _LARGE_BLOCK_BYTES)
            set_option(_TRIM_THRESHOLD, _KEPT_BYTES)


def _trim() -> Callable[[int], int] | None:
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # not glibc
            trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
            return trim
    return None


_TRIM: Final = _trim()
