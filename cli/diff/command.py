"""The run of `diff`."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.library.errors import StoreUnusable
from hinterland.library.text.changes_text import changes_lines
from hinterland.library.text.diff_text import marked, pieces
from hinterland.library.text.wording import counted, printable
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.compression import unpacked
from hinterland.storage.values.versions import VersionLost

_CHANGES_SHOWN = 10


def run(arguments: Namespace) -> int:
    """Raises HinterlandError and NoStore."""
    with reading(Path(arguments.store)) as store:
        canonical = Canonicaliser(max_length=100_000).canonical(arguments.url) or arguments.url
        number = store.pages.number_of(canonical)
        if number is None:
            raise StoreUnusable(f"{arguments.store} does not know {printable(arguments.url)}")
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
    """A text of a stranger, line by line."""
    return "\n".join(printable(line) for line in text.splitlines())
