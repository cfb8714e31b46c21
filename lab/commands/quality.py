"""`quality`: measures how early a crawl found the most important pages."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, add_plugin_option, at_least_one
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted, number, sparkline, table

if TYPE_CHECKING:
    from hinterland.analysis.graph import IntArray
    from hinterland.analysis.measured_graph import MeasuredGraph
    from hinterland.lab.crawl_quality import SliceQuality

HELP = "tell how early a crawl found the most important pages"
GROUP = "Research"
NEEDS = ("research",)


EXAMPLES = """\
examples:
  python3 run.py quality hinterland.db
      score the pages of a crawl, in the order they were fetched, by PageRank and HITS authority
  python3 run.py quality hinterland.db --policies bfs,indegree,random
      the same for simulated crawls of that web by other policies
  python3 run.py quality graphs/uci-ics-2020 --slices 20 --json quality.json

Measures what Najork & Wiener (2001) measured for Mercator: the mean score of the pages in each slice of the crawl,
where 1 is the mean of all; the slice in which the N best pages were fetched, on average; and how many of the N best
were already among the N best of the graph known half-way. `remote` counts links between hosts only. FILE is a link
store or a graph as `simulate` reads it; a graph is crawled in the order of a policy.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `quality`."""
    command.add_argument(
        "graph", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="a store or a graph (default: %(default)s)"
    )
    command.add_argument(
        "--policies", metavar="NAME,...", help="crawl it by these policies (default: as a store was crawled, else bfs)"
    )
    command.add_argument(
        "--slices",
        type=at_least_one,
        default=50,
        metavar="N",
        help="slices of equally many pages (default: %(default)s)",
    )
    command.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of all random draws (default: %(default)s)"
    )
    command.add_argument("--json", metavar="FILE", help="write all figures to FILE")
    add_plugin_option(command)


_AS_CRAWLED = "as crawled"
_SCORES = {"pagerank": "PageRank", "remote": "PageRank, remote links", "authority": "HITS authority"}
_HALF = 0.5


def run(arguments: Namespace) -> int:
    """Measure the crawls and print how early each found the best pages."""
    from hinterland.analysis.stored_graph import UnusableGraph
    from hinterland.lab.commands.experiments.sources import JSON_BEGINS, check_result_file, chosen_policies, write_json
    from hinterland.library.graph_opening import open_graph
    from hinterland.library.plugin_tables import enter_plugins

    enter_plugins(arguments.plugins)
    policies = [] if arguments.policies is None else chosen_policies(arguments.policies)
    check_result_file(arguments.json, JSON_BEGINS)
    try:
        graph = open_graph(Path(arguments.graph), with_names=False)
    except UnusableGraph as error:
        raise HinterlandError(str(error)) from error
    if not len(graph.crawled.order):
        raise HinterlandError(f"{arguments.graph} has no page whose links are known")
    output = Output(sys.stdout)
    links = graph.crawled.links
    output.write(
        f"{graph.name}: {counted(len(graph.crawled.order), 'page')} fetched,"
        f" {number(links.page_count)} known, {counted(links.link_count, 'link')}"
    )
    found: dict[str, Mapping[str, SliceQuality]] = {}
    for name, order in _orders(graph, policies, arguments.seed):
        found[name] = _quality(graph, order, arguments.slices)
        output.write("\n".join(["", *_lines(name, len(order), found[name])]))
    if arguments.json is not None:
        crawls = {name: {metric: asdict(each) for metric, each in by.items()} for name, by in found.items()}
        write_json(arguments.json, {"graph": graph.name, "slices": arguments.slices, "crawls": crawls})
    return OK


def _orders(graph: MeasuredGraph, policies: list[str], seed: int) -> Iterator[tuple[str, IntArray]]:
    """Yield each crawl to measure: its name, and its pages in the order of their visits.

    If no policies are given, it is the crawl in the store, if the store has its order. Otherwise, the policies crawl
    the pages whose links are known in a simulation.
    """
    from hinterland.crawler.policies import make_policy
    from hinterland.lab.experiments.whole_crawl import crawl_order

    if not policies and graph.visit_order is not None:
        yield _AS_CRAWLED, graph.visit_order
        return
    crawled = graph.crawled
    for policy in policies or ["bfs"]:
        order = crawl_order(crawled.inner, crawled.hosts[crawled.crawled], make_policy(policy, seed), seed)
        yield policy, crawled.crawled[order]


def _quality(graph: MeasuredGraph, order: IntArray, slices: int) -> dict[str, SliceQuality]:
    from hinterland.analysis.pagerank import DidNotConverge
    from hinterland.lab.crawl_quality import METRICS, crawl_quality

    links, hosts = graph.crawled.links, graph.crawled.hosts
    found = {}
    for metric in METRICS:
        if metric != "pagerank" and not links.without_links_within(hosts).link_count:
            continue  # a single host, or hosts that are unknown
        try:
            found[metric] = crawl_quality(links, hosts, order, metric, slices=slices)
        except DidNotConverge as error:
            raise HinterlandError(f"{metric} of {graph.name} does not converge: {error}") from error
    return found


def _lines(name: str, fetched: int, quality: Mapping[str, SliceQuality]) -> Iterator[str]:
    yield f"{name}, {counted(fetched, 'page')}"
    rows = [["mean score, 1 for all pages", "first slice", "last", "slice by slice"]]
    for metric, each in quality.items():
        rows.append([_SCORES[metric], f"{each.averages[0]:.2f}", f"{each.averages[-1]:.2f}", sparkline(each.averages)])
    yield from table(rows, right=(1, 2))
    tops = [size for size in next(iter(quality.values())).mean_slices if str(size).startswith("1")]
    rows = [["slice of the N best, N =", *map(number, tops)]]
    rows += [[_SCORES[metric], *(f"{each.mean_slices[top]:.1f}" for top in tops)] for metric, each in quality.items()]
    yield from table(rows, right=range(1, len(tops) + 1))
    rows = [["share of them known half-way", *map(number, tops)]]
    for metric, each in quality.items():
        rows.append([_SCORES[metric], *(f"{100 * each.overlaps[_HALF][top]:.0f} %" for top in tops)])
    yield from table(rows, right=range(1, len(tops) + 1))
