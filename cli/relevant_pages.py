"""`--relevant`: only the pages that are about the topic of the crawl."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, share


def add_relevant(command: CommandParser, what: str) -> None:
    """Add --relevant, whose value is 0.0 if it is not given. `what` begins its help: what the option restricts."""
    command.add_argument(
        "--relevant",
        nargs="?",
        type=share,
        const=0.5,
        default=0.0,
        metavar="P",
        help=f"of a crawl for a topic {what} that are at least as likely about it (default: 0.5)",
    )
