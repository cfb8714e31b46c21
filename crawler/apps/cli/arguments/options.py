"""Options that several commands share, and the types of their values. Pure."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from crawler.apps.cli.arguments.command_parser import CommandParser

DEFAULT_STORE = "hinterland.db"

Commands: TypeAlias = "argparse._SubParsersAction[CommandParser]"
"""What add_subparsers returns."""


def add_command(commands: Commands, name: str, help_: str, epilog: str) -> CommandParser:
    """A command NAME; it is run by the function `run` of the module crawler.apps.cli.NAME_command."""
    return commands.add_parser(
        name,
        help=help_,
        description=f"{help_[0].upper()}{help_[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def add_settings_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--settings", metavar="FILE", help="a settings file instead of settings.toml beside run.py"
    )
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
        raise argparse.ArgumentTypeError("at least 1, please")
    return number


def positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("a number greater than 0, please")
    return number


def count(text: str) -> int:
    number = int(text.replace(",", "").replace("_", ""))
    if number < 0:
        raise argparse.ArgumentTypeError("not below 0, please")
    return number


count.__name__ = "whole number"
at_least_one.__name__ = "whole number"  # argparse names the type in its messages
positive.__name__ = "number"
