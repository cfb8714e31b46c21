"""Imports third-party packages that belong to no extra, for functions that convert data for these packages."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hinterland.distribution.extras import MissingPackage


def require(package: str) -> Any:
    """Return the module of this name. Raises MissingPackage if it is not installed."""
    try:
        return import_module(package)
    except ImportError as error:
        raise MissingPackage(
            f"this conversion needs the package {package}, which is not installed: pip install {package}"
        ) from error
