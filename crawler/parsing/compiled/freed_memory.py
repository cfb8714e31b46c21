"""Returns freed memory to the system: glibc keeps it for the next page, but a page of megabytes is rare."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

LARGE_BYTES: Final = 1_000_000
"""Size of a decoded page, or of its answer, from which returning memory is worth the milliseconds it takes."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # see mallopt(3)
_LARGE_BLOCK_BYTES: Final = 1 << 20
"""Blocks of this size and above come from the system, which gets them back as soon as they are freed."""
_KEPT_BYTES: Final = 4 << 20


def release_freed_memory() -> None:
    """Return freed memory to the system, where the C library can do that."""
    if _TRIM is not None:
        _TRIM(0)


def limit_freed_memory() -> None:
    """Make a long-lived process with much data keep little freed memory; call it before threads start.

    Does nothing where the C library cannot do that. Without it, glibc gives each thread a heap of its own and, after a
    large block, keeps as much for later: of the crawl's own process 23 MB of 108 were free before it had met a large
    page.
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
