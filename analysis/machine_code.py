"""What numba does for `compiled`, which alone imports this module, and late."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numba
from numba.core import event

_COMPILING: Final = "numba:compile"
"""What numba calls the making of machine code; to read what was kept is none."""


def dispatcher_of(function: Callable[..., Any]) -> Any:
    """The function, to be compiled at the first call with each combination of argument types."""
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no place to keep it
        return numba.njit(nogil=True)(function)


@contextmanager
def told_of_compiling(tell: Callable[[], None]) -> Iterator[None]:
    """See `compiled.told_of_compiling`."""
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
