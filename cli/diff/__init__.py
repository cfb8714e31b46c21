"""`diff`: a page before and after."""

from __future__ import annotations

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, at_least_one

EXAMPLES = """\
examples:
  python3 run.py diff https://docs.example.org/a
      what the last change to a page of hinterland.db made of its text
  python3 run.py diff https://docs.example.org/a --back 2
      the last two changes together
  python3 run.py diff https://docs.example.org/a --store other.db --text
      the whole text as it was before

So many earlier texts of a page are kept as revisits.keep_texts says. Words in [-brackets-] are gone, those in
{+braces+} are new, as in git diff --word-diff.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument("url", metavar="URL", help="a page of the store")
    command.add_argument("--store", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)")
    command.add_argument(
        "--back", type=at_least_one, default=1, metavar="N", help="go N changes back (default: %(default)s)"
    )
    command.add_argument("--text", action="store_true", help="show the text as it was before, and not what differs")
