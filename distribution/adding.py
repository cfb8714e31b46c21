"""Installs extras into the .venv of a checkout, when a command needs them or the user asks for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Final, NoReturn

from hinterland.distribution.environment import EXIT_SET_UP_FAILED, ROOT, Environment, SetUpError
from hinterland.distribution.extras import (
    ALL_MEGABYTES,
    EXTRAS,
    MissingExtra,
    is_installed,
    listed,
    missing_packages,
    packages_of,
)
from hinterland.distribution.installation import is_own_environment

_ADDED: Final = "HINTERLAND_ADDED"
"""The environment variable that lists the extras added for a command before it was restarted."""


def add(extras: Iterable[str]) -> None:
    """Install the extras that are missing.

    Raises SetUpError.
    """
    environment = Environment(ROOT / ".venv")
    for extra in extras:
        if not is_installed(extra):
            absent = missing_packages(extra)
            most = "" if absent == packages_of(extra) else "at most "
            what = f"{listed(absent or packages_of(extra))}, {most}{EXTRAS[extra].megabytes} MB,"
            environment.complete(ROOT / f"requirements-{extra}.txt", what)


def add_all() -> None:
    """Install all extras together.

    Raises SetUpError.
    """
    Environment(ROOT / ".venv").complete(
        ROOT / "requirements-all.txt", f"everything that any command needs, {ALL_MEGABYTES} MB,"
    )


def add_and_start_again(missing: MissingExtra) -> NoReturn:
    """Install the extras that a command lacks, and restart the command.

    Raises MissingExtra outside the .venv of a checkout, or if these extras were installed before in vain. Ends the
    process if the installation fails.
    """
    added = os.environ.get(_ADDED, "").split()
    if not is_own_environment() or set(missing.extras) & set(added):
        raise missing
    print(f"hinterland: {missing.reason}", file=sys.stderr, flush=True)
    try:
        add(missing.extras)
    except SetUpError as error:
        print("\n".join(filter(None, [error.output.strip(), f"hinterland: {error}"])), file=sys.stderr, flush=True)
        sys.exit(EXIT_SET_UP_FAILED)
    os.environ[_ADDED] = " ".join([*added, *missing.extras])
    Environment(ROOT / ".venv").restart()
