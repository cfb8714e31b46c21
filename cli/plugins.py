"""`plugins`: lists the plug-ins, and says whether they can be used."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from hinterland.cli.command_parser import CommandParser, add_plugin_option
from hinterland.cli.exit_codes import OK, USAGE
from hinterland.cli.output import Output
from hinterland.crawler.plugins.kinds import COMMAND, INSTALLED_KINDS, KINDS, PluginKind
from hinterland.crawler.plugins.loading import (
    PluginError,
    installed_names,
    installed_origins,
    installed_plugin,
    own_names,
    plugins_of,
)
from hinterland.library.plugin_tables import enter_plugins, is_known
from hinterland.library.text.wording import table

EXAMPLES = """\
examples:
  python3 run.py plugins
      list the plug-ins of installed packages, and import each to see whether it works
  python3 run.py plugins --plugin newest.py
      also those of a file

Exit code 2 if one of them cannot be used.
"""


@dataclass(frozen=True, slots=True)
class _ListedPlugin:
    """A plug-in in the list. `problem` says why it cannot be used; "" if it can be used."""

    kind: str
    name: str
    origin: str
    problem: str = ""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `plugins`."""
    add_plugin_option(command)
    command.add_argument("--json", action="store_true", help="print one JSON list")


def run(arguments: Namespace) -> int:
    """List plug-ins and their problems; returns USAGE if a plug-in cannot be used, otherwise OK."""
    found = [*_installed(), *_of_files(arguments.plugins)]
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json.dumps([asdict(each) for each in found], ensure_ascii=False, indent=2))
    elif found:
        rows = [("kind", "name", "from"), *((each.kind, each.name, each.origin) for each in found)]
        output.write("\n".join(table(rows, indent="")))
        for each in found:
            if each.problem:
                output.write(f"\n{each.problem}")
    else:
        output.write("no plug-ins: no installed package offers one; docs/plug-ins.md says how to write one")
    return USAGE if any(each.problem for each in found) else OK


def _installed() -> Iterator[_ListedPlugin]:
    for kind in INSTALLED_KINDS:
        for name in installed_names(kind):
            origin, problem = " and ".join(installed_origins(kind, name)), ""
            try:
                installed_plugin(kind, name)
            except PluginError as error:
                problem = str(error)
            if _is_ours(kind, name):
                problem = f"the {kind.noun} {name!r} of {origin} is ignored: Hinterland has its own of that name"
            yield _ListedPlugin(kind.noun, name, origin, problem)


def _is_ours(kind: PluginKind, name: str) -> bool:
    from hinterland.cli.commands import COMMANDS  # which knows this command, too

    is_entered = kind in KINDS and is_known(kind, name)
    return is_entered or name in own_names(kind) or (kind is COMMAND and name in COMMANDS)


def _of_files(files: list[str]) -> Iterator[_ListedPlugin]:
    enter_plugins(files)
    for plugin in plugins_of(files):
        yield _ListedPlugin(plugin.kind.noun, plugin.name, plugin.origin)
