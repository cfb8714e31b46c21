"""`setup`: shows or installs packages that only some commands need."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator

from hinterland.cli.command_parser import CommandParser
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.distribution.environment import EXIT_SET_UP_FAILED
from hinterland.distribution.extras import EXTRAS, MissingExtra, is_installed, listed, packages_of
from hinterland.distribution.installation import is_own_environment
from hinterland.library.errors import HinterlandError, require_known

EXAMPLES = """\
examples:
  python3 run.py setup
      list what can be installed for which commands, how large it is, and what is installed
  python3 run.py setup search rank
      install what `search` and `rank` need
  python3 run.py setup --all
      install everything, for example for a machine that will have no network

A crawl needs none of it. In a checkout each command installs what it needs, and says so first; in an installation a
command that lacks something names the command that adds it.
"""


class _SetUpFailed(HinterlandError):
    exit_code = EXIT_SET_UP_FAILED


def add_arguments(command: CommandParser) -> None:
    """Add the options of `setup`."""
    command.add_argument("extras", nargs="*", metavar="NAME", help=f"what to install: {', '.join(EXTRAS)}")
    command.add_argument("--all", action="store_true", help="install all of them")


def run(arguments: Namespace) -> int:
    """List the extras, or install the extras that are named; returns the exit code."""
    for name in arguments.extras:
        require_known("extra", name, list(EXTRAS))
    if not arguments.extras and not arguments.all:
        Output(sys.stdout).write("\n".join(_lines()))
        return OK
    names = list(EXTRAS) if arguments.all else list(arguments.extras)
    absent = [name for name in names if not is_installed(name)]
    if absent:
        _add(absent, is_all=arguments.all)
    print(f"{listed(names)}: everything is installed", file=sys.stderr)
    return OK


def _add(absent: list[str], *, is_all: bool) -> None:
    """Install extras. Raises MissingExtra if the user must install them, and HinterlandError if this fails."""
    from hinterland.distribution.adding import add, add_all
    from hinterland.distribution.environment import SetUpError

    if not is_own_environment():
        raise HinterlandError(str(MissingExtra(absent, "`setup` adds packages only to the .venv of a checkout")))
    try:
        if is_all:
            add_all()
        else:
            add(absent)
    except SetUpError as error:
        complaint = os.linesep.join(filter(None, [error.output.strip(), str(error)]))
        raise _SetUpFailed(complaint) from None


def _lines() -> Iterator[str]:
    width = max(map(len, EXTRAS))
    for name, extra in EXTRAS.items():
        state = "installed" if is_installed(name) else f"{extra.megabytes} MB"
        yield f"{name:{width}}  {state:>9}  {extra.purpose} ({', '.join(packages_of(name))})"
