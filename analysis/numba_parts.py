"""Checks for the undocumented parts of numba that `machine_code` relies on."""

from __future__ import annotations

from importlib import import_module

from hinterland.distribution.private_parts import require_parts


def check_numba() -> None:
    """Raise MissingPackage if the installed numba lacks a part that `machine_code` relies on.

    Raises ModuleNotFoundError without numba.
    """
    import_module("numba")
    parts = (
        *(("numba.core.event", name) for name in ("Listener", "register")),
        ("numba.core.caching", "NullCache"),
        ("numba.core.dispatcher", "Dispatcher"),
        *(("numba.np.linalg", name) for name in ("ensure_blas",)),
        ("numba", "config"),
    )
    require_parts("numba", {f"{module}.{name}": _has(module, name) for module, name in parts})


def _has(module: str, name: str) -> bool:
    try:
        return hasattr(import_module(module), name)
    except ImportError:
        return False
