"""`import`: reads archives from other tools into a link store."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Final

from hinterland.cli.command_parser import (
    DEFAULT_STORE,
    CommandParser,
    add_hook_option,
    add_plugin_option,
    add_settings_options,
)
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.importing.formats import FORMATS, INDEX_ANSWER
from hinterland.library.text.wording import counted, number, printable, table

if TYPE_CHECKING:
    from hinterland.library.importing.importing import ImportReport

_INTERVAL_SECONDS: Final = 5.0
_SUFFIXES: Final = (*(suffix for each in FORMATS for suffix in each.suffixes), INDEX_ANSWER)
_HOLDS: Final = "\n".join(f"  {each.name:5} {each.holds}" for each in FORMATS)

EXAMPLES = f"""\
formats:
{_HOLDS}

examples:
  python3 run.py import archive/*.warc.gz --store new.db
      archives made by wget, Heritrix, browsertrix or crawl --warc; every host in them is local
  python3 run.py import cc.warc.gz --store new.db --scope site --local https://docs.example.org/
      the site example.org is local, all other sites are its hinterland
  python3 run.py import crawl.warc.wat.gz --store links.db
      links and titles only, without texts
  python3 run.py import answer.jsonl --store cc.db
      the records that Common Crawl's index named in its answer, each by its range of bytes
  python3 run.py import archive/ --store shop.db --extract shop.toml
      also fill tables with what the rules in shop.toml find on its pages; see extract

Afterwards `rank` and `index` work as after a crawl. Importing a file again changes nothing, so an interrupted import
can simply be repeated. docs/exports.md says how each kind of record is treated.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `import`."""
    command.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help=f"a file whose name ends in {', '.join(_SUFFIXES[:-1])} or {_SUFFIXES[-1]}; or a folder",
    )
    command.add_argument(
        "--store", default=DEFAULT_STORE, metavar="FILE", help="the link store, new or not (default: %(default)s)"
    )
    command.add_argument(
        "--local",
        action="append",
        default=[],
        metavar="URL",
        help="define the domain by this URL, as a seed of a crawl does; repeatable (default: every host with a page)",
    )
    command.add_argument(
        "--scope",
        choices=("hosts", "site", "prefix"),
        help="what is local: the hosts of the --local URLs (default), their sites, or what is below their folders",
    )
    command.add_argument(
        "--archives-at",
        default="",
        metavar="URL",
        help="the URL of the archives that a .jsonl file names (default: Common Crawl's)",
    )
    command.add_argument(
        "--extract",
        metavar="RULES.toml",
        help="extract fields from pages by these rules into tables of the store; see docs/extraction.md",
    )
    add_hook_option(command)
    add_plugin_option(command)
    command.add_argument("--json", action="store_true", help="print the report as one JSON object")
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Import archives into a store; returns the exit code."""
    # Imported only now, so that --help need not wait:
    from hinterland.cli.settings_sources import settings_of
    from hinterland.library.archives import import_archives

    settings = settings_of(arguments, {"scope.kind": arguments.scope})
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        report = import_archives(
            arguments.paths,
            arguments.store,
            local=arguments.local,
            scope=arguments.scope,
            rules=arguments.extract,
            plugins=arguments.plugins,
            hooks=arguments.hooks,
            settings=settings,
            archives_at=arguments.archives_at,
            on_progress=lambda report: progress.update(_taken_in(report)),
            warn=_warn,
        )
    text = json.dumps(report.as_json(), ensure_ascii=False) if arguments.json else as_text(report, arguments.store)
    Output(sys.stdout).write(text)
    return OK if report.pages or report.known_already else EndReason.NOTHING_FETCHED.exit_code


def _warn(message: str) -> None:
    print(f"hinterland: warning: {message}", file=sys.stderr)


def _taken_in(report: ImportReport) -> str:
    return f"{counted(report.pages, 'page')} imported, {counted(report.links, 'link')}"


def as_text(report: ImportReport, store: str) -> str:
    """Return the report of an import in words, in several lines."""
    outcomes = ", ".join(f"{number(count)} {outcome}" for outcome, count in report.outcomes.most_common())
    lines = [
        f"{counted(report.pages, 'page')} from {counted(report.files, 'file')} are in {printable(store)}"
        + (f": {outcomes}" if outcomes else ""),
        (
            f"  {counted(report.links, 'link')}, {number(report.robots)} robots.txt,"
            f" {counted(report.link_data, 'page')} known by their links only"
        ),
    ]
    if report.extracted:
        records = counted(report.extracted, "record")
        lines.append(f"  {records} extracted from them by rules; `status` shows their tables")
    if report.skipped:
        lines += ["", "Skipped, by kind of record and reason"]
        rows = [(kind, number(count), printable(reason)) for (kind, reason), count in report.skipped.most_common(30)]
        lines += table(rows, right=(1,))
        if len(report.skipped) > len(rows):
            lines.append(f"  and {number(len(report.skipped) - len(rows))} more reasons; --json lists them all")
    return "\n".join(lines)
