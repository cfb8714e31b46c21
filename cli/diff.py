"""`diff`: shows the text of a page before and after a change."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, at_least_one
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.library.errors import StoreUnusable
from hinterland.library.text.wording import counted, printable

EXAMPLES = """\
examples:
  python3 run.py diff https://docs.example.org/a
      how the text of a page of hinterland.db last changed
  python3 run.py diff https://docs.example.org/a --back 2
      the last two changes together
  python3 run.py diff https://docs.example.org/a --store other.db --text
      the whole text as it was before

revisits.keep_texts says how many earlier texts of a page are kept. Words in [-brackets-] are gone, those in
{+braces+} are new, as in git diff --word-diff.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `diff`."""
    command.add_argument("url", metavar="URL", help="a page of the store")
    command.add_argument("--store", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)")
    command.add_argument(
        "--back", type=at_least_one, default=1, metavar="N", help="go N changes back (default: %(default)s)"
    )
    command.add_argument("--text", action="store_true", help="show the earlier text instead of the differences")


_CHANGES_SHOWN = 10


def run(arguments: Namespace) -> int:
    """Show how the text of a page has changed; returns the exit code.

    Raises HinterlandError and NoStore.
    """
    from hinterland.crawler.urls.canonical import Canonicaliser
    from hinterland.library.text.changes_text import changes_lines
    from hinterland.library.text.diff_text import marked, pieces
    from hinterland.storage.reading.opening import reading
    from hinterland.storage.values.compression import unpacked
    from hinterland.storage.values.versions import VersionLost

    with reading(Path(arguments.store)) as store:
        canonical = Canonicaliser(max_length=100_000).canonical(arguments.url) or arguments.url
        number = store.pages.number_of(canonical)
        if number is None:
            raise StoreUnusable(f"{arguments.store} has no page {printable(arguments.url)}")
        history = store.history.changes_of(number)
        try:
            before = store.history.text_before(number, arguments.back)
        except VersionLost as error:
            raise StoreUnusable(f"{printable(arguments.url)}: {error}") from None
        now = unpacked(store.history.packed_text(number))
    output = Output(sys.stdout)
    if arguments.text:
        output.write(printable_lines(before))
        return OK
    output.write("\n".join([*changes_lines(history[:_CHANGES_SHOWN]), ""]))
    lines = marked(pieces(before.split(), now.split()))
    output.write("\n".join(printable(line) for line in lines) if lines else "The texts are the same.")
    if len(history) > _CHANGES_SHOWN:
        output.write(f"and {counted(len(history) - _CHANGES_SHOWN, 'earlier change')}")
    return OK


def printable_lines(text: str) -> str:
    """Return the lines of an untrusted text without control characters."""
    return "\n".join(printable(line) for line in text.splitlines())
