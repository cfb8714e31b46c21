"""Compiles loops to machine code, which runs without the interpreter's lock.

Importing the compiler takes half a second, and most commands compute nothing. The first call of a compiled function
imports it; importing a module of this project does not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any, Final, Generic, ParamSpec, TypeVar

from hinterland.analysis.numba_parts import check_numba
from hinterland.distribution.extras import need

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_one_thread: Final = RLock()


class Compiled(Generic[_Arguments, _Result]):
    """A function that is compiled at the first call with each combination of argument types.

    The machine code is cached on disk. In a checkout, the cache is next to the source. If that is not writable, or the
    program is installed, it is in the user's cache folder. If neither is possible, every process compiles for itself.

    The function may call other `compiled` functions by name. If such a function is in another file and changes, the
    cached code of its callers stays as it is.

    Compiling takes about a second and holds the interpreter's lock. So a program that must not pause calls everything
    once beforehand.
    """

    def __init__(self, function: Callable[_Arguments, _Result]) -> None:
        """Wrap the function; nothing is compiled yet."""
        update_wrapper(self, function)
        self._function = function
        self._dispatcher: Any = None

    def __call__(self, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        """Call the compiled function."""
        dispatcher = self.dispatcher() if self._dispatcher is None else self._dispatcher
        result: _Result = dispatcher(*arguments, **named)
        return result

    def dispatcher(self) -> Any:
        """Return numba's dispatcher of the function, which compiles for new argument types."""
        machine_code = _compiler()
        with _one_thread:
            if self._dispatcher is None:
                self._dispatcher = machine_code.dispatcher_of(self._function)
            return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """The type that numba asks for when another function that it compiles calls this one by name."""
        return self.dispatcher()._numba_type_


def compiled(function: Callable[_Arguments, _Result]) -> Compiled[_Arguments, _Result]:
    """Wrap a function so that it is compiled when it is first called; see `Compiled`."""
    return Compiled(function)


def _compiler() -> ModuleType:
    """Import the module that compiles, and with it numba; return the module.

    Raises MissingPackage.
    """
    try:
        check_numba()
        return import_module("hinterland.analysis.machine_code")
    except ModuleNotFoundError:
        need("rank", by="computing on links")
        raise


def is_kept() -> bool:
    """Return whether compiled code is cached, so that later calls and other processes need not compile it again."""
    return bool(_compiler().is_kept(compiled(lambda: None).dispatcher()))
