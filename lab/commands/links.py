"""`links`: lists the pages that a page links to, the pages that link to it, and broken links."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, at_least_one
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted, number, printable

if TYPE_CHECKING:
    from hinterland.analysis.graph import IntArray
    from hinterland.crawler.urls.canonical import Canonicaliser
    from hinterland.lab.connectivity.server import Connectivity
    from hinterland.library.stored_connectivity import StoredConnectivity

    Links = Connectivity | StoredConnectivity

HELP = "tell which pages a page links to, and which link to it"
GROUP = "Search and browse"


EXAMPLES = """\
examples:
  python3 run.py links https://docs.example.org/a
      the pages it links to, and those that link to it, as hinterland.db knows them
  python3 run.py links https://docs.example.org/ --in --remote
      which pages on other hosts link to it
  python3 run.py links https://docs.example.org/ --out --depth 3 --json
      what can be reached in three steps, by distance
  python3 run.py links 17
      the same by the number of a page, and its URL
  python3 run.py links --store big.bvgraph - < urls.txt
      many pages at once, from an export that loads fast
  python3 run.py links --broken --csv > broken.csv
      every link that leads nowhere, and the page it stands on

A link store is queried directly; while a crawl writes to it, finding inlinks means reading all links. Other FILEs, a
graph as `simulate` reads it or a folder of `export --format bvgraph`, are loaded into memory at about a byte a link,
and then looking up many pages costs little more than one.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `links`."""
    command.add_argument(
        "urls", nargs="*", metavar="URL", help="pages, by URL or by number; - reads them from stdin, one per line"
    )
    command.add_argument(
        "--store", default=DEFAULT_STORE, metavar="FILE", help="where the links are (default: %(default)s)"
    )
    command.add_argument("--out", action="store_true", help="only the pages it links to")
    command.add_argument("--in", action="store_true", dest="into", help="only the pages that link to it")
    command.add_argument("--remote", action="store_true", help="only links between hosts")
    command.add_argument(
        "--depth", type=at_least_one, default=1, metavar="N", help="pages up to N links away (default: %(default)s)"
    )
    command.add_argument(
        "--limit", type=at_least_one, default=50, metavar="N", help="URLs of each list to show (default: %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="one JSON object a page, with all URLs")
    command.add_argument("--broken", action="store_true", help="list broken links instead, with the pages they are on")
    command.add_argument("--csv", action="store_true", help="with --broken: a row for each link")


_NEAR = 4
"""How many similar URLs are suggested for an unknown one."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """The answer for one page. `rings` maps "out" and "in" to the lists of nodes at distance 1, 2, ..."""

    node: int
    rings: Mapping[str, Sequence[IntArray]]


def run(arguments: Namespace) -> int:
    """Print the links of the pages that the arguments name, or the broken links."""
    from hinterland.analysis.stored_graph import UnusableGraph
    from hinterland.cli.broken_links import write_broken
    from hinterland.lab.graphs.connectivity import asked_connectivity

    if arguments.broken:
        if arguments.urls:
            raise HinterlandError("--broken is about all pages: leave out the URLs")
        write_broken(
            Path(arguments.store),
            Output(sys.stdout),
            as_csv=arguments.csv,
            as_json=arguments.json,
            limit=arguments.limit,
        )
        return OK
    if not arguments.urls:
        raise HinterlandError("name pages by URL or number, or ask for --broken links")
    with ExitStack() as opened:
        try:
            asked = opened.enter_context(asked_connectivity(Path(arguments.store)))
        except UnusableGraph as error:
            raise HinterlandError(str(error)) from error
        _tell(arguments, *asked)
    return OK


def _tell(arguments: Namespace, connectivity: Links, canonicaliser: Canonicaliser) -> None:
    from hinterland.lab.connectivity.server import NoNames

    output = Output(sys.stdout)
    directions = [each for each, is_wanted in (("out", arguments.out), ("in", arguments.into)) if is_wanted]
    for place, given in enumerate(_given(arguments.urls)):
        try:
            node = _node(connectivity, canonicaliser, given, arguments.store)
            rings = {
                each: connectivity.neighbourhood(
                    node, arguments.depth, inlinks=each == "in", remote_only=arguments.remote
                )
                for each in directions or ("out", "in")
            }
        except NoNames as error:
            raise HinterlandError(f"{arguments.store}: {error}") from error
        answer = _Answer(node, rings)
        if arguments.json:
            output.write(json.dumps(_as_json(connectivity, answer), ensure_ascii=True))
        else:
            output.write("\n".join([*([""] if place else []), *_lines(connectivity, answer, arguments.limit)]))


def _given(urls: Sequence[str]) -> Iterator[str]:
    for url in urls:
        if url == "-":
            yield from filter(None, (line.strip() for line in sys.stdin))
        else:
            yield url


def _node(connectivity: Links, canonicaliser: Canonicaliser, given: str, store: str) -> int:
    """Return the node of a page that is given by its number or its URL, as written or in canonical form.

    Raises HinterlandError if there is no such page.
    """
    if given.isdecimal():
        try:
            return connectivity.node_of_page(int(given))
        except IndexError:
            count = counted(connectivity.page_count, "page")
            raise HinterlandError(f"{store} has no page {given}: it has {count}, numbered from 0") from None
    node = connectivity.node_of(given)
    if node is None:
        try:
            canonical = canonicaliser.canonical(given)
        except ValueError:
            canonical = None  # not a URL: it may be the name of a site, which was looked up above
        node = None if canonical is None else connectivity.node_of(canonical)
    if node is None:
        whole = given if "://" in given else f"http://{given}"
        near = ", ".join(printable(url) for url in connectivity.urls_near(whole, _NEAR))
        raise HinterlandError(
            f"{store} has no page {printable(given)}; next to it in the alphabet: {near or 'nothing'}"
        )
    return node


def _name(connectivity: Links, node: int) -> str:
    return f"page {node}" if not connectivity.has_urls else printable(connectivity.url_of(node))


def _lines(connectivity: Links, answer: _Answer, limit: int) -> Iterator[str]:
    page = connectivity.page_of(answer.node)
    yield _name(connectivity, answer.node) + (f" (page {page})" if connectivity.has_urls else "")
    for direction, rings in answer.rings.items():
        verb = {"out": "links to", "in": "is linked from"}[direction]
        if not rings:
            yield f"  {verb} no page"
        for distance, ring in enumerate(rings, 1):
            away = f" {distance} links away" if distance > 1 else ""
            yield f"  {verb} {counted(len(ring), 'page')}{away}"
            for node in ring[:limit].tolist():
                yield f"    {_name(connectivity, node)}"
            if len(ring) > limit:
                yield f"    ... and {number(len(ring) - limit)} more; --limit {len(ring)} shows them all"


def _as_json(connectivity: Links, answer: _Answer) -> dict[str, object]:
    has_urls = connectivity.has_urls
    named = connectivity.url_of if has_urls else connectivity.page_of
    return {
        "url": connectivity.url_of(answer.node) if has_urls else None,
        "page": connectivity.page_of(answer.node),
        **{each: [[named(node) for node in ring.tolist()] for ring in rings] for each, rings in answer.rings.items()},
    }
