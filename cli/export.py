"""`export`: writes pages and links of a store in other formats."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Sequence

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, add_plugin_option
from hinterland.cli.exit_codes import OK
from hinterland.cli.progress_line import ProgressLine
from hinterland.crawler.plugins.kinds import EXPORTER
from hinterland.crawler.plugins.loading import own_names
from hinterland.library.errors import HinterlandError
from hinterland.library.exporting import CDXJ, STORE, Exported, export
from hinterland.library.text.wording import duration, number, printable
from hinterland.library.uses import USES
from hinterland.storage.exports import FORMATS

_INTERVAL_SECONDS = 5.0
EXAMPLES = """\
examples:
  python3 run.py export --format jsonl --output - | jq -r .title
      all pages, one JSON object per line
  python3 run.py export big.db --format parquet --what links
      all links, into big.links.parquet
  python3 run.py export shop.db --format csv --table product
      the records that `extract` found, into shop.product.csv
  python3 run.py export big.db --format jsonl --with-text --usage train-ai
      pages and their texts, without those whose sites do not want models to be trained with them
  python3 run.py export big.db --format markdown
      the main content of every page as Markdown, in the folders of its site below big.markdown
  python3 run.py export big.db --format chunks --option tokens=300 --since last.chunks.jsonl
      what has changed since that export, in chunks for embeddings, into big.chunks.jsonl
  python3 run.py export big.db --format graphml --local-only
      the graph of the domain, for Gephi or NetworkX
  python3 run.py export big.db --format opensearch
      bulk files and a mapping in the folder big.opensearch
  python3 run.py export big.db --format bvgraph
      the links in a few bits each, for WebGraph's tools and the command `links`, in the folder big.bvgraph
  python3 run.py export archive/ --format cdxj
      rebuild the index of a folder of WARC files

Works while a crawl runs, and does not slow it down. A file gets its name only when it is complete. To export ranks, run
`rank` first. docs/exports.md describes every format and its fields.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `export`."""
    command.add_argument(
        "store",
        nargs="?",
        default=DEFAULT_STORE,
        metavar="FILE",
        help="the link store (default: %(default)s); for bvgraph also a graph, for cdxj a folder of WARC files",
    )
    names = ", ".join(dict.fromkeys((*FORMATS, *own_names(EXPORTER), CDXJ, STORE)))
    command.add_argument("--format", required=True, metavar="NAME", help=f"{names}, or the name of a plug-in")
    command.add_argument(
        "--what",
        choices=("pages", "links", "records"),
        help="what to export as jsonl, csv or parquet (default: pages); records are what rules extracted from pages",
    )
    command.add_argument("--table", metavar="NAME", help="the table whose records are exported; implies --what records")
    command.add_argument(
        "--output",
        metavar="PATH",
        help="the file or folder to write; - is stdout (default: named like the store, in this folder)",
    )
    command.add_argument("--local-only", action="store_true", help="only local pages, and links between them")
    command.add_argument("--with-text", action="store_true", help="include the visible text and headings of pages")
    command.add_argument(
        "--usage",
        choices=USES,
        help="leave out pages whose sites disallow this use, or any use; pages of which nothing is said are kept."
        " A manifest beside the file says what was taken, and under which statements. See docs/usage.md",
    )
    command.add_argument("--public", action="store_true", help="leave out what a login opened, see docs/access.md")
    command.add_argument(
        "--since",
        metavar="WHEN",
        help="only pages that have changed since: 7d, 2026-03-01, or the file of an earlier export, whose newest page"
        " counts",
    )
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="options",
        help="an option of this format, such as tokens=300 for chunks; docs/exports.md lists all",
    )
    command.add_argument(
        "--estimator", metavar="NAME", help="export ranks by this estimator (default: the program's choice)"
    )
    command.add_argument("--force", action="store_true", help="replace an earlier export")
    add_plugin_option(command)


def run(arguments: Namespace) -> int:
    """Export pages, links or records; returns the exit code."""
    started = time.monotonic()
    is_on_stdout = arguments.output == "-"
    is_on_screen = is_on_stdout and sys.stdout.isatty()  # a line written over would be in the way
    try:
        with ProgressLine(sys.stderr, _INTERVAL_SECONDS, in_place=not is_on_screen) as progress:
            exported = export(
                arguments.store,
                arguments.format,
                sys.stdout.buffer if is_on_stdout else arguments.output,
                what=arguments.what,
                table=arguments.table,
                local_only=arguments.local_only,
                with_text=arguments.with_text,
                usage=arguments.usage,
                public=arguments.public,
                since=arguments.since,
                options=_options(arguments.options),
                estimator=arguments.estimator,
                force=arguments.force,
                is_terminal=is_on_screen,
                plugins=arguments.plugins,
                on_progress=lambda done, of: progress.update(f"{number(done)} of {number(of)} pages"),
                note=_say,
            )
    except BrokenPipeError:
        return OK  # the reader has seen enough
    if arguments.format == CDXJ:
        _say(f"{number(exported.written.count)} responses indexed in {exported.target}")
    else:
        _tell(exported, time.monotonic() - started)
    return OK


def _options(given: Sequence[str]) -> dict[str, str]:
    for each in given:
        if "=" not in each:
            raise HinterlandError(f"--option {printable(each)} has no value; write it as NAME=VALUE")
    return {name: value for name, _, value in (each.partition("=") for each in given)}


def _tell(exported: Exported, seconds: float) -> None:
    written, place = exported.written, printable(exported.target) if exported.target else "stdout"
    _say(f"{number(written.count)} {written.unit} written to {place} in {duration(seconds)}")
    for reason, count in written.left_out.items():
        if count:
            _say(f"  left out: {number(count)} ({reason})")
    for note in exported.notes:
        _say(f"  {note}")


def _say(text: str) -> None:
    print(text, file=sys.stderr)
