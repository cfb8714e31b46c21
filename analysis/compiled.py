"""Loops compiled to machine code, which run without the interpreter's lock.

To import the compiler takes half a second, and most commands compute nothing. The first call of a compiled function
imports it; to import a module of this project does not.
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
    """A function that is compiled at the first call with each combination of argument types. It calls others that are
    `compiled` by their names, as ever; a change of one in another file is not noticed by what was kept.

    The result is kept on disk: beside the source of a checkout or, where that cannot be written, in the user's cache,
    where it always is once installed. Where neither can, every process compiles for itself.

    Compiling takes a second or so and holds the interpreter's lock, so whoever must not pause calls everything once
    beforehand.
    """

    def __init__(self, function: Callable[_Arguments, _Result]) -> None:
        update_wrapper(self, function)
        self._function = function
        self._dispatcher: Any = None

    def __call__(self, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        dispatcher = self.dispatcher() if self._dispatcher is None else self._dispatcher
        result: _Result = dispatcher(*arguments, **named)
        return result

    def dispatcher(self) -> Any:
        """What numba makes of the function: it looks at the types of the arguments, and compiles where it must."""
        machine_code = _compiler()
        with _one_thread:
            if self._dispatcher is None:
                self._dispatcher = machine_code.dispatcher_of(self._function)
            return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """What numba asks a value for that it finds by its name while it compiles another function."""
        return self.dispatcher()._numba_type_


def compiled(function: Callable[_Arguments, _Result]) -> Compiled[_Arguments, _Result]:
    """Have a function compiled when it is called; see `Compiled`."""
    return Compiled(function)


def _compiler() -> ModuleType:
    """What brings it, imported only now. Raises MissingPackage."""
    try:
        check_numba()
        return import_module("hinterland.analysis.machine_code")
    except ModuleNotFoundError:
        need("rank", by="computing on links")
        raise


def is_kept() -> bool:
    """Whether what is compiled here is kept, for this process and others."""
    return bool(_compiler().is_kept(compiled(lambda: None).dispatcher()))
