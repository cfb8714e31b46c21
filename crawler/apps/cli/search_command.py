"""`search`: the pages of a store that answer a query."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from crawler.apps.cli.exit_codes import OK, STORE, USAGE, CommandError
from crawler.apps.cli.index_sources import index_to_search
from crawler.apps.cli.output import Output
from crawler.apps.cli.search_text import as_text
from crawler.apps.cli.settings_sources import settings_of
from crawler.apps.search.answers import QueryError
from crawler.apps.search.index.index_folder import IndexFolder, NoIndex
from crawler.apps.search.index.searcher import SearchIndex
from crawler.apps.text.next_commands import RUN
from crawler.apps.text.wording import json_text, printable

_MARK = ("\x1b[1m", "\x1b[0m")


def run(arguments: Namespace) -> int:
    settings = settings_of(arguments).settings.search
    store = Path(arguments.store)
    folder = index_to_search(arguments)
    try:
        index = SearchIndex(folder, settings, store=store)
        answer = index.search(
            " ".join(arguments.query), limit=arguments.limit, offset=arguments.offset, explain=arguments.explain
        )
    except NoIndex as error:
        raise CommandError(f"{error}{_way_out(arguments, folder)}", STORE) from error
    except QueryError as error:
        raise CommandError(str(error), USAGE) from error
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json_text(asdict(answer)))
    else:
        is_bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        output.write(as_text(answer, marks=_MARK if is_bold else ("", ""), with_parts=arguments.explain))
    return OK


def _way_out(arguments: Namespace, folder: IndexFolder) -> str:
    """The command that makes the index, if there is none."""
    if folder.card.exists():
        return ""
    if not Path(arguments.store).exists():
        named = next((word for word in arguments.query if Path(word).is_file()), "FILE")
        order = f"the store comes first: search {shlex.quote(named)} WORDS"
        return f", and no store {printable(arguments.store)} to make it of; {order}"
    where = f" --index {shlex.quote(arguments.index)}" if arguments.index else ""
    return f"; make it:\n  {RUN} index {shlex.quote(arguments.store)}{where}"
