"""Finds the modules with settings or tables in the folders of features.

The settings and the store are layers below the features, so their code must not name any feature.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Final

_PACKAGE: Final = f"{__package__.partition('.')[0]}.crawler.features"


def modules_of_features(name: str) -> Iterator[ModuleType]:
    """Yield the modules of this name, in the order of the features' folders."""
    for feature in pkgutil.iter_modules(import_module(_PACKAGE).__path__):
        module = f"{_PACKAGE}.{feature.name}.{name}"
        if find_spec(module) is not None:
            yield import_module(module)
