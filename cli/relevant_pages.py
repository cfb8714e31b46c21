"""`--relevant`: only the pages that are about the topic of the crawl."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, share


def add_relevant(command: CommandParser, what: str) -> None:
    """Add --relevant, whose default is 0.0. Its help begins with `what`, which names what the option restricts."""
    command.add_argument(
        "--relevant",
        nargs="?",
        type=share,
        const=0.5,
        default=0.0,
        metavar="P",
        help=f"{what} at least this likely to be on topic (0.5 if P is left out)",
    )
