"""Returns freed memory to the system; glibc would keep it for the next large page, and large pages are rare."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

LARGE_BYTES: Final = 1_000_000
"""Returning memory, which takes milliseconds, is worthwhile after a page or digest of at least this decoded size."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # see mallopt(3)
_LARGE_BLOCK_BYTES: Final = 1 << 20
"""Blocks of at least this size are allocated by the system, and returned to it as soon as they are freed."""
_KEPT_BYTES: Final = 4 << 20


def release_freed_memory() -> None:
    """Return freed memory to the system, if the C library can do that."""
    if _TRIM is not None:
        _TRIM(0)


def limit_freed_memory() -> None:
    """Limit the freed memory that glibc keeps, for a long-lived process with much data; call this before threads start.

    It does nothing if the C library has no such limit. Without it, glibc gives each thread its own heap and, after a
    large block is freed, keeps that much free memory: in the crawl's own process 23 of 108 MB were free even before any
    large page.
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
