"""`simulate` and `evaluate`: try policies and estimators on stored graphs."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, add_plugin_option, at_least_one


def add_strategies(command: CommandParser) -> None:
    """Add the options that `simulate` and `evaluate` share."""
    command.add_argument("--policies", metavar="NAME,...", help="which policies (default: all)")
    command.add_argument("--estimators", metavar="NAME,...", help="which estimators (default: all)")
    command.add_argument(
        "--iterations",
        type=at_least_one,
        default=25,
        metavar="T",
        help="rounds in which the pages are chosen and crawled (default: %(default)s)",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of all random draws (default: %(default)s)"
    )
    command.add_argument("--json", metavar="FILE", help="write all measurements to FILE")
    add_plugin_option(command)
