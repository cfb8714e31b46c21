"""The words of a command line as values: commands, their options, and what may follow each option."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

_HELP_WIDTH: Final = 70
_FILES: Final = frozenset({"FILE", "DIR", "PATH", "GRAPH", "RULES.toml"})
_SETTING: Final = "SECTION.KEY=VALUE"


class Value(Enum):
    """The kind of value that an option or a positional argument takes if its possible values are not known."""

    NONE = "nothing"
    FILE = "a file or a folder"
    SETTING = "the name of a setting, = and its value"
    TEXT = "anything"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command, or a positional argument.

    `names` are the forms in which the option is typed, such as --store; empty for a positional argument.
    `name_of_value` is the name of its value in --help. `words` are its possible values, if known; otherwise `value`
    says what kind of value it takes.
    """

    names: tuple[str, ...]
    help: str
    value: Value
    words: tuple[str, ...] = ()
    name_of_value: str = ""
    is_repeatable: bool = False


@dataclass(frozen=True, slots=True)
class CommandWords:
    """A command. `options` includes -h and --help; `others` are its positional arguments."""

    name: str
    help: str
    options: Sequence[Option]
    others: Sequence[Option]


def words_of(
    name: str, help_: str, parser: argparse.ArgumentParser, known: Mapping[str, Sequence[str]]
) -> CommandWords:
    """Return the words that may be typed after a command.

    `known` maps options to their possible values. A key is argparse's name of the option, such as "policy". If the
    values depend on the command, the key is the command and the name, such as "model.name".
    """
    # argparse has no public way to ask for them; shtab and argcomplete read the same list.
    found = [
        _option(action, known.get(f"{name}.{action.dest}") or known.get(action.dest, ())) for action in parser._actions
    ]
    return CommandWords(name, help_, [each for each in found if each.names], [each for each in found if not each.names])


def _option(action: argparse.Action, known: Sequence[str]) -> Option:
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if action.nargs == 0:
        value = Value.NONE
    elif metavar in _FILES:
        value = Value.FILE
    elif metavar == _SETTING:
        value = Value.SETTING
    else:
        value = Value.TEXT
    words = tuple(map(str, action.choices or known))
    is_repeatable = isinstance(action, argparse._AppendAction) or action.nargs in ("*", "+")
    return Option(tuple(action.option_strings), _short(action), value, words, metavar, is_repeatable)


def _short(action: argparse.Action) -> str:
    """Return the help of an option, cut to the space beside its name."""
    text = (action.help or "") % {**vars(action), "prog": ""}
    return textwrap.shorten(text.partition(" (default")[0].partition(";")[0], _HELP_WIDTH, placeholder=" …")
