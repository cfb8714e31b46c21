"""Extras: packages that only some commands need, by what they are for. pyproject.toml says why each is needed."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hinterland.distribution.environment import DEVELOP, ROOT, Environment
from hinterland.distribution.installation import how_to_add, is_own_environment


class MissingPackage(Exception):
    """Something needs a package that is not installed; the message says how to get it."""


class MissingExtra(MissingPackage):
    """The same, found out before any work was done: the extras could be added, and the command started again.

    reason: without the way out.
    """

    def __init__(self, extras: Iterable[str], reason: str, otherwise: str = "") -> None:
        self.extras = tuple(extras)
        self.reason = reason
        commands = " && ".join(how_to_add(extra, packages_of(extra)) for extra in self.extras)
        super().__init__(f"{reason}; to install: `{commands}`" + (f", or {otherwise}" if otherwise else ""))


@dataclass(frozen=True, slots=True)
class Extra:
    """packages: by name the module that each brings. includes: other extras. megabytes: what all of it takes on disk,
    beside what a crawl needs.
    """

    purpose: str
    packages: Mapping[str, str]
    megabytes: int
    includes: tuple[str, ...] = ()


EXTRAS: Final[Mapping[str, Extra]] = {
    "rank": Extra("`rank`, crawls with --hinterland, policies that rank all links", {"numba": "numba"}, 190),
    "topics": Extra(
        "`topic`, to teach it; crawls of a topic do without",
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
    "cluster": Extra("`crawl --cluster ray:N`", {"ray": "ray"}, 210),
}
"""By the names that pyproject.toml has, too."""
ALL_MEGABYTES: Final = 1_000
"""What all of them take together."""


def packages_of(extra: str) -> list[str]:
    """The names of its packages, of those it includes first."""
    return list(modules_of(extra))


def is_installed(extra: str) -> bool:
    """Whether its packages can be imported and, where this program has installed them, are those of today."""
    return all(map(_is_there, modules_of(extra).values())) and not _is_outdated(extra)


def missing_packages(extra: str) -> list[str]:
    """The names of its packages that cannot be imported."""
    return [package for package, module in modules_of(extra).items() if not _is_there(module)]


def need(*extras: str, by: str, otherwise: str = "") -> None:
    """To be called before any work is done. by: what needs them, in words; otherwise: how to do without.

    Raises MissingExtra.
    """
    absent = [extra for extra in extras if not is_installed(extra)]
    if absent:
        packages = list(dict.fromkeys(package for extra in absent for package in missing_packages(extra)))
        lack = (
            f"{listed(packages)}, {_which(len(packages))} not installed" if packages else "packages in newer versions"
        )
        raise MissingExtra(absent, f"{by} needs {lack}", otherwise)


def listed(names: Iterable[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _which(count: int) -> str:
    return "which is" if count == 1 else "which are"


def modules_of(extra: str) -> dict[str, str]:
    """By the name of each of its packages the module that it brings; those of what it includes first."""
    found: dict[str, str] = {}
    for included in EXTRAS[extra].includes:
        found |= modules_of(included)
    return found | dict(EXTRAS[extra].packages)


def _is_outdated(extra: str) -> bool:
    """Whether it was installed into the .venv of this checkout from a file that has changed since."""
    if not is_own_environment():
        return False
    environment = Environment(ROOT / ".venv")
    files = [ROOT / f"requirements-{name}.txt" for name in (extra, "all")]
    known = [file for file in files if environment.has_held(file)]
    return bool(known) and not environment.has_held(ROOT / DEVELOP) and not any(map(environment.is_ready, known))


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False
