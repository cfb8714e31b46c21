"""The command line: the table of commands, how a command is found by its name, and how errors are printed.

A new command is a module with EXAMPLES, add_arguments and run, and a line in a group of GROUPS. Packages that --help
does not need are imported in `run`. Commands of the laboratory and of other packages are plug-ins (`offered_commands`).
Only what the given command needs is imported, so `--help` and `status` do not wait for the packages of a crawl.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Final, cast

from hinterland.cli.command_parser import CommandParser
from hinterland.cli.compiling_notice import compiling_notices
from hinterland.cli.ctrl_c import interruptible, terminable
from hinterland.cli.exit_codes import BUG, INTERRUPTED, OK, STORE, USAGE
from hinterland.cli.offered_commands import Command, CommandHelp, CommandRunner, offered_command, offered_commands
from hinterland.cli.output import flush, open_standard_streams
from hinterland.crawler import __version__
from hinterland.distribution.extras import EXTRAS, MissingExtra, MissingPackage, need
from hinterland.distribution.installation import PROGRAM, as_called
from hinterland.library.errors import HinterlandError, require_known
from hinterland.storage.no_store import NoStore


def _own(
    module: str, help_: str, *, has_loop: bool = False, when_stopped: str = "", needs: tuple[str, ...] = ()
) -> Command:
    return Command(f"{__package__}.{module}", help_, has_loop=has_loop, when_stopped=when_stopped, needs=needs)


GROUPS: Final[Mapping[str, Mapping[str, Command]]] = {
    "Crawl": {
        "crawl": _own("crawl", "crawl from seed URLs into a link store, or resume a crawl", has_loop=True),
        "recrawl": _own("recrawl", "revisit the pages of a store and read what has changed", has_loop=True),
        "status": _own("status", "show the state of a crawl, running or ended"),
        "explain": _own("explain", "explain what a crawl would do with a URL, and why", has_loop=True),
        "demo": _own("demo", "crawl a small web that comes with Hinterland; needs no internet", has_loop=True),
    },
    "Search and browse": {
        "index": _own(
            "index",
            "build or update the search index of a store",
            when_stopped="everything read and indexed so far is kept; the same command continues from there",
            needs=("search",),
        ),
        "search": _own("search", "search the pages of a store", needs=("search",)),
        "serve": _own(
            "serve", "show a store in a browser: search, pages, hosts, the live crawl", has_loop=True, needs=("serve",)
        ),
        "mcp": _own("mcp", "offer stores to language models (Model Context Protocol)", has_loop=True, needs=("mcp",)),
        "rank": _own(
            "rank",
            "rank the pages of a domain as the web sees them",
            when_stopped="the ranks are not stored",
            needs=("rank",),
        ),
    },
    "Changes": {
        "changes": _own("changes", "list pages that are new, changed, moved or gone"),
        "diff": _own("diff", "show how the text of a page has changed"),
    },
    "Audit": {
        "audit": _own("audit", "report what is wrong with a site, and how much of it was seen", needs=("rank",)),
    },
    "Extract and export": {
        "extract": _own(
            "extract",
            "extract fields from kept pages by rules, into tables of the store",
            has_loop=True,
            when_stopped="records found so far are kept; the same command reads all pages again",
        ),
        "export": _own(
            "export", "export pages and links: CSV, Parquet, JSON, graphs, ...", when_stopped="no file was written"
        ),
        "import": _own(
            "import_",
            "import archives from other tools: WARC, WAT, CDXJ",
            has_loop=True,
            when_stopped="everything imported so far is kept; the same command adds the rest",
        ),
    },
    "Topics": {
        "topic": _own(
            "topic",
            "define a topic by words or pages, and train its classifier",
            when_stopped="answers given so far are kept",
        ),
    },
    "Set-up": {
        "setup": _own("setup", "install what some commands need, or everything at once"),
        "settings": _own("settings", "show the effective settings, and where each comes from"),
        "plugins": _own("plugins", "list plug-ins, and whether they can be used"),
        "identity": _own(
            "identity", "make the key by which sites can verify this crawler, and publish it", needs=("identity",)
        ),
        "completion": _own("completion", "print the completion script for bash, zsh or fish"),
    },
    "Research": {},
}
"""Our own commands by purpose, in the order of --help. Commands of plug-ins join the groups."""

COMMANDS: Final = {name: command for group in GROUPS.values() for name, command in group.items()}

_START = """\
the first three things to try:
  python3 run.py demo
      crawl a small web that comes with Hinterland; needs no internet
  python3 run.py crawl https://your.site.example/ --max-pages 100
      crawl a real site politely, into hinterland.db
  python3 run.py serve hinterland.db
      see its pages, hosts and links in a browser

"python3 run.py COMMAND --help" explains a command with examples.
"""


def main(given: Sequence[str]) -> int:
    """Run one command line, without the name of the program; returns its exit code."""
    open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal may lack a letter
    try:
        with terminable():
            return _answered(given)
    except KeyboardInterrupt:  # a second one, while the program ends
        return INTERRUPTED
    finally:
        flush(sys.stdout)


def all_groups() -> dict[str, dict[str, Command]]:
    """Return all commands by purpose, including commands of plug-ins, in the order of --help. Imports the plug-ins."""
    groups = {group: dict(commands) for group, commands in GROUPS.items()}
    for name, command in offered_commands().items():
        if name not in COMMANDS:
            groups.setdefault(command.group, {})[name] = command
    return {group: commands for group, commands in groups.items() if commands}


def all_commands() -> dict[str, Command]:
    """Return all commands by name, in the order of --help. Imports the plug-ins."""
    return {name: command for commands in all_groups().values() for name, command in commands.items()}


def parsed(given: Sequence[str]) -> Namespace:
    """Parse a command line without the name of the program. For --help and for mistakes, end the program.

    `command` of the result is None if no command was given.
    """
    name = _command_name(given)
    command = None if name is None else _command(name)
    if name is not None and command is not None:
        top = parser({name: command})
    else:
        top = parser({})
        if name is not None:
            top.check_command(name, all_commands())
    arguments = top.parse_args(given)
    arguments.command_line = list(given)
    return arguments


def parser(in_full: Mapping[str, Command] | None = None) -> CommandParser:
    """Return the parser of a whole command line.

    `in_full` maps names to the commands whose arguments the parser should know; their modules are imported. None means
    all commands.
    """
    is_of_one = bool(in_full)
    top = CommandParser(
        prog=PROGRAM,
        usage="%(prog)s [-h] [--version] COMMAND ...",
        description="Hinterland: a focused web crawler that keeps pages and links in one SQLite file.\n\n"
        + ("" if is_of_one else _list_of_commands()),
        epilog=as_called(_START),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"Hinterland {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", help=argparse.SUPPRESS)
    for name, command in (all_commands() if in_full is None else in_full).items():
        one = commands.add_parser(
            name,
            prog=f"{PROGRAM} {name}",
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module = help_of(command)
        one.epilog = as_called(module.EXAMPLES)
        one.commands_with = commands_with
        module.add_arguments(one)
    return top


def _list_of_commands() -> str:
    groups = all_groups()
    width = max(len(name) for commands in groups.values() for name in commands) + 2
    lines = []
    for group, commands in groups.items():
        lines.append(f"{group}:")
        lines += [f"  {name:{width}}{command.help}" for name, command in commands.items()]
    return "\n".join(lines)


def commands_with(option: str) -> list[str]:
    """Return the commands that have an option. Imports the modules of all commands."""
    found = []
    for name, command in all_commands().items():
        one = CommandParser(add_help=False)
        help_of(command).add_arguments(one)
        if option in one.option_names():
            found.append(name)
    return found


def help_of(command: Command) -> CommandHelp:
    """Import the module that describes a command in --help, and return it."""
    return cast(CommandHelp, _imported(command.module))


def runner_of(command: Command) -> CommandRunner:
    """Return the module that carries out a command: its own or, if this is a folder, `command` in the folder."""
    module = _imported(command.module)
    if not hasattr(module, "run"):
        return cast(CommandRunner, _imported(f"{command.module}.command"))
    return cast(CommandRunner, module)


def _command(name: str) -> Command | None:
    """Return the command with this name; None if there is none. Raises HinterlandError if it cannot be used."""
    return COMMANDS.get(name) or offered_command(name)


def _imported(path: str) -> ModuleType:
    """Import a module and everything that it imports.

    Imported objects live until the program ends. The garbage collector is made to ignore them, because visiting them
    again and again took a fifth of the import time.
    """
    if (module := sys.modules.get(path)) is not None:
        return module
    gc.disable()
    try:
        return importlib.import_module(path)
    finally:
        gc.freeze()
        gc.enable()


def _command_name(given: Sequence[str]) -> str | None:
    return next((word for word in given if not word.startswith("-")), None)


def _answered(given: Sequence[str]) -> int:
    command: Command | None = None
    try:
        command = _command(_command_name(given) or "")
        if command is None or command.has_loop:
            return _run(given, command)
        with interruptible() as ctrl_c:
            try:
                return _run(given, command)
            except Exception as error:
                if ctrl_c.is_pressed:
                    raise KeyboardInterrupt from error
                raise
    except HinterlandError as error:
        return _complain(str(error), error.exit_code)
    except NoStore as error:
        return _complain(str(error), STORE)
    except MissingPackage as error:
        return _without(error)
    except KeyboardInterrupt:
        fate = f"; {command.when_stopped}" if command is not None and command.when_stopped else ""
        return _complain(f"stopped{fate}", INTERRUPTED)
    except Exception as error:
        return _failed(error)


def _without(error: MissingPackage) -> int:
    """Install the missing package and restart the command, or say how to install it.

    Does not return if the command is restarted. Otherwise returns the exit code.
    """
    if isinstance(error, MissingExtra):
        from hinterland.distribution.adding import add_and_start_again

        with suppress(MissingExtra):
            add_and_start_again(error)
    return _complain(str(error), USAGE)


def _failed(error: Exception) -> int:
    import traceback

    from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES  # only now: most commands need not wait
    from hinterland.crawler.settings import SettingsError

    if isinstance(error, SettingsError):
        return _complain(str(error), USAGE)
    sys.stderr.write(HIDDEN_VALUES.hide("".join(traceback.format_exception(error))))
    return _complain("this is a bug in Hinterland. Stores are safe; `crawl --resume` continues a crawl.", BUG)


def _run(given: Sequence[str], command: Command | None) -> int:
    arguments = parsed(given)
    if command is None:
        parser({}).print_help()
        return OK
    for extra in command.needs:
        require_known("extra", extra, list(EXTRAS))  # commands of plug-ins name theirs, too
    need(*command.needs, by=f"`{arguments.command}`")
    with compiling_notices():
        return runner_of(command).run(arguments)


def _complain(message: str, exit_code: int) -> int:
    print(f"hinterland: {message}", file=sys.stderr)
    return exit_code
