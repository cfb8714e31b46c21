"""What numba does for `compiled`, which alone imports this module, and late."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import local
from typing import Any, Final

import numba
from numba.core import event
from numba.core.caching import NullCache

from hinterland.analysis.compile_events import compiling
from hinterland.distribution.installation import IS_CHECKOUT, cache_folder

_COMPILING: Final = "numba:compile"
"""What numba calls the making of machine code; to read what was kept is none."""


def _import_without_scipy() -> None:
    """What numba knows of arrays, before it does so itself: it would import all of scipy.linalg, which takes longer
    than the rest, only to see that it is there. Compiled code that multiplies matrices still looks for it.
    """
    if "scipy.linalg" in sys.modules or find_spec("scipy") is None:
        return
    linear_algebra: Any = import_module("numba.np.linalg")
    look = linear_algebra.ensure_blas
    linear_algebra.ensure_blas = lambda: None
    try:
        arrays: Any = import_module("numba.np.arraymath")
    finally:
        linear_algebra.ensure_blas = look
    arrays.ensure_blas = look


_import_without_scipy()


def is_kept(dispatcher: Any) -> bool:
    """Whether what is compiled is kept for other processes."""
    return not isinstance(dispatcher._cache, NullCache)


def dispatcher_of(function: Callable[..., Any]) -> Any:
    """The function, to be compiled at the first call with each combination of argument types."""
    try:
        with _kept_in(cache_folder(os.environ)) if not IS_CHECKOUT else nullcontext():
            return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no place to keep it
        return numba.njit(nogil=True)(function)


@contextmanager
def _kept_in(folder: Path | None) -> Iterator[None]:
    """What is made dispatchers within keeps its code there, and not beside the source: what an installation has written
    there would be left behind by the one that removes it. NUMBA_CACHE_DIR goes before.

    For those dispatchers alone: this process may be somebody else's, whose own are kept where they were.
    """
    config: Any = numba.config
    before = config.CACHE_DIR
    if folder is not None and not before:
        config.CACHE_DIR = str(folder / "numba")
    try:
        yield
    finally:
        config.CACHE_DIR = before


class _Telling(event.Listener):
    """Tells `compiled` of what numba compiles."""

    def __init__(self) -> None:
        self._of_thread = local()

    def on_start(self, event: object) -> None:
        scope = ExitStack()
        scope.enter_context(compiling())
        self._open().append(scope)

    def on_end(self, event: object) -> None:
        if scopes := self._open():  # none if its beginning was not wanted
            scopes.pop().close()

    def _open(self) -> list[ExitStack]:
        """What this thread is compiling."""
        scopes: list[ExitStack] = self._of_thread.__dict__.setdefault("scopes", [])
        return scopes


_tells_of: Callable[[str, event.Listener], None] = event.register  # which has no types
_tells_of(_COMPILING, _Telling())
