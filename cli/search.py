"""`search`: lists the pages of a store that match a query."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from hinterland.cli.command_parser import CommandParser, add_also, add_settings_options, at_least_one, count
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output, say
from hinterland.cli.search_formats import FORMATS
from hinterland.cli.settings_sources import settings_of
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.library.text.wording import counted, json_text, number, printable, shell_file
from hinterland.search.answers import Fragment, Hit, QueryError, Rescue, SearchAnswer

_MARK = ("\x1b[1m", "\x1b[0m")

EXAMPLES = """\
examples:
  python3 run.py search hinterland.db opening hours
  python3 run.py search hinterland.db '"connection refused" site:docs.example.org -windows'
  python3 run.py search hinterland.db 'title:install lang:de since:2026-01' --json

  word another        pages with all of them, in any form: install finds installing
  "in this order"     these words in a row
  -word, NOT word     pages without it; options of commands, such as -m and --amend, are words
  word OR another     pages with either
  site:example.org    a host, a domain with all its hosts, or a folder: site:docs.example.org/guide
  title:word          in the title; url:word in the URL
  lang:de             pages in that language
  since:2026-03       dated March 2026 or later; also since:2026, since:2026-03-31, since:30d
  year:2026 type:pdf  dated that year, of that type; topic:NAME: about the topic of the store
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `search`."""
    command.add_argument("store", metavar="FILE", help="the link store")
    command.add_argument("query", nargs="+", metavar="QUERY", help="words and operators, see below")
    command.query = "query"
    command.add_argument("--index", metavar="DIR", help="the folder of the index (default: FILE.index beside FILE.db)")
    add_also(command)
    command.add_argument(
        "--limit", type=at_least_one, default=10, metavar="N", help="show at most N hits (default: %(default)s)"
    )
    command.add_argument("--offset", type=count, default=0, metavar="N", help="skip the first N hits")
    command.add_argument("--explain", action="store_true", help="show what each part of a score comes from")
    command.add_argument(
        "--verbatim", action="store_true", help="search for the query as written, in no other spelling"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object; the same as --format json")
    command.add_argument(
        "--format",
        dest="form",
        choices=("text", "json", *FORMATS),
        default="text",
        help="how to print the hits (default: %(default)s); json also has scores, facets and notes",
    )
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Search the index of a store and print the hits; returns the exit code."""
    # Imported only now, so that --help need not wait:
    from hinterland.library.searching import search_pages
    from hinterland.search.index.index_folder import IndexFolder
    from hinterland.search.index.index_location import index_of
    from hinterland.search.index_failures import NoIndex
    from hinterland.search.site_rules import BadSiteRules

    try:
        answer = search_pages(
            arguments.store,
            " ".join(arguments.query),
            also=arguments.also,
            index=arguments.index,
            limit=arguments.limit,
            offset=arguments.offset,
            explain=arguments.explain,
            verbatim=arguments.verbatim,
            settings=settings_of(arguments).settings.search,
            note=say,
        )
    except NoIndex as error:
        folder = IndexFolder(Path(arguments.index)) if arguments.index else index_of(Path(arguments.store))
        raise StoreUnusable(f"{error}{_way_out(arguments, is_there=folder.manifest.exists())}") from error
    except (QueryError, BadSiteRules) as error:
        raise HinterlandError(str(error)) from error
    output = Output(sys.stdout)
    if arguments.json or arguments.form == "json":
        output.write(json_text(asdict(answer)))
    elif arguments.form in FORMATS:
        for note in answer.notes:
            say(f"note: {printable(note)}")
        output.write(FORMATS[arguments.form](answer))
    else:
        is_bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        output.write(as_text(answer, marks=_MARK if is_bold else ("", ""), with_parts=arguments.explain))
    return OK


def _way_out(arguments: Namespace, *, is_there: bool) -> str:
    """Return how to build a missing index, as the end of a message; "" if the index exists (`is_there`)."""
    if is_there:
        return ""
    if not Path(arguments.store).exists():
        named = next((word for word in arguments.query if Path(word).is_file()), "FILE")
        order = f"the store comes first: search {shell_file(named)} WORDS"
        return f", and there is no store {printable(arguments.store)} to build it from; {order}"
    where = f" --index {shell_file(arguments.index)}" if arguments.index else ""
    return f"; build it:\n  {PROGRAM} index {shell_file(arguments.store)}{where}"


def as_text(answer: SearchAnswer, *, marks: tuple[str, str], with_parts: bool) -> str:
    """Return the hits for a terminal. `marks` are put before and after each match."""
    return "\n".join(_lines(answer, marks, with_parts))


def _lines(answer: SearchAnswer, marks: tuple[str, str], with_parts: bool) -> Iterator[str]:
    for note in answer.notes:
        yield f"note: {printable(note)}"
    if answer.rescue is not None:
        yield from _rescue_lines(answer.rescue)
    if not answer.hits:
        yield "Nothing found." if answer.offset == 0 else f"There are no more than {counted(answer.total, 'hit')}."
        return
    for position, hit in enumerate(answer.hits, answer.offset + 1):
        yield from _hit(position, hit, marks, with_parts)
    last = answer.offset + len(answer.hits)
    inexact = "" if answer.is_exact else "; very many pages match, so only the best by text were ranked"
    found = f"{number(answer.offset + 1)}-{number(last)} of {counted(answer.total, 'page')}"
    yield f"{found}, {answer.seconds * 1000:.0f} ms{inexact}"


def _rescue_lines(rescue: Rescue) -> Iterator[str]:
    unknown = ", ".join(f'"{printable(word)}"' for word in rescue.unknown)
    if rescue.corrected:
        lacking = unknown or "these words together"
        yield f"No page has {lacking}. Results for: {printable(rescue.corrected)} (to search as written: --verbatim)"
    elif rescue.unknown:
        yield f"No page has {unknown}."
    for other in rescue.corrections:
        yield f"Did you mean: {printable(other.query)} ({counted(other.pages, 'page')})"
    for other in rescue.wider:
        yield f"More results for: {printable(other.query)} ({counted(other.pages, 'page')})"


def _hit(position: int, hit: Hit, marks: tuple[str, str], with_parts: bool) -> Iterator[str]:
    title = _marked(hit.title, marks) if hit.title else "(no title)"
    copies = f"  (+{counted(hit.copies, 'copy', 'copies')})" if hit.copies else ""
    yield f"{position:>3}  {title}{copies}"
    yield f"     {printable(hit.section_url)}"
    if hit.store:
        yield f"     in {printable(hit.store)}"
    if hit.section:
        yield f"     section: {printable(hit.section)}"
    if hit.snippet:
        yield f"     {_marked(hit.snippet, marks)}"
    if hit.lacks:
        yield f"     lacks: {printable(' '.join(hit.lacks))}"
    if with_parts:
        yield f"     score {hit.score:.3f}"
        for part in hit.parts:
            if part.name == "rounding" and abs(part.value) < 0.0005:
                continue  # it would read 0.000
            yield f"       {part.value:>8.3f}  {part.name:<16} {part.detail}".rstrip()
    yield ""


def _marked(fragments: Sequence[Fragment], marks: tuple[str, str]) -> str:
    before, after = marks
    pieces = []
    for fragment in fragments:
        text = printable(_spaced(fragment.text))
        pieces.append(f"{before}{text}{after}" if fragment.is_match else text)
    return "".join(pieces)


def _spaced(text: str) -> str:
    """Replace each run of white space by one space, also at the ends, since the text continues there."""
    flat = " ".join(text.split())
    return f"{' ' * text[:1].isspace()}{flat}{' ' * (text[-1:].isspace() and bool(flat))}"
