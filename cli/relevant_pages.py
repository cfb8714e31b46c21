"""`--relevant`: of a crawl for a topic only the pages about it."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, share


def add_relevant(command: CommandParser, what: str) -> None:
    """The value is 0.0 if it is not given. what: these pages are."""
    command.add_argument(
        "--relevant",
        nargs="?",
        type=share,
        const=0.5,
        default=0.0,
        metavar="P",
        help=f"of a crawl for a topic {what} that are at least as likely about it (default: 0.5)",
    )
