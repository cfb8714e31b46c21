"""`export`: pages and links of a store in the formats of others."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Final

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, add_plugin_option
from hinterland.cli.exit_codes import OK
from hinterland.cli.progress_line import ProgressLine
from hinterland.crawler.parsing.extraction.rules import TableRules
from hinterland.crawler.parsing.extraction.tables import columns_of
from hinterland.crawler.plugins.kinds import EXPORTER
from hinterland.crawler.settings.near_names import with_nearest
from hinterland.library.errors import HinterlandError, StoreUnusable, require_known
from hinterland.library.plugin_tables import enter_plugins, require
from hinterland.library.rule_choice import stored_rules
from hinterland.library.text.wording import duration, number, printable
from hinterland.storage.exports import FORMATS
from hinterland.storage.exports.destinations import DestinationTaken, new_file, new_folder
from hinterland.storage.exports.format import FileFormat, FolderFormat, MissingPackage, Written
from hinterland.storage.exports.source import ExportSource, Selection
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.warc.cdxj import INDEX_NAME, finished_files, write_index

_INTERVAL_SECONDS = 5.0
_RANKED = ("graphml", "opensearch")
"""Formats that always contain ranks. Others do with --what pages, except for sitemap and warc."""

_OTHERS: Final = ("bvgraph", "cdxj")
"""Formats that are written otherwise than row by row of a store."""

EXAMPLES = """\
examples:
  python3 run.py export --format jsonl --output - | jq -r .title
      all pages, one JSON object a line
  python3 run.py export big.db --format parquet --what links
      all links, into big.links.parquet
  python3 run.py export shop.db --format csv --table product
      what `extract` took out of the pages, into shop.product.csv
  python3 run.py export big.db --format graphml --local-only
      the graph of the domain, for Gephi or NetworkX
  python3 run.py export big.db --format opensearch
      bulk files and a mapping in the folder big.opensearch
  python3 run.py export big.db --format bvgraph
      the links in a few bits each, for WebGraph's tools and `links`, in the folder big.bvgraph
  python3 run.py export archive/ --format cdxj
      index the WARC files of a folder anew

Works while the crawl runs, and does not hold it up. What it writes has its name only when it is whole. For the ranks
of pages run `rank` first. docs/exports.md describes every format and its fields.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument(
        "store",
        nargs="?",
        default=DEFAULT_STORE,
        metavar="FILE",
        help="the link store (default: %(default)s); for bvgraph also a graph, for cdxj a folder of WARC files",
    )
    names = ", ".join((*FORMATS, *_OTHERS))
    command.add_argument("--format", required=True, metavar="NAME", help=f"{names}, or that of a plug-in")
    command.add_argument(
        "--what",
        choices=("pages", "links", "records"),
        help="which of them, for jsonl, csv and parquet (default: pages); records are what rules took out of pages",
    )
    command.add_argument(
        "--table", metavar="NAME", help="whose records, if there are several tables; implies --what records"
    )
    command.add_argument(
        "--output", metavar="PATH", help="where to; - is stdout (default: named like the store, in this folder)"
    )
    command.add_argument("--local-only", action="store_true", help="only local pages, and links between them")
    command.add_argument("--with-text", action="store_true", help="pages with their visible text and headings")
    command.add_argument("--estimator", metavar="NAME", help="whose ranks count (default: the program's choice)")
    command.add_argument("--force", action="store_true", help="replace an earlier export")
    add_plugin_option(command)


def run(arguments: Namespace) -> int:
    enter_plugins(arguments.plugins)
    require(EXPORTER, arguments.format, _OTHERS)
    try:
        match arguments.format:
            case "cdxj":
                return _index(Path(arguments.store))
            case "bvgraph":
                return _compressed(arguments)
        return _export(arguments)
    except (DestinationTaken, MissingPackage) as error:
        raise HinterlandError(printable(str(error))) from None
    except BrokenPipeError:
        return OK  # the reader has seen enough
    except OSError as error:
        raise HinterlandError(f"the export cannot be written: {error}") from None


def _export(arguments: Namespace) -> int:
    format_ = FORMATS[arguments.format]
    what = _what(arguments.what or ("records" if arguments.table else None), arguments.format, format_.what)
    if arguments.table and what != "records":
        raise HinterlandError(f"--table names whose records, so it does not go with --what {what}")
    if isinstance(format_, FileFormat):
        format_.needs()
    path = Path(arguments.store)
    if isinstance(format_, FolderFormat) and arguments.output == "-":
        raise HinterlandError(f"--format {arguments.format} writes a folder of files; name it with --output PATH")
    started = time.monotonic()
    is_on_screen = arguments.output == "-" and sys.stdout.isatty()  # a line written over would be in the way
    wants_ranks = arguments.format in _RANKED or (len(format_.what) > 1 and what == "pages")
    with (
        reading(path) as store,
        ProgressLine(sys.stderr, _INTERVAL_SECONDS, in_place=not is_on_screen) as progress,
    ):
        estimator = _estimator(store.ranks.estimators(), arguments.estimator, wants_ranks=wants_ranks)
        with_text = arguments.with_text or arguments.format == "opensearch"
        selection = Selection(estimator, arguments.local_only, with_text)
        if what == "records":
            table = _table(store, arguments.table)
            selection = replace(selection, table=table.name, columns=columns_of(table))
        name = f".{selection.table or what}" if len(format_.what) > 1 else ""
        target = arguments.output or f"{path.stem}{name}{format_.suffix}"
        source = ExportSource(
            store, selection, lambda done, of: progress.update(f"through {number(done)} of {number(of)} pages")
        )
        if isinstance(format_, FolderFormat):
            with new_folder(Path(target), format_.names, force=arguments.force) as folder:
                written = format_.write(source, what, folder)
        else:
            with _file(target, arguments.force, format_) as file:
                written = format_.write(source, what, file)
                file.flush()
    _tell(written, target, time.monotonic() - started)
    return OK


def _index(folder: Path) -> int:
    if not folder.is_dir():
        raise StoreUnusable(f"{folder} is not a folder; --format cdxj indexes the WARC files of one")
    if not finished_files(folder):
        raise StoreUnusable(f"{folder} holds no WARC files for --format cdxj to index")
    lines = write_index(folder)
    _say(f"{number(lines)} responses indexed in {folder / INDEX_NAME}")
    return OK


def _compressed(arguments: Namespace) -> int:
    # They bring numpy, which --help need not wait for:
    from hinterland.analysis.stored_graph import UnusableGraph
    from hinterland.lab.graphs.bv_folder import NAMES, write_bv_folder
    from hinterland.lab.graphs.connectivity import open_connectivity

    if arguments.what == "pages":
        raise HinterlandError("--format bvgraph has no --what pages; it writes links")
    if arguments.local_only:
        raise HinterlandError("--format bvgraph has no --local-only; it writes all links")
    path = Path(arguments.store)
    target = arguments.output or f"{path.stem}.bvgraph"
    if target == "-":
        raise HinterlandError("--format bvgraph writes a folder of files; name it with --output PATH")
    started = time.monotonic()
    with new_folder(Path(target), NAMES, force=arguments.force) as folder:
        try:
            connectivity, _ = open_connectivity(path)
        except UnusableGraph as error:
            raise HinterlandError(str(error)) from error
        write_bv_folder(connectivity, folder)
    links = connectivity.link_count
    _tell(Written(links, "links", {}), target, time.monotonic() - started)
    bits = [8 * graph.word_bytes / max(links, 1) for graph in (connectivity.forward, connectivity.backward)]
    _say(f"  {bits[0]:.2f} bits a link, and {bits[1]:.2f} for the links turned round")
    return OK


def _what(given: str | None, name: str, known: Sequence[str]) -> str:
    if given is not None and given not in known:
        raise HinterlandError(f"--format {name} has no --what {given}; it writes {' or '.join(known)}")
    return given or known[0]


def _table(store: StoreReader, given: str | None) -> TableRules:
    """The table whose records are meant. Raises HinterlandError."""
    tables = {table.name: table for table in stored_rules(store).tables}
    if not tables:
        raise StoreUnusable("the store has no records; `extract` and crawl --extract take them out of pages")
    if given is not None:
        require_known("table", given, list(tables))
        return tables[given]
    if len(tables) > 1:
        raise HinterlandError(f"name a table with --table: {', '.join(tables)}")
    return next(iter(tables.values()))


def _file(target: str, force: bool, format_: FileFormat) -> AbstractContextManager[BinaryIO]:
    if target != "-":
        return new_file(Path(target), force=force)
    if not format_.is_text and sys.stdout.isatty():
        raise HinterlandError("this format is binary, and stdout is a terminal; name a file with --output PATH")
    return nullcontext(sys.stdout.buffer)


def _estimator(known: Sequence[str], given: str | None, *, wants_ranks: bool) -> str:
    """The estimator whose ranks are exported; says on stderr if the store has no ranks."""
    if given is not None and given not in known:
        if not known:
            raise StoreUnusable("the store has no ranks yet; `rank` computes them")
        raise HinterlandError(with_nearest(f'the store has no ranks by "{given}"', given, known))
    if not known and wants_ranks:
        _say("the store has no ranks yet, so none are exported; `rank` computes them")
    if given is not None:
        return given
    from hinterland.analysis.estimates.estimators import (
        DEFAULT_ESTIMATOR,  # brings numpy, which --help need not wait for
    )

    return DEFAULT_ESTIMATOR


def _tell(written: Written, target: str, seconds: float) -> None:
    place = "stdout" if target == "-" else printable(target)
    _say(f"{number(written.count)} {written.unit} written to {place} in {duration(seconds)}")
    for reason, count in written.left_out.items():
        if count:
            _say(f"  left out: {number(count)} ({reason})")


def _say(text: str) -> None:
    print(text, file=sys.stderr)
