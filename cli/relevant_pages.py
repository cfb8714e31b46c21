"""`--relevant`: of a crawl for a topic only the pages about it."""

from __future__ import annotations

from pathlib import Path

from hinterland.cli.command_parser import CommandParser, share
from hinterland.cli.exit_codes import CommandError
from hinterland.storage.reading.opening import reading


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


def require_topic(store: Path) -> None:
    """Raises CommandError, and what opening a store raises."""
    with reading(store) as reader:
        if reader.topics.topic() is None:
            raise CommandError(
                f"--relevant: the crawl in {store} has no topic, so no page was judged; `topic judge` can do that now"
            )
