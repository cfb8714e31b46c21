"""`communities`: finds sets of pages that link to the same pages."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, at_least_one
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted, json_text, number, printable, table

if TYPE_CHECKING:
    from hinterland.analysis.graph import IntArray
    from hinterland.analysis.measured_graph import MeasuredGraph
    from hinterland.lab.trawling.communities import Community
    from hinterland.lab.trawling.fan_links import FanLinks
    from hinterland.storage.reading.reader import StoreReader

HELP = "find communities: pages that link to the same pages"
GROUP = "Research"
NEEDS = ("research",)


EXAMPLES = """\
examples:
  python3 run.py communities hinterland.db
      sets of 3 or more pages that all link to the same 3 pages on other hosts; those on most hosts come first
  python3 run.py communities hinterland.db --fans 4 --centres 5 --min-hosts 3
      larger sets, among pages that link to at least 3 other hosts
  python3 run.py communities graphs/cnr-2000 --table
      the number of cores with 3 to 6 fans and 3 to 9 centres

The communities are bipartite cores, found as by Kumar et al. (1999). Links within a host are ignored, and so are pages
that link to few hosts, mirrors of other pages, and pages with very many inlinks. Communities are described by the
titles of the pages that link and the texts of their links. FILE is a link store or a graph as `simulate` reads it.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `communities`."""
    command.add_argument(
        "graph", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="a store or a graph (default: %(default)s)"
    )
    command.add_argument(
        "--fans", type=at_least_one, default=3, metavar="I", help="at least I pages that link (default: %(default)s)"
    )
    command.add_argument(
        "--centres",
        type=at_least_one,
        default=3,
        metavar="J",
        help="at least J pages that they all link to (default: %(default)s)",
    )
    command.add_argument(
        "--min-hosts",
        type=at_least_one,
        default=6,
        metavar="N",
        help="only pages that link to at least N other hosts (default: %(default)s)",
    )
    command.add_argument(
        "--max-inlinks",
        type=at_least_one,
        default=50,
        metavar="N",
        help="leave out pages with more than N links from such pages (default: %(default)s)",
    )
    command.add_argument(
        "--keep-mirrors", action="store_true", help="keep pages that have the same links as another page"
    )
    command.add_argument(
        "--max-steps",
        type=at_least_one,
        default=MOST_STEPS,
        metavar="N",
        help="stop searching densely linked pages after N steps; communities may then be missing. The default takes"
        " about two seconds (default: %(default)s)",
    )
    command.add_argument("--table", action="store_true", help="count cores by fans and centres instead")
    command.add_argument(
        "--top", type=at_least_one, default=20, metavar="N", help="communities to show (default: %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="as one JSON object")


MOST_STEPS = 5_000_000
FANS = range(3, 7)
CENTRES = range(3, 10)
"""The sizes in the table, as in the paper."""
_TITLES = 3
_ANCHORS = 6
_SHOWN = 12
"""Pages of each kind that are listed in text; the JSON has all of them."""
_ASKED = 20
"""Fans whose titles and anchor texts are read."""


@dataclass(frozen=True, slots=True)
class _NamedCommunity:
    """A community with the texts that are shown for it.

    `titles` are the titles of the fans, and `anchors` the texts of their links to the centres; both begin with the most
    frequent. `hosts` counts the hosts of the fans.
    """

    hosts: int
    titles: Sequence[str]
    anchors: Sequence[str]
    fans: Sequence[str]
    centres: Sequence[str]


@dataclass(frozen=True, slots=True)
class CoreCount:
    """The number of cores of one size.

    `generated` counts the cores that elimination and generation found. `diverse` counts the cores among these whose
    fans are on at least `fans` hosts. `left_fans` counts the remaining pages, whose links are too dense to separate
    cores.
    """

    fans: int
    centres: int
    generated: int
    diverse: int
    left_fans: int


def core_counts(found: FanLinks, hosts: IntArray) -> list[CoreCount]:
    """Count the cores of every size that is in the paper's table."""
    from hinterland.lab.trawling.cores import cores, diverse

    counts = []
    for i in FANS:
        for j in CENTRES:
            each = cores(found.links, i, j, most_steps=0)
            is_diverse = diverse(each, hosts, i)
            counts.append(CoreCount(i, j, each.generated, int(is_diverse[: each.generated].sum()), each.left_fans))
    return counts


def run(arguments: Namespace) -> int:
    """Find communities and print them."""
    from hinterland.analysis.stored_graph import UnusableGraph
    from hinterland.lab.trawling.communities import communities
    from hinterland.lab.trawling.cores import cores
    from hinterland.lab.trawling.fan_links import fan_links
    from hinterland.library.graph_opening import is_store, open_graph
    from hinterland.storage.reading.opening import reading

    for option in ("fans", "centres"):
        if getattr(arguments, option) < 2:
            raise HinterlandError(f"--{option} {getattr(arguments, option)}: must be at least 2")
    path = Path(arguments.graph)
    try:
        graph = open_graph(path, with_names=not is_store(path))
    except UnusableGraph as error:
        raise HinterlandError(str(error)) from error
    found = fan_links(
        graph.crawled.links,
        graph.crawled.hosts,
        min_hosts=arguments.min_hosts,
        max_inlinks=arguments.max_inlinks,
        drop_mirrors=not arguments.keep_mirrors,
    )
    if not found.fans:
        raise HinterlandError(
            f"no page of {path} links to {counted(arguments.min_hosts, 'other host')}; lower --min-hosts"
        )
    output = Output(sys.stdout)
    if arguments.table:
        counts = core_counts(found, graph.crawled.hosts)
        output.write(json_text(_as_json(found, counts)) if arguments.json else "\n".join(_table(found, counts)))
        return OK
    all_ = cores(found.links, arguments.fans, arguments.centres, most_steps=arguments.max_steps)
    joined = communities(all_, found.links, graph.crawled.hosts)
    with ExitStack() as stack:
        store = stack.enter_context(reading(path)) if is_store(path) else None
        named = [_named(each, graph, store) for each in joined[: arguments.top]]
    if arguments.json:
        told = {**_as_json(found, []), "cores": all_.generated, "is_complete": all_.is_complete}
        told["closed_cores"] = len(all_) - all_.generated
        del told["table"]
        output.write(json_text({**told, "count": len(joined), "communities": [asdict(each) for each in named]}))
    else:
        dense, least = len(all_) - all_.generated, "" if all_.is_complete else "at least "
        more = f", and {least}{number(dense)} where links are dense" if all_.left_fans else ""
        sets = f"{counted(all_.generated, 'core')}{more}; {counted(len(joined), 'set')} of fans."
        hint = [] if joined else ["Lower --min-hosts, --fans or --centres to find smaller ones."]
        if not all_.is_complete:
            hint.append(
                f"The search ended after {counted(arguments.max_steps, 'step')}; raise --max-steps to find all."
            )
        output.write("\n".join([_fans_line(found), sets, *hint, *_lines(named)]))
    return OK


def _named(community: Community, graph: MeasuredGraph, store: StoreReader | None) -> _NamedCommunity:
    fans, centres = community.fans.tolist(), community.centres.tolist()
    if store is None:
        names_of = _names_of(graph)
        fan_names, centre_names = names_of(fans), names_of(centres)
        return _NamedCommunity(community.hosts, [], [], fan_names, centre_names)
    anchors = Counter[str]()
    for fan in fans[:_ASKED]:
        anchors.update(" ".join(text.split()) for text in store.links.anchors_between(fan, centres))
    titles = Counter(each.title for each in store.pages.named(fans[:_ASKED]).values() if each.title)
    names = store.pages.urls_of([*fans, *centres])
    return _NamedCommunity(
        community.hosts,
        [title for title, _ in titles.most_common(_TITLES)],
        [anchor for anchor, _ in anchors.most_common(_ANCHORS)],
        [names[page] for page in fans],
        [names[page] for page in centres],
    )


def _names_of(graph: MeasuredGraph) -> Callable[[Iterable[int]], list[str]]:
    names = graph.names
    return lambda pages: [f"page {page}" if names is None else names[page] for page in pages]


def _as_json(found: FanLinks, counts: Sequence[CoreCount]) -> dict[str, object]:
    return {
        "fans": found.fans,
        "mirrors": found.mirrors,
        "popular": found.popular,
        "links": found.links.link_count,
        "table": [asdict(each) for each in counts],
    }


def _fans_line(found: FanLinks) -> str:
    return (
        f"Pages that link to enough hosts: {number(found.fans)}, {number(found.mirrors)} of them mirrors;"
        f" {counted(found.popular, 'page')} with too many inlinks left out; {counted(found.links.link_count, 'link')}."
    )


def _table(found: FanLinks, counts: Sequence[CoreCount]) -> Iterator[str]:
    yield _fans_line(found)
    yield "Cores by fans (rows) and centres (columns); in parentheses, those whose fans are on as many hosts:"
    by_size = {(each.fans, each.centres): each for each in counts}
    rows = [["", *map(str, CENTRES)]]
    for i in FANS:
        cells = (by_size[i, j] for j in CENTRES)
        rows.append([str(i), *(f"{number(each.generated)} ({number(each.diverse)})" for each in cells)])
    yield from table(rows, right=range(1, len(CENTRES) + 1))


def _lines(named: Sequence[_NamedCommunity]) -> Iterator[str]:
    for place, each in enumerate(named, 1):
        yield ""
        fans = f"{counted(len(each.fans), 'fan')} on {counted(each.hosts, 'host')}"
        yield f"{place:>3}  {fans}, {counted(len(each.centres), 'centre')}"
        if each.titles:
            yield f"     {printable(' | '.join(each.titles))}"
        if each.anchors:
            yield f"     {printable(' | '.join(each.anchors))}"
        for sign, urls in (("from", each.fans), ("to", each.centres)):
            for url in urls[:_SHOWN]:
                yield f"     {sign:<4} {printable(url)}"
            if len(urls) > _SHOWN:
                yield f"     ... and {number(len(urls) - _SHOWN)} more"
