"""A parser of command lines that says what was probably meant, and lets a query hold any word; and the options that
several commands share. Pure."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Iterable
from typing import Any, Final

from crawler.installation import IS_CHECKOUT

DEFAULT_STORE: Final = "hinterland.db"

_EXCLUDED = re.compile(r"-(?!-|h$|\d+$).", re.DOTALL)
"""-word in a query, which argparse would take for options of one letter. Not -h, which is one, and -5, a number."""
_OF_OTHERS = re.compile(r"--[^-]")
_MISTYPED: Final = 0.75
"""How similar a misspelt option is at least to the one that is meant: --limt to --limit, but not --amend to --index."""
_MARK: Final = "\0"
"""Put before a word so that argparse does not take it for an option; no argument can contain it."""


class CommandParser(argparse.ArgumentParser):
    """query: the name of an argument whose words may stand between and after options, and may begin with a dash; None
    if the command has no such argument."""

    query: str | None = None

    def parse_known_args(self, args: Iterable[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:
        given = list(args or ())
        if self.query is None:
            found, others = super().parse_known_args(given, namespace)
        else:
            found, others = super().parse_known_args(self._with_marks(given), namespace)
            words = [each for each in others if not each.startswith("--")]
            query = [each.removeprefix(_MARK) for each in (*getattr(found, self.query), *words)]
            setattr(found, self.query, query)
            others = [each for each in others if each.startswith("--")]
        if others:
            self.error(self._unknown(others[0]))
        return found, []

    def check_command(self, name: str, known: Iterable[str]) -> None:
        """End the program with an error if there is no command of this name."""
        names = list(known)
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            self.error(f"no command {name!r}; {meant}")

    def _with_marks(self, given: list[str]) -> list[str]:
        """The arguments, with a mark before each word of the query that begins with a dash: words to leave out, and
        options of other programs. A word after an option that takes a value is that value."""
        takes_value = {name for name, action in self._option_string_actions.items() if action.nargs != 0}
        return [
            _MARK + each if self._is_word_of_query(each) and before not in takes_value else each
            for before, each in zip(["", *given], given, strict=False)
        ]

    def _is_word_of_query(self, argument: str) -> bool:
        if _EXCLUDED.match(argument):
            return True
        name = argument.partition("=")[0]
        is_ours = any(own.startswith(name) for own in self._option_string_actions)  # argparse takes beginnings, too
        return _OF_OTHERS.match(name) is not None and not is_ours and not self._near(name, _MISTYPED)

    def _near(self, option: str, cutoff: float) -> list[str]:
        return difflib.get_close_matches(option, self._option_string_actions, 1, cutoff)

    def _unknown(self, argument: str) -> str:
        if not argument.startswith("-"):
            return f"{argument!r} is one argument too many"
        option = argument.partition("=")[0]
        near = self._near(option, 0.5)
        return f"no option {option}; " + (f"did you mean {near[0]}?" if near else "--help shows what there is")


def add_store(command: argparse.ArgumentParser) -> None:
    """Add the argument FILE, the store that a command reads."""
    command.add_argument(
        "store", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)"
    )


def add_also(command: argparse.ArgumentParser) -> None:
    """Add the option --also, further stores whose indexes are searched."""
    command.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="FILE",
        help="search the index of this store, too, as if all were one (may be repeated)",
    )


def add_settings_options(command: argparse.ArgumentParser) -> None:
    usual = "settings.toml beside run.py" if IS_CHECKOUT else "your own and ./settings.toml"
    command.add_argument("--settings", metavar="FILE", help=f"a settings file instead of {usual}")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="SECTION.KEY=VALUE",
        help="override one setting; repeatable",
    )


def at_least_one(text: str) -> int:
    number = int(text.replace(",", "").replace("_", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def share(text: str) -> float:
    number = float(text)
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError("must be above 0 and at most 1")
    return number


def positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be greater than 0")
    return number


def count(text: str) -> int:
    number = int(text.replace(",", "").replace("_", ""))
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number


count.__name__ = "whole number"
at_least_one.__name__ = "whole number"  # argparse names the type in its messages
positive.__name__ = "number"
