"""Passes to other processes, as bytes, plug-ins that the program itself has created.

Functions and classes of modules are passed by name. Those of the program itself (a script, a notebook, a closure) are
passed by value, so the program need not be a module, and the other process does not run it again.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from hinterland.crawler.plugins.kinds import PluginKind
from hinterland.crawler.plugins.loading import PluginError


@dataclass(frozen=True, slots=True)
class _Sent:
    """Pickled plug-ins by name, and the search path on which the program finds its modules."""

    search_path: list[str]
    objects: dict[str, bytes]


def as_bytes(kind: PluginKind, objects: Mapping[str, Any]) -> bytes:
    """Return plug-ins of one kind, by name, as bytes. Raises PluginError if one cannot be pickled."""
    import cloudpickle  # most programs do not need it

    sent = {}
    for module in _that_cannot_be_imported():
        cloudpickle.register_pickle_by_value(module)
    for name, made in objects.items():
        try:
            sent[name] = cloudpickle.dumps(made)
        except Exception as error:  # an object that cannot be pickled may raise anything
            raise PluginError(
                f"the {kind.noun} {name!r} cannot be passed to the parser processes:"
                f" {type(error).__name__}: {' '.join(str(error).split())[:200]}; let it create what it needs when it is"
                " called, or put it into a plug-in file (plugins=)"
            ) from error
    return pickle.dumps(_Sent([str(Path(each).absolute()) for each in sys.path], sent))


def _that_cannot_be_imported() -> list[ModuleType]:
    """Return the modules that other processes cannot find, because they were run (exec, runpy), not imported.

    Their contents are passed by value, like the contents of the program itself.
    """
    loaded: Mapping[str, object] = sys.modules  # some names stand for a class, such as typing.io
    return [
        module
        for name, module in list(loaded.items())
        if isinstance(module, ModuleType) and module.__name__ == name != "__main__" and module.__spec__ is None
    ]


def from_bytes(kind: PluginKind, data: bytes) -> dict[str, Any]:
    """Return the plug-ins that were given to `as_bytes`. Raises PluginError if one cannot be imported here.

    Use this only for bytes of our own program, because loading them may run any code.
    """
    sent: _Sent = pickle.loads(data)
    sys.path += [each for each in sent.search_path if each not in sys.path]
    found = {}
    for name, made in sent.objects.items():
        try:
            found[name] = pickle.loads(made)
        except Exception as error:  # the modules that it imports may raise anything
            raise PluginError(f"the {kind.noun} {name!r} cannot be read: {type(error).__name__}: {error}") from error
    return found
