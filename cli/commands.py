"""The command line: which commands there are, which was meant, and what its errors look like.

A new command is a module with EXAMPLES, add_arguments and run, and a line in a group of GROUPS. If its work needs
packages that --help should not wait for, it is a folder: the first two are in its __init__, and run is in its module
`command`. Only what the command asked for needs is imported: `--help` and `status` do not wait for the packages of a
crawl.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Final, Protocol, cast

from hinterland.cli.command_parser import CommandParser
from hinterland.cli.compiling_notice import compiling_told
from hinterland.cli.ctrl_c import interruptible, terminable
from hinterland.cli.exit_codes import BUG, INTERRUPTED, OK, STORE, USAGE
from hinterland.cli.output import flush, open_standard_streams
from hinterland.crawler import __version__
from hinterland.distribution.installation import PROGRAM, as_called
from hinterland.library.errors import HinterlandError
from hinterland.storage.no_store import NoStore


class Explains(Protocol):
    """What the module of a command has for --help. EXAMPLES: what it ends with."""

    EXAMPLES: str

    def add_arguments(self, command: CommandParser) -> None:
        """Say what the command understands."""


class Runs(Protocol):
    """What carries a command out."""

    def run(self, arguments: Namespace) -> int:
        """Carry it out; returns its exit code. `arguments.command_line` holds the words as they were given."""


@dataclass(frozen=True, slots=True)
class Command:
    """module: below cli, or in the laboratory. has_loop: its event loop handles Ctrl-C. when_stopped: what happens to
    its work then."""

    module: str
    help: str
    has_loop: bool = False
    when_stopped: str = ""


GROUPS: Final[Mapping[str, Mapping[str, Command]]] = {
    "Crawl": {
        "crawl": Command("crawl", "crawl from seed URLs into a link store, or go on with a crawl", has_loop=True),
        "recrawl": Command("recrawl", "look at the pages of a store again, and read what has changed", has_loop=True),
        "status": Command("status", "tell how a crawl stands or ended"),
        "explain": Command("explain", "tell what would happen to a URL, and why", has_loop=True),
        "demo": Command("demo", "crawl a small web that comes with Hinterland, without the internet", has_loop=True),
    },
    "Search and look": {
        "index": Command(
            "index",
            "build or update the search index of a store",
            when_stopped="everything read and indexed so far is kept, and the same command goes on from there",
        ),
        "search": Command("search", "search the pages of a store"),
        "serve": Command("serve", "show a store in a browser: search, pages, hosts, its crawl live", has_loop=True),
        "links": Command("links", "tell which pages a page links to, and which link to it"),
        "rank": Command(
            "rank", "rank the pages of a domain as the web sees them", when_stopped="the ranks are not stored"
        ),
    },
    "Changes": {
        "changes": Command("changes", "list pages that are new, changed, moved or gone"),
        "diff": Command("diff", "show how the text of a page has changed"),
    },
    "Take out and hand on": {
        "extract": Command(
            "extract",
            "take fields out of kept pages by rules, into tables of the store",
            has_loop=True,
            when_stopped="what was read so far is kept, and the same command reads all again",
        ),
        "export": Command(
            "export", "export pages and links: CSV, Parquet, JSON, graphs, ...", when_stopped="no file was written"
        ),
        "import": Command(
            "import_",
            "import archives of others: WARC, WAT, CDXJ",
            has_loop=True,
            when_stopped="everything taken in so far is kept, and the same command adds the rest",
        ),
    },
    "Topics": {
        "topic": Command(
            "topic", "teach what a topic is, by words or pages", when_stopped="answers given so far are kept"
        ),
    },
    "Set-up": {
        "settings": Command("settings", "show the settings that hold, and where each comes from"),
        "plugins": Command("plugins", "tell which plug-ins there are, and whether they can be used"),
        "completion": Command("completion", "print what bash, zsh or fish need to complete command lines"),
    },
    "Research": {
        "report": Command(
            "lab.commands.report", "describe the structure of a graph: degrees, distances, bow tie, crawl bias"
        ),
        "hubs": Command(
            "lab.commands.hubs", "find the hubs and authorities of a query: HITS on what a search finds and its links"
        ),
        "communities": Command("lab.commands.communities", "find communities: pages that link to the same pages"),
        "quality": Command("lab.commands.quality", "tell how early a crawl found the pages that matter most"),
        "sample": Command("lab.commands.sample", "draw pages nearly uniformly, by a random walk"),
        "simulate": Command("lab.commands.experiments.simulate", "try policies on one local domain of a stored graph"),
        "evaluate": Command(
            "lab.commands.experiments.evaluate", "compare policies and estimators on all local domains of stored graphs"
        ),
        "model": Command(
            "lab.commands.model", "draw a graph from a model of the web", when_stopped="no file was written"
        ),
    },
}
"""The commands by what they are for, in the order of --help."""

COMMANDS: Final = {name: command for group in GROUPS.values() for name, command in group.items()}

_START = """\
the first two things to try:
  python3 run.py demo
      a crawl of a small web that comes with Hinterland; needs no internet
  python3 run.py crawl https://your.site.example/ --max-pages 100
      a polite crawl of a real site into hinterland.db

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
    finally:
        flush(sys.stdout)


def parsed(given: Sequence[str]) -> Namespace:
    """The command line without the name of the program; ends the program for --help and mistakes.

    `command` of what it returns is None if none was given.
    """
    name = _command_name(given)
    top = parser([] if name is None else [name])
    if name is not None:
        top.check_command(name, COMMANDS)
    arguments = top.parse_args(given)
    arguments.command_line = list(given)
    return arguments


def parser(in_full: Iterable[str] = COMMANDS) -> CommandParser:
    """The parser of the whole command line. in_full: the commands whose arguments it knows and whose modules it
    imports; of the others it knows only what --help lists."""
    top = CommandParser(
        prog=PROGRAM,
        usage="%(prog)s [-h] [--version] COMMAND ...",
        description=(
            "Hinterland: a focused web crawler that keeps pages and links in one SQLite file.\n\n" + _list_of_commands()
        ),
        epilog=as_called(_START),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"Hinterland {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", help=argparse.SUPPRESS)
    names = set(in_full)
    for name, command in COMMANDS.items():
        one = commands.add_parser(
            name,
            prog=f"{PROGRAM} {name}",
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name in names:
            module = module_of(name)
            one.epilog = as_called(module.EXAMPLES)
            one.commands_with = commands_with
            module.add_arguments(one)
    return top


def _list_of_commands() -> str:
    width = max(map(len, COMMANDS)) + 2
    lines = []
    for group, commands in GROUPS.items():
        lines.append(f"{group}:")
        lines += [f"  {name:{width}}{command.help}" for name, command in commands.items()]
    return "\n".join(lines)


def commands_with(option: str) -> list[str]:
    """The commands that have an option. Imports the modules of all of them."""
    found = []
    for name in COMMANDS:
        one = CommandParser(add_help=False)
        module_of(name).add_arguments(one)
        if option in one.option_names():
            found.append(name)
    return found


def module_of(name: str) -> Explains:
    """The module of a command, imported only now."""
    return cast(Explains, _imported(_path_of(name)))


def runner_of(name: str) -> Runs:
    """What carries a command out, imported only now: its module or, if that is a folder, the one that is `command`."""
    module = module_of(name)
    if not hasattr(module, "run"):
        return cast(Runs, _imported(f"{_path_of(name)}.command"))
    return cast(Runs, module)


def _path_of(name: str) -> str:
    module = COMMANDS[name].module
    return f"hinterland.{module}" if module.startswith("lab.") else f"{__package__}.{module}"


def _imported(path: str) -> ModuleType:
    """A module and all that it imports. That stays, so nobody need look for garbage in it: to do so again and again
    took a fifth of the time."""
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
    command = COMMANDS.get(_command_name(given) or "")
    try:
        if command is None or command.has_loop:
            return _run(given)
        with interruptible() as ctrl_c:
            try:
                return _run(given)
            except Exception as error:
                if ctrl_c.is_pressed:
                    raise KeyboardInterrupt from error
                raise
    except HinterlandError as error:
        return _complain(str(error), error.exit_code)
    except NoStore as error:
        return _complain(str(error), STORE)
    except KeyboardInterrupt:
        fate = f"; {command.when_stopped}" if command is not None and command.when_stopped else ""
        return _complain(f"stopped{fate}", INTERRUPTED)
    except Exception as error:
        return _failed(error)


def _failed(error: Exception) -> int:
    import traceback

    from hinterland.crawler.settings import SettingsError  # only now: what does without settings need not wait for them

    if isinstance(error, SettingsError):
        return _complain(str(error), USAGE)
    traceback.print_exception(error)
    return _complain("this is a bug in Hinterland. Stores are safe; --resume goes on.", BUG)


def _run(given: Sequence[str]) -> int:
    arguments = parsed(given)
    if arguments.command is None:
        parser([]).print_help()
        return OK
    with compiling_told():
        return runner_of(arguments.command).run(arguments)


def _complain(message: str, exit_code: int) -> int:
    print(f"hinterland: {message}", file=sys.stderr)
    return exit_code
