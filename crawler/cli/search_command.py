"""`search`: the pages of a store that answer a query."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from crawler.cli.exit_codes import OK, STORE, USAGE, CommandError
from crawler.cli.output import Output
from crawler.cli.search_text import as_text
from crawler.cli.settings_sources import settings_of
from crawler.search.answers import QueryError
from crawler.search.index_folder import IndexFolder, NoIndex, default_folder
from crawler.search.searcher import SearchIndex

_MARK = ("\x1b[1m", "\x1b[0m")


def run(arguments: Namespace) -> int:
    settings = settings_of(arguments).settings.search
    store = Path(arguments.store)
    folder = IndexFolder(Path(arguments.index)) if arguments.index else default_folder(store)
    try:
        index = SearchIndex(folder, settings)
        answer = index.search(
            " ".join(arguments.query), limit=arguments.limit, offset=arguments.offset, explain=arguments.explain
        )
    except NoIndex as error:
        raise CommandError(str(error), STORE) from error
    except QueryError as error:
        raise CommandError(str(error), USAGE) from error
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json.dumps(asdict(answer), ensure_ascii=False, indent=2))
    else:
        is_bold = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        output.write(as_text(answer, marks=_MARK if is_bold else ("", ""), with_parts=arguments.explain))
    return OK
