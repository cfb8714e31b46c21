"""What can be typed, as values: the commands, their options, and what may follow each."""

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
    """What follows an option or stands alone, where it is none of some known words."""

    NONE = "nothing"
    FILE = "a file or a folder"
    SETTING = "the name of a setting, = and its value"
    TEXT = "anything"


@dataclass(frozen=True, slots=True)
class Option:
    """names: as they are typed, --store; the one of a word that stands alone is empty. name_of_value: as --help has
    it. words: what may follow, if that is known, and `value` if not.
    """

    names: tuple[str, ...]
    help: str
    value: Value
    words: tuple[str, ...] = ()
    name_of_value: str = ""
    is_repeatable: bool = False


@dataclass(frozen=True, slots=True)
class CommandWords:
    """options: with -h and --help. others: what may stand without an option."""

    name: str
    help: str
    options: Sequence[Option]
    others: Sequence[Option]


def words_of(
    name: str, help_: str, parser: argparse.ArgumentParser, known: Mapping[str, Sequence[str]]
) -> CommandWords:
    """known: the values of an option by where argparse puts it, such as policy, or model.name if those of another
    command are others.
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
    """The help of an option, as far as it fits beside its name."""
    text = (action.help or "") % {**vars(action), "prog": ""}
    return textwrap.shorten(text.partition(" (default")[0].partition(";")[0], _HELP_WIDTH, placeholder=" …")
