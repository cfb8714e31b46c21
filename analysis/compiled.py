"""Loops compiled to machine code, which run without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile at the first call with each combination of argument types, and keep the result on disk.

    Compiling takes a second or so and holds the interpreter's lock, so whoever must not pause calls
    everything once beforehand.
    """
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))
