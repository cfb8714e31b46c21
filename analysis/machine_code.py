"""The interface to numba. Only `compiled` imports this module, and only when needed."""

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
"""numba's event for generating machine code; reading cached code does not count."""


def _import_without_scipy() -> None:
    """Import numba's support for arrays without importing scipy.linalg.

    numba would import scipy.linalg only to see whether it exists, and this takes longer than all other imports. If
    compiled code multiplies matrices, numba still checks that it exists.
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
    """Return whether compiled code is cached for other processes."""
    return not isinstance(dispatcher._cache, NullCache)


def dispatcher_of(function: Callable[..., Any]) -> Any:
    """Return numba's version of the function, compiled at the first call with each combination of argument types."""
    try:
        with _kept_in(cache_folder(os.environ)) if not IS_CHECKOUT else nullcontext():
            return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no place for a cache
        return numba.njit(nogil=True)(function)


@contextmanager
def _kept_in(folder: Path | None) -> Iterator[None]:
    """Make dispatchers that are created in the block cache their code in this folder, not next to the source.

    An uninstaller would leave behind files that were written next to the source. NUMBA_CACHE_DIR takes precedence.
    Other dispatchers are not affected, because this process may belong to another program, whose caches must stay where
    they are.
    """
    config: Any = numba.config
    before = config.CACHE_DIR
    if folder is not None and not before:
        config.CACHE_DIR = str(folder / "numba")
    try:
        yield
    finally:
        config.CACHE_DIR = before


class _CompileListener(event.Listener):
    """Reports to `compile_events` what numba compiles."""

    def __init__(self) -> None:
        """Start with nothing being compiled."""
        self._of_thread = local()

    def on_start(self, event: object) -> None:
        """Report the start of a compilation."""
        scope = ExitStack()
        scope.enter_context(compiling())
        self._open().append(scope)

    def on_end(self, event: object) -> None:
        """Report the end of a compilation."""
        if scopes := self._open():  # empty if the watcher cancelled the start
            scopes.pop().close()

    def _open(self) -> list[ExitStack]:
        """Return the compilations that are under way in this thread, from the outermost to the innermost."""
        scopes: list[ExitStack] = self._of_thread.__dict__.setdefault("scopes", [])
        return scopes


_register: Callable[[str, event.Listener], None] = event.register  # which has no types
_register(_COMPILING, _CompileListener())
