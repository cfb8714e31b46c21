"""`index`: builds the search index of a store."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from hinterland.cli.command_parser import CommandParser, add_plugin_option, add_settings_options, add_store
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output, say
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.relevant_pages import add_relevant
from hinterland.cli.settings_sources import settings_of
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.parsing.compiled.freed_memory import limit_freed_memory
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import StoreUnusable
from hinterland.library.text.wording import counted, duration, json_text, number, shell_file, size
from hinterland.search.documents import MOST_CHARACTERS
from hinterland.search.index_report import IndexReport
from hinterland.storage.store_files import StoreGone

EXAMPLES = """\
examples:
  python3 run.py index
      build the search index of hinterland.db in hinterland.index; after more crawling, the same command updates it
  python3 run.py index big.db --index /srv/search/big
      in another folder
  python3 run.py index gardening.db --relevant
      only the pages about the topic of the crawl

A page with several URLs is one entry; pages marked noindex are left out. If the command is stopped, what was written is
kept, and the next run continues. To find names in code where they are defined, crawl with
--set storage.keep_bodies=true; ordinary words are found without it.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `index`."""
    add_store(command)
    command.add_argument("--index", metavar="DIR", help="the folder of the index (default: FILE.index beside FILE.db)")
    command.add_argument(
        "--with-outside", action="store_true", help="also index pages of the hinterland, not only of the local domain"
    )
    command.add_argument(
        "--public",
        action="store_true",
        help="index a copy without what a login opened, FILE.public.db, for `serve --public` (docs/access.md)",
    )
    add_relevant(command, "index only pages")
    command.add_argument("--rebuild", action="store_true", help="write all pages again, even unchanged ones")
    command.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    add_plugin_option(command)
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Build or update the index and print a summary; returns the exit code. Raises StoreUnusable."""
    # Imported only now, so that --help need not wait:
    from hinterland.library.public_copies import public_copy_of
    from hinterland.library.searching import build_index
    from hinterland.search.index.index_location import index_of
    from hinterland.search.index_failures import IndexInUse, NoIndex

    limit_freed_memory()
    settings = settings_of(arguments).settings
    if arguments.public:
        arguments.store = str(public_copy_of(Path(arguments.store)))

    def folder() -> Path:
        return Path(arguments.index) if arguments.index else index_of(Path(arguments.store)).path

    try:
        with ProgressLine(sys.stderr, settings.report.interval_seconds) as progress:
            report = build_index(
                arguments.store,
                index=arguments.index,
                with_outside=arguments.with_outside,
                relevant=arguments.relevant,
                obey_usage=settings.search.obey_usage,
                rebuild=arguments.rebuild,
                estimator=settings.of(HinterlandSettings).estimator,
                plugins=arguments.plugins,
                on_progress=progress.count,
                note=say,
            )
    except (IndexInUse, NoIndex) as error:
        raise StoreUnusable(str(error)) from error
    except StoreGone as error:
        raise StoreUnusable(f"{error}; run `index` again") from error
    except OSError as error:
        raise StoreUnusable(f"the index in {folder()} cannot be written: {error}") from error
    output = Output(sys.stdout)
    if arguments.json:
        output.write(json_text({"index": str(folder()), **asdict(report)}))
    else:
        output.write(as_text(report, arguments.store, str(folder()), is_elsewhere=arguments.index is not None))
    return OK


_REASONS = {
    "noindex": "pages left out (noindex, or a usage preference)",
    "same content": "pages merged with one of the same content",
    "near-duplicate": "pages merged with one of the same title and nearly the same content",
    "canonical": "pages merged with the one they name as canonical",
    "canonical not believed": "pages kept although they name another one as canonical, which differs",
    "redirect": "redirects merged with the page they lead to",
    "anchor of many pages": "anchor texts left out because they lead to many pages",
}
_EXTRACTIONS = {
    "failed": "pages with all text indexed, because their main content was not found in time",
    "all": "pages with no recognisable main content (all text indexed)",
}


def as_text(report: IndexReport, store: str, index: str, *, is_elsewhere: bool) -> str:
    """Return the summary in words. With `is_elsewhere`, it says that `search` needs --index to find the index."""
    return "\n".join(_lines(report, store, index, is_elsewhere))


def _lines(report: IndexReport, store: str, index: str, is_elsewhere: bool) -> Iterator[str]:
    yield f"{index}: {counted(report.documents, 'document')}, {size(report.size_bytes)}, {duration(report.seconds)}"
    yield (
        f"  {number(report.written)} written, {number(report.unchanged)} unchanged, {number(report.removed)} removed"
    )
    for names, counts in ((_REASONS, report.folded), (_EXTRACTIONS, report.extractions)):
        for name, words in names.items():
            if counts.get(name):
                yield f"  {words}: {number(counts[name])}"
    if report.cut:
        beginning = f"first {number(MOST_CHARACTERS)} characters"
        yield f"  titles or descriptions indexed by their {beginning}: {number(report.cut)}"
    if report.languages:
        yield "  languages: " + ", ".join(
            f"{language or 'unknown'} {number(count)}" for language, count in report.languages.items()
        )
    if report.unstemmed:
        yield f"  no stemming, because there are too few documents: {', '.join(report.unstemmed)}"
    if report.estimator:
        yield f"  ranked by the estimator {report.estimator}"
    else:
        yield "  not ranked: no page of the local domain was fetched"
    if not report.extractions.get("main") and report.documents:
        yield "  without page bodies: names in code are found by headings and links, not where they are defined"
    where = f" --index {shell_file(index)}" if is_elsewhere else ""
    yield ""
    yield f"Next   {PROGRAM} search {shell_file(store)} WORDS{where}"
