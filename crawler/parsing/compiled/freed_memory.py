"""Gives back to the system what was freed: glibc keeps it, for the next page, but a page of megabytes is rare."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

LARGE_BYTES: Final = 1_000_000
"""Of a page as it is decoded, or of what it said: from here on giving back is worth the milliseconds it takes."""


def give_back_freed_memory() -> None:
    """Where the C library has no way for that, nothing happens."""
    if _TRIM is not None:
        _TRIM(0)


def _trim() -> Callable[[int], int] | None:
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):  # not glibc
            trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
            return trim
    return None


_TRIM: Final = _trim()
