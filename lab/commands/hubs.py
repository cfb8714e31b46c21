"""`hubs`: finds the hubs and authorities for a query."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.cli.command_parser import CommandParser, add_settings_options, at_least_one, count
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output, say
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.library.text.wording import counted, json_text, printable

if TYPE_CHECKING:
    from hinterland.analysis.graph import FloatArray, IntArray, OffsetArray
    from hinterland.search.index.searcher import SearchIndex
    from hinterland.storage.reading.reader import StoreReader

HELP = "find the hubs and authorities for a query: HITS on the search results and their links"
GROUP = "Research"
NEEDS = ("search",)


EXAMPLES = """\
examples:
  python3 run.py hubs hinterland.db tide tables
      pages about tide tables that good lists link to, and those lists
  python3 run.py hubs hinterland.db '"web crawler"' --root 500 --top 20 --json
      start from more pages and show more of them
  python3 run.py hubs site.db install --within-hosts
      in a crawl of one host, counting the links within it

The best results of a search form the root set. The base set adds the pages they link to and some pages that link to
them (Kleinberg 1999). Links within a host are ignored, and the pages of a host that link to the same page share one
vote (Bharat & Henzinger 1998). Links from relevant pages count more; relevance is that to the topic of the crawl if it
has one, otherwise how well the text matches the query. The command needs the search index that `index` makes.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `hubs`."""
    command.add_argument("store", metavar="FILE", help="the link store")
    command.add_argument("query", nargs="+", metavar="QUERY", help="words and operators, as for `search`")
    command.query = "query"
    command.add_argument("--index", metavar="DIR", help="the folder of the index (default: FILE.index beside FILE.db)")
    command.add_argument(
        "--root", type=at_least_one, default=200, metavar="N", help="pages of the root set (default: %(default)s)"
    )
    command.add_argument(
        "--inlinks",
        type=count,
        default=50,
        metavar="N",
        help="pages that link to each of them to add (default: %(default)s)",
    )
    command.add_argument("--within-hosts", action="store_true", help="count links within a host, too")
    command.add_argument("--unweighted", action="store_true", help="count all links alike, as Kleinberg does")
    command.add_argument(
        "--top", type=at_least_one, default=10, metavar="N", help="hubs and authorities to show (default: %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="as one JSON object")
    add_settings_options(command)


_LEAST_WEIGHT = 0.01
"""The weight of a page that says nothing about the topic: its links still count a little."""


@dataclass(frozen=True, slots=True)
class _ScoredPage:
    score: float
    page: int
    url: str
    title: str | None


@dataclass(frozen=True, slots=True)
class _HubsAnswer:
    """The answer to a query. `weights` names the kind of relevance that weights the links; "" if all count alike."""

    query: str
    root_pages: int
    base_pages: int
    base_links: int
    weights: str
    authorities: Sequence[_ScoredPage]
    hubs: Sequence[_ScoredPage]


def run(arguments: Namespace) -> int:
    """Answer the query and print its authorities and hubs."""
    from hinterland.cli.settings_sources import settings_of
    from hinterland.library.index_folders import index_to_search
    from hinterland.search.answers import QueryError
    from hinterland.search.index.searcher import SearchIndex
    from hinterland.search.index_failures import NoIndex
    from hinterland.storage.reading.opening import reading

    settings = settings_of(arguments).settings.search
    query = " ".join(arguments.query)
    folder = index_to_search(Path(arguments.store), arguments.index, say)
    try:
        index = SearchIndex(folder, settings, store=Path(arguments.store))
        roots = index.ranking(query, arguments.root).pages
        with reading(Path(arguments.store)) as store:
            answer = _answer(store, index, query, roots, arguments)
    except NoIndex as error:
        raise StoreUnusable(f"{error}; `index` makes it") from error
    except QueryError as error:
        raise HinterlandError(str(error)) from error
    output = Output(sys.stdout)
    output.write(json_text(asdict(answer)) if arguments.json else "\n".join(_lines(answer)))
    return OK


def _answer(
    store: StoreReader, index: SearchIndex, query: str, roots: OffsetArray, arguments: Namespace
) -> _HubsAnswer:
    import numpy as np

    from hinterland.lab.hits import base_set, hits
    from hinterland.library.graph_opening import graph_of

    if not len(roots):
        raise HinterlandError(f"no page matches {printable(query)}, so there is nothing to start from")
    crawled = graph_of(store, with_names=False).crawled
    known = roots[roots < crawled.page_count].astype(np.int32)  # the index may belong to a later state of the store
    base = base_set(crawled.links, known, max_inlinks=arguments.inlinks)
    links, hosts = crawled.links.among(base), crawled.hosts[base]
    if not arguments.within_hosts:
        links = links.without_links_within(hosts)
    if not links.link_count:
        raise HinterlandError(
            f"no link between hosts among the {counted(len(base), 'page')} around the results;"
            " add --within-hosts to count links within a host"
        )
    relevance, weights = None, ""
    if not arguments.unweighted:
        by_page, weights = _relevance(store, index, query, base)
        relevance = _of_all(by_page, base)
    scores = hits(links, hosts=None if arguments.unweighted else hosts, relevance=relevance)
    return _HubsAnswer(
        query=query,
        root_pages=len(known),
        base_pages=len(base),
        base_links=links.link_count,
        weights=weights,
        authorities=_best(store, base, scores.authorities, arguments.top),
        hubs=_best(store, base, scores.hubs, arguments.top),
    )


def _relevance(store: StoreReader, index: SearchIndex, query: str, base: IntArray) -> tuple[Mapping[int, float], str]:
    """Return the relevance of each page for which it is known, from 0 to 1, and a name for this kind of relevance."""
    topic = store.topics.topic()
    if topic is not None:
        judged = {page: store.topics.relevance_of(page) for page in base.tolist()}
        return {page: value for page, value in judged.items() if value is not None}, f"the topic {topic.name}"
    scores = index.text_scores(query, base.tolist())
    most = max(scores.values(), default=1.0)
    return {page: score / most for page, score in scores.items()}, "how well the text matches"


def _of_all(relevance: Mapping[int, float], base: IntArray) -> FloatArray:
    """Return the weights of all pages of the base set, shape (k,).

    A page has no known relevance if it was not fetched or is a copy. It gets the median of the other weights.
    """
    import numpy as np

    middle = float(np.median(list(relevance.values()))) if relevance else 1.0
    values = [relevance.get(page, middle) for page in base.tolist()]
    return np.maximum(np.array(values, np.float64), _LEAST_WEIGHT)


def _best(store: StoreReader, base: IntArray, scores: FloatArray, top: int) -> list[_ScoredPage]:
    import numpy as np

    places = np.argsort(-scores, kind="stable")[:top]
    places = places[scores[places] > 0]
    named = store.pages.named(base[places].tolist())
    return [
        _ScoredPage(float(scores[place]), page, named[page].url, named[page].title)
        for place, page in zip(places.tolist(), base[places].tolist(), strict=True)
    ]


def _lines(answer: _HubsAnswer) -> Iterator[str]:
    weighted = f", weighted by {printable(answer.weights)}" if answer.weights else ""
    yield (
        f"From {counted(answer.root_pages, 'page')} that a search finds to"
        f" {counted(answer.base_pages, 'page')} around them with {counted(answer.base_links, 'link')}{weighted}."
    )
    for title, pages in (("Authorities", answer.authorities), ("Hubs", answer.hubs)):
        yield f"\n{title}"
        for place, each in enumerate(pages, 1):
            yield f"{place:>4}  {each.score:.4f}  {printable(each.title or '(no title)')}"
            yield f"              {printable(each.url)}"
