"""`changes`: what looking again has found."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, add_store, at_least_one
from hinterland.storage.values.history import CHANGE_KINDS

EXAMPLES = """\
examples:
  python3 run.py changes hinterland.db
      what recrawls have found in the last seven days, the newest first
  python3 run.py changes hinterland.db --since 2026-03-01 --kind gone
      pages that are gone since the first of March
  python3 run.py changes --since 12h --json | jq -r .url
      for programs, a line for each

`serve` shows the same, and has it as a feed at /changes.atom.
"""


def add_arguments(command: CommandParser) -> None:
    add_store(command)
    command.add_argument(
        "--since",
        default="7d",
        metavar="WHEN",
        help="so long ago (30m, 12h, 7d, 4w), or a date such as 2026-03-01, by the local clock (default: %(default)s)",
    )
    command.add_argument(
        "--kind", action="append", choices=CHANGE_KINDS, default=[], help="only changes of this kind; repeatable"
    )
    command.add_argument(
        "--limit", type=at_least_one, default=100, metavar="N", help="show at most so many (default: %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="one JSON object for each change, without a limit")
