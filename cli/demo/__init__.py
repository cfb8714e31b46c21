"""`demo`: crawls a small web of many hosts on loopback, and suggests what to do next."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser

EXAMPLES = """\
example:
  python3 run.py demo

Serves a small web of a dozen hosts on 127.0.0.1, crawls it and says what to do next. Takes a few seconds.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `demo`."""
    command.add_argument(
        "--store",
        default="demo.db",
        metavar="FILE",
        help="the link store; one made by an earlier demo is replaced (default: %(default)s)",
    )
