"""A parser for command lines, and the options that several commands have in common.

The parser suggests what the user probably meant. A search query may contain any word. Pure.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from hinterland.cli.meant_numbers import meant_number
from hinterland.distribution.installation import IS_CHECKOUT, PROGRAM

DEFAULT_STORE: Final = "hinterland.db"

_EXCLUDED = re.compile(r"-(?!-|h$|\d+$).", re.DOTALL)
"""A word such as -windows in a query, which argparse would read as one-letter options. Not -h (a real option) or -5."""
_OF_OTHERS = re.compile(r"--[^-]")
_MOST: Final = 2**63 - 1
"""The largest whole number that stores, indexes and compiled loops can hold."""
_INVALID: Final = re.compile(r"invalid (.+) value: ")
_URL: Final = re.compile(r"https?:|www\.|[\w-]+(\.[\w-]+)+/", re.IGNORECASE)
_OTHER_NAMES: Final = {
    "help": "--help",
    "version": "--version",
    "resume": "crawl --resume",
    "continue": "crawl --resume",
    "fetch": "crawl",
    "spider": "crawl",
    "find": "search",
    "query": "search",
    "stats": "status",
    "info": "status",
    "web": "serve",
    "server": "serve",
    "dump": "export",
    "config": "settings",
    "topics": "topic",
    "pagerank": "rank",
    "update": "recrawl",
    "refresh": "recrawl",
}
"""The command here for names that other programs use."""
_OTHER_OPTIONS: Final = {
    "--to": ("--output", "--out"),
    "-o": ("--output", "--out"),
    "--as": ("--format",),
    "--type": ("--format",),
}
"""The options here that users may mean by an option of another program; a command offers the ones that it has."""
_OTHER_CHOICES: Final = {
    "domain": "site",
    "subdomains": "site",
    "folder": "prefix",
    "path": "prefix",
    "directory": "prefix",
    "all": "web",
    "internet": "web",
    "text": "table",
    "deleted": "gone",
    "removed": "gone",
    "redirected": "moved",
    "modified": "changed",
    "create": "new",
    "learn": "new",
    "ls": "list",
}
"""The choice that users probably mean by a word, for all options."""
_NEAR_CHOICE: Final = 0.5
_MISTYPED: Final = 0.75
"""An option is suggested from this similarity on (0 to 1): --limit for --limt, but not --index for --amend."""
_FILE: Final = re.compile(r"(?:/|\.{1,2}/|~).*|[^:]*\.db")
"""Matches what can only be a file where a URL is expected. Hosts and pages may be the names of files, too."""
_STORE: Final = re.compile(r"--store(?:=|$)")
_URLS: Final = ("url", "urls", "seeds")
"""The names of arguments that take URLs. An argument of one of these names may also take something else than a URL."""
_FILES: Final = {"--store": "the store", "--seeds": "a list of seeds"}
"""The options that take files where users may give files as URLs."""
_MARK: Final = "\0"
"""Put before a word so that argparse does not read it as an option. No argument can contain it."""


_TYPES: Final = {"int": "whole number", "float": "number"}
"""The name of a type in argparse -> its name in messages."""
_USAGE_ERROR: Final = 2
_NAMED: Final = 3
"""When other commands have an option that this one lacks, a message names at most this many of them."""


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are one line that says what the user probably meant.

    `query` is the name of an argument whose words may stand between and after options, and may begin with a dash; None
    if the command has no such argument. `commands_with` returns the names of the commands that have a given option; the
    message about an unknown option names them.
    """

    query: str | None = None
    commands_with: Callable[[str], Sequence[str]] = staticmethod(lambda _option: ())

    def error(self, message: str) -> NoReturn:
        """End the program with one line that says what is wrong and where to read more."""
        message = message.removeprefix("argument ").strip()
        end = "" if message.endswith("?") else ";"
        print(f"hinterland: {message}{end} see {self.prog} --help", file=sys.stderr)
        sys.exit(_USAGE_ERROR)

    def parse_known_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse the arguments; end the program with an error if one is unknown."""
        given = list(args or ())
        if self.query is None:
            found, others = super().parse_known_args(given, namespace)
        else:
            found, others = super().parse_known_args(self._with_marks(given), namespace)
            for value in vars(found).values():
                if isinstance(value, str) and value.startswith(_MARK):  # where the query cannot continue
                    unknown = value.removeprefix(_MARK)
                    self._check_store(found, [unknown])
                    self.error(self._unknown(unknown))
            words = [each for each in others if not each.startswith("--")]
            query = [each.removeprefix(_MARK) for each in (*getattr(found, self.query), *words)]
            setattr(found, self.query, query)
            others = [each for each in others if each.startswith("--")]
        self._check_store(found, others)
        if others:
            self.error(self._unknown(others[0]))
        return found, []

    def option_names(self) -> frozenset[str]:
        """Return all options of the command, in the form in which they are typed."""
        return frozenset(self._option_string_actions)

    def check_command(self, name: str, known: Iterable[str]) -> None:
        """End the program with an error if no command has this name."""
        names = list(known)
        if name in names:
            return
        if name.lower() in _OTHER_NAMES:
            self.error(f"no command {name!r}; did you mean {_OTHER_NAMES[name.lower()]}?")
        if _URL.match(name):
            self.error(f"no command {name!r}; to crawl it: {PROGRAM} crawl {name}")
        if name.endswith(".db"):
            self.error(f"no command {name!r}; to see what is in it: {PROGRAM} status {name}")
        near = difflib.get_close_matches(name.lower(), names, 1)
        self.error(f"no command {name!r}; did you mean {near[0]}?" if near else f"no command {name!r}")

    def _check_store(self, found: argparse.Namespace, others: Sequence[str]) -> None:
        """End the program with an error if the store was given in a way that only other commands accept."""
        options = self.option_names()
        values = [getattr(found, name, None) for name in _URLS]
        urls = [each for value in values for each in (value if isinstance(value, list) else [value])]
        file = next((each for each in urls if isinstance(each, str) and _FILE.fullmatch(each)), None)
        ways = [f"{option} {file} for {what}" for option, what in _FILES.items() if option in options]
        if file is not None and ways:
            self.error(f"{file!r} is a file, not a URL; write {' or '.join(ways)}")
        if hasattr(found, "store") and "--store" not in options and any(map(_STORE.match, others)):
            self.error("no option --store; write the store's FILE without it")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = list(map(str, action.choices))
        other = _OTHER_CHOICES.get(str(value).lower(), "")
        near = [other] if other in choices else difflib.get_close_matches(str(value).lower(), choices, 1, _NEAR_CHOICE)
        near = near or [each for each in choices if each.startswith(str(value).lower())][:1]
        meant = f"; did you mean {near[0]}?" if near else ""
        raise argparse.ArgumentError(action, f"{str(value)!r} is not one of {', '.join(choices)}{meant}")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            value = super()._get_value(action, arg_string)
            if isinstance(value, int) and not -_MOST <= value <= _MOST:
                raise argparse.ArgumentError(action, f"{arg_string!r} is out of range: at most {_MOST:,}")
            return value
        except argparse.ArgumentError as error:
            found = _INVALID.match(error.message)
            kind = found and _TYPES.get(found[1], found[1])
            if kind not in _TYPES.values():
                raise
            number = meant_number(arg_string, is_whole=kind == "whole number")
            meant = f"; did you mean {number}?" if number else ""
            raise argparse.ArgumentError(action, f"{arg_string!r} is not a {kind}{meant}") from None

    def _with_marks(self, given: list[str]) -> list[str]:
        """Return the arguments, with a mark before each word of the query that begins with a dash.

        Such a word excludes pages (-windows), or is an option of another program that the user searches for (--amend).
        If the word before it is an option that takes a value, it is this value and gets no mark.
        """
        takes_value = {name for name, action in self._option_string_actions.items() if action.nargs != 0}
        return [
            _MARK + each if self._is_word_of_query(each) and before not in takes_value else each
            for before, each in zip(["", *given], given, strict=False)
        ]

    def _is_word_of_query(self, argument: str) -> bool:
        if _EXCLUDED.match(argument):
            return True
        name = argument.partition("=")[0]
        is_ours = any(
            own.startswith(name) for own in self._option_string_actions
        )  # argparse also accepts unambiguous beginnings
        return _OF_OTHERS.match(name) is not None and not is_ours and not self._near(name, _MISTYPED)

    def _near(self, option: str, cutoff: float) -> list[str]:
        return difflib.get_close_matches(option, self._option_string_actions, 1, cutoff)

    def _unknown(self, argument: str) -> str:
        if not argument.startswith("-"):
            return f"unexpected argument {argument!r}"
        if Path(argument).exists():
            return f"{argument!r} begins with a hyphen, as options do; write ./{argument}"
        option = argument.partition("=")[0]
        meant = [each for each in _OTHER_OPTIONS.get(option, ()) if each in self.option_names()]
        near = meant or self._near(option, _MISTYPED)
        others = () if near else self.commands_with(option)
        near = near or ([] if others else self._near(option, 0.5))
        if others:
            named = [*others[:_NAMED], *(["others"] if len(others) > _NAMED else [])]
            return f"no option {option}; {_listed(named)} {'has' if len(named) == 1 else 'have'} it"
        return f"no option {option}" + (f"; did you mean {near[0]}?" if near else "")


def _listed(names: Sequence[str]) -> str:
    """Return names joined as in a sentence: "a, b and c"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def add_store(command: argparse.ArgumentParser) -> None:
    """Add the argument FILE, the store that a command reads."""
    command.add_argument(
        "store", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)"
    )


def add_also(command: argparse.ArgumentParser) -> None:
    """Add the option --also: further stores whose indexes are searched."""
    command.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="FILE",
        help="also search the index of this store, as if all stores were one; repeatable",
    )


def add_settings_options(command: argparse.ArgumentParser) -> None:
    """Add --settings and --set."""
    usual = "settings.toml beside run.py" if IS_CHECKOUT else "your own and ./settings.toml"
    command.add_argument("--settings", metavar="FILE", help=f"read this settings file instead of {usual}")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="SECTION.KEY=VALUE",
        help="override one setting; repeatable",
    )


def add_plugin_option(command: argparse.ArgumentParser) -> None:
    """Add --plugin, which may be repeated."""
    command.add_argument(
        "--plugin",
        action="append",
        default=[],
        dest="plugins",
        metavar="FILE",
        help="run this Python file and use its plug-ins; repeatable",
    )


def add_hook_option(command: argparse.ArgumentParser) -> None:
    """Add --hook, which may be repeated."""
    command.add_argument(
        "--hook",
        action="append",
        default=[],
        dest="hooks",
        metavar="NAME",
        help="fill a table with this installed hook; hooks of a --plugin FILE need not be named; repeatable",
    )


def at_least_one(text: str) -> int:
    """Return a whole number of at least 1; thousands may be separated by "," or "_"."""
    number = int(text.replace(",", "").replace("_", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def share(text: str) -> float:
    """Return a number above 0 and at most 1."""
    number = float(text)
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError("must be above 0 and at most 1")
    return number


def positive(text: str) -> float:
    """Return a finite number greater than 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be greater than 0")
    return number


def count(text: str) -> int:
    """Return a whole number that is not negative; thousands may be separated by "," or "_"."""
    number = int(text.replace(",", "").replace("_", ""))
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number


count.__name__ = "whole number"
at_least_one.__name__ = "whole number"  # argparse names the type in its messages
share.__name__ = positive.__name__ = "number"
