"""`simulate`: policies and estimators tried on one local domain of a stored graph."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, positive
from hinterland.distribution.installation import how_to_add
from hinterland.lab.commands.experiments import add_strategies

EXAMPLES = f"""\
examples:
  python3 run.py simulate graphs/hollins --local www.hollins.edu
      how near each policy comes to the true PageRank of that host's pages, n outside pages crawled
  python3 run.py simulate graphs/hollins --local www.hollins.edu --policies flow,random --budget 2 \\
      --iterations 50 --json kept.json --plot curves.svg
      two policies, twice the pages, in 50 rounds; figures and plots are kept
  python3 run.py simulate hinterland.db --local https://docs.example.org/guide/
      on the fetched pages of a store
  python3 run.py simulate hinterland.db --virtual-clock
      by the frontier of the live crawl, under the delays of politeness

GRAPH is an .npz with the arrays src, dst and n, a folder with a graph.npz and urls.txt.gz, or a link store.
Plots need matplotlib: {how_to_add("plots", "matplotlib")}
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument("graph", metavar="GRAPH", help="an .npz, a folder with a graph.npz, or a link store")
    command.add_argument(
        "--local",
        metavar="NAME",
        help="the local domain: a host, a suffix of hosts, a URL prefix, a label or a block"
        " (default: what a store calls local)",
    )
    add_strategies(command)
    command.add_argument(
        "--budget",
        type=positive,
        default=1.0,
        metavar="X",
        help="outside pages to crawl, as a multiple of the local ones (default: %(default)s)",
    )
    command.add_argument("--plot", metavar="FILE", help="draw the curves as .svg, .png or .pdf")
    command.add_argument(
        "--influence-plot",
        metavar="FILE",
        help="draw the score of SC-Select against the exact influence of frontier pages",
    )
    command.add_argument(
        "--virtual-clock",
        action="store_true",
        help="crawl local and outside pages together, by the frontier of the live crawl",
    )
    command.add_argument(
        "--latency",
        type=positive,
        default=0.3,
        metavar="SECONDS",
        help="median duration of a visit under the virtual clock (default: %(default)s)",
    )
