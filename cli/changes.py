"""`changes`: lists the changes that recrawls have found."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.cli.command_parser import CommandParser, add_store, at_least_one
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.library.errors import HinterlandError
from hinterland.library.text.moments import NoMoment, moment_named, since_words
from hinterland.storage.values.history import CHANGE_KINDS

if TYPE_CHECKING:
    from hinterland.storage.values.history import Change


EXAMPLES = """\
examples:
  python3 run.py changes hinterland.db
      what recrawls have found in the last seven days, the newest first
  python3 run.py changes hinterland.db --since 2026-03-01 --kind gone
      pages that are gone since the first of March
  python3 run.py changes --since 12h --json | jq -r .url
      for programs: one line per change

`serve` shows the same in a browser, with a feed at /changes.atom.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `changes`."""
    add_store(command)
    command.add_argument(
        "--since",
        default="7d",
        metavar="WHEN",
        help="changes since a time ago (30m, 12h, 7d, 4w) or a local date such as 2026-03-01 (default: %(default)s)",
    )
    command.add_argument(
        "--kind", action="append", choices=CHANGE_KINDS, default=[], help="only changes of this kind; repeatable"
    )
    command.add_argument(
        "--limit", type=at_least_one, default=100, metavar="N", help="show at most N (default: %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="one JSON object for each change, without a limit")


def run(arguments: Namespace) -> int:
    """List the changes that recrawls have found; returns the exit code.

    Raises HinterlandError and NoStore.
    """
    from hinterland.storage.reading.opening import reading

    now = time.time()
    try:
        since = moment_named(arguments.since, now)
    except NoMoment as error:
        raise HinterlandError(f"--since {error}") from None
    limit = -1 if arguments.json else arguments.limit + 1
    with reading(Path(arguments.store)) as store:
        found = store.history.changes(since, kinds=arguments.kind, limit=limit)
    output = Output(sys.stdout)
    if arguments.json:
        for change in found:
            output.write(json.dumps(_as_json(change), ensure_ascii=True))
    else:
        output.write("\n".join(_lines(found, arguments.limit, arguments.since)))
    return OK


def _lines(found: Sequence[Change], limit: int, since: str) -> list[str]:
    from hinterland.library.text.changes_text import changes_lines

    if not found:
        return [f"No changes found {since_words(since)}."]
    lines = changes_lines(found[:limit])
    return lines if len(found) <= limit else [*lines, f"and more; to see them: --limit {10 * limit}"]


def _as_json(change: Change) -> dict[str, object]:
    at = datetime.fromtimestamp(change.at, UTC).isoformat(timespec="seconds")
    return {**asdict(change), "at": at, "has_before": bool(change.has_before)}
