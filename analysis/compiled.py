"""Loops compiled to machine code, which run without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar, cast

import numba
from numba.core import event

_Function = TypeVar("_Function", bound=Callable[..., Any])

_COMPILING: Final = "numba:compile"
"""What numba calls the making of machine code; to read what was kept is none."""


def compiled(function: _Function) -> _Function:
    """Compile at the first call with each combination of argument types, and keep the result on disk: beside the source
    or, where that cannot be written, in the user's cache. Where neither can, every process compiles for itself.

    Compiling takes a second or so and holds the interpreter's lock, so whoever must not pause calls
    everything once beforehand.
    """
    try:
        made = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no place to keep it
        made = numba.njit(nogil=True)(function)
    return cast(_Function, made)


@contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """Until the block ends, call `tell` when something is compiled for the first time: once."""
    with event.install_listener(_COMPILING, _FirstOnly(tell)):
        yield


class _FirstOnly(event.Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell: Callable[[], None] | None = tell

    def on_start(self, event: object) -> None:
        tell, self._tell = self._tell, None
        if tell is not None:
            tell()

    def on_end(self, event: object) -> None:
        pass
