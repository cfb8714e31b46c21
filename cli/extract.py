"""`extract`: applies rules to the bodies that a store has kept."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hinterland.cli.command_parser import (
    CommandParser,
    add_hook_option,
    add_plugin_option,
    add_settings_options,
    add_store,
)
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output, say
from hinterland.cli.progress_line import ProgressLine
from hinterland.distribution.installation import PROGRAM
from hinterland.library.text.extraction_text import extraction_lines
from hinterland.library.text.wording import counted, json_text, number, printable

if TYPE_CHECKING:
    from hinterland.crawler.parsing.messages import PageDigest
    from hinterland.library.extracting.extracting import ExtractReport
    from hinterland.storage.values.extraction import TableReport

_INTERVAL_SECONDS: Final = 5.0

EXAMPLES = """\
examples:
  python3 run.py extract shop.db --rules shop.toml
      extract fields from the pages of shop.db, into tables of it
  python3 run.py extract shop.db
      again, by the rules of the store: after more crawling, or with a newer version of this program
  python3 run.py extract shop.db --rules shop.toml --check https://shop.example/item/17
      what the rules find in one page; nothing is written
  python3 run.py export shop.db --what records --table product --format csv

Reads page bodies that the store has kept: those of small crawls, or all with --set storage.keep_bodies=true, which a
later `recrawl` accepts, too. `crawl --extract RULES.toml` does the same during the crawl and needs no kept bodies. Each
table is a view of the store: SELECT * FROM x_product. docs/extraction.md describes the rules.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `extract`."""
    add_store(command)
    command.add_argument(
        "--rules", metavar="RULES.toml", help="rules that say what to extract from which pages (default: the store's)"
    )
    add_plugin_option(command)
    add_hook_option(command)
    command.add_argument("--check", metavar="URL", help="show what the rules find in one page, and write nothing")
    command.add_argument("--forget", metavar="TABLE", help="only remove this table, its rules and records")
    command.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Apply rules to kept bodies, test them on one page, or remove a table; returns the exit code."""
    # Imported only now, so that --help need not wait:
    from hinterland.cli.settings_sources import settings_of
    from hinterland.library.extraction import extract, extracted_from, forget_table
    from hinterland.storage.reading.opening import reading

    output = Output(sys.stdout)
    if arguments.forget:
        forget_table(arguments.store, arguments.forget)
        output.write(f"removed {arguments.forget} and its records from {printable(arguments.store)}")
        return OK
    given: dict[str, Any] = {
        "rules": arguments.rules,
        "plugins": arguments.plugins,
        "hooks": arguments.hooks,
        "settings": settings_of(arguments),
        "warn": say,
    }
    if arguments.check:
        output.write(_found(extracted_from(arguments.store, arguments.check, **given)))
        return OK
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:

        def watch(done: int, of: int) -> None:
            progress.update(f"{number(done)} of {number(of)} pages read")

        report = extract(arguments.store, **given, on_progress=watch)
    with reading(Path(arguments.store)) as store:
        tables = [table for table in store.extractions.reports() if table.name in report.tables]
    output.write(_as_json(report, tables) if arguments.json else _as_text(report, tables, arguments.store))
    return OK


def _found(digest: PageDigest) -> str:
    """Return what was found in one page, as JSON."""
    found = {
        each.table: {
            "records": [json.loads(record) for record in each.records],
            "without_value": each.missing,
            **({"problem": each.problem} if each.problem else {}),
        }
        for each in digest.extracted
    }
    return json_text(found)


def _as_text(report: ExtractReport, tables: list[TableReport], store: str) -> str:
    lines = [f"{counted(report.pages, 'page')} read, {counted(report.records, 'record')} found"]
    if report.without_body:
        lines.append(f"  {counted(report.without_body, 'page')} skipped: no body was kept")
    lines += extraction_lines(tables)
    if report.records:
        exported = f"{PROGRAM} export {printable(store)} --what records --table {tables[0].name} --format csv"
        lines += ["", f"Next   {exported}"]
    return "\n".join(lines)


def _as_json(report: ExtractReport, tables: list[TableReport]) -> str:
    return json_text({**asdict(report), "tables": [asdict(table) for table in tables]})
