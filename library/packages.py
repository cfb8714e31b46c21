"""Third-party packages that a program must install itself, for functions that pass data on to them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hinterland.distribution.extras import MissingPackage


def require(package: str) -> Any:
    """Return the module of this name. Raises MissingPackage if it is not installed."""
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingPackage(f"that needs {package}, which is not installed; install it by pip") from error
