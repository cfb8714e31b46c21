"""Extras: packages that only some commands need, grouped by purpose.

pyproject.toml says why each extra is needed.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hinterland.distribution.environment import DEVELOP, ROOT, Environment
from hinterland.distribution.installation import how_to_add, is_own_environment


class MissingPackage(Exception):
    """A package that is needed is not installed; the message says how to install it."""


class MissingExtra(MissingPackage):
    """An extra is needed that is not installed.

    It is raised before any work is done, so that the extra can be installed and the command restarted. `reason` is the
    message without the instructions.
    """

    def __init__(self, extras: Iterable[str], reason: str, otherwise: str = "") -> None:
        """Take the extras, the reason why they are needed, and what to do instead of installing them."""
        self.extras = tuple(extras)
        self.reason = reason
        commands = " && ".join(how_to_add(extra, packages_of(extra)) for extra in self.extras)
        super().__init__(f"{reason}; to install: `{commands}`" + (f", or {otherwise}" if otherwise else ""))


@dataclass(frozen=True, slots=True)
class Extra:
    """The packages of an extra.

    `packages` maps each package to the module that it provides. `includes` names other extras. `megabytes` is the disk
    space of all packages, in addition to what a crawl needs.
    """

    purpose: str
    packages: Mapping[str, str]
    megabytes: int
    includes: tuple[str, ...] = ()


EXTRAS: Final[Mapping[str, Extra]] = {
    "rank": Extra("`rank`, crawls with --hinterland, policies that rank all links", {"numba": "numba"}, 190),
    "topics": Extra(
        "`topic`, to teach a topic; crawling one does not need it",
        {"scikit-learn": "sklearn", "scipy": "scipy"},
        340,
        ("rank",),
    ),
    "search": Extra(
        "`index` and `search`", {"tantivy": "tantivy", "resiliparse": "resiliparse.extract"}, 220, ("rank",)
    ),
    "serve": Extra("`serve`", {"prometheus-client": "prometheus_client"}, 335, ("search", "research")),
    "research": Extra("the commands below Research in --help", {"scipy": "scipy", "jinja2": "jinja2"}, 300, ("rank",)),
    "plots": Extra("`simulate --plot`", {"matplotlib": "matplotlib"}, 80),
    "parquet": Extra("`export --format parquet`", {"pyarrow": "pyarrow"}, 165),
    "documents": Extra("PDF as pages: fetching.documents", {"pypdfium2": "pypdfium2"}, 10),
    "render": Extra("`crawl --render`, with a Chromium of the system", {"playwright": "playwright"}, 165),
    "mcp": Extra("`mcp`, and `serve --mcp`", {"mcp": "mcp"}, 255, ("search",)),
    "identity": Extra("`identity`, and requests signed with signatures.key", {"cryptography": "cryptography"}, 20),
    "socks": Extra("SOCKS proxies: [[proxies]]", {"python-socks": "python_socks"}, 1),
    "cluster": Extra("`crawl --cluster ray:N`", {"ray": "ray"}, 210),
}
"""Extras by name, as in pyproject.toml."""
ALL_MEGABYTES: Final = 1_000
"""The disk space of all extras together."""


def packages_of(extra: str) -> list[str]:
    """Return the names of an extra's packages, those of the extras that it includes first."""
    return list(modules_of(extra))


def is_installed(extra: str) -> bool:
    """Return whether an extra's packages can be imported and, if this program installed them, are up to date."""
    return all(map(_is_there, modules_of(extra).values())) and not _is_outdated(extra)


def missing_packages(extra: str) -> list[str]:
    """Return the names of an extra's packages that cannot be imported."""
    return [package for package, module in modules_of(extra).items() if not _is_there(module)]


def need(*extras: str, by: str, otherwise: str = "") -> None:
    """Raise MissingExtra unless the extras are installed. Call this before any work is done.

    `by` names, in words, what needs the extras; `otherwise` says what to do instead of installing them.
    """
    absent = [extra for extra in extras if not is_installed(extra)]
    if absent:
        packages = list(dict.fromkeys(package for extra in absent for package in missing_packages(extra)))
        lack = (
            f"{listed(packages)}, {_which(len(packages))} not installed" if packages else "packages in newer versions"
        )
        raise MissingExtra(absent, f"{by} needs {lack}", otherwise)


def listed(names: Iterable[str]) -> str:
    """Return the names as "a", "a and b" or "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _which(count: int) -> str:
    return "which is" if count == 1 else "which are"


def modules_of(extra: str) -> dict[str, str]:
    """Return a map from each package of an extra to the module that it provides, those of included extras first."""
    found: dict[str, str] = {}
    for included in EXTRAS[extra].includes:
        found |= modules_of(included)
    return found | dict(EXTRAS[extra].packages)


def _is_outdated(extra: str) -> bool:
    """Return whether the requirements file of an extra has changed since it was installed from it into .venv."""
    if not is_own_environment():
        return False
    environment = Environment(ROOT / ".venv")
    files = [ROOT / f"requirements-{name}.txt" for name in (extra, "all")]
    known = [file for file in files if environment.has_held(file)]
    return bool(known) and not environment.has_held(ROOT / DEVELOP) and not any(map(environment.is_ready, known))


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the enclosing package is missing
        return False
