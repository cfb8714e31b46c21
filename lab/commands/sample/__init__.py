"""`sample`: near-uniform samples of pages, by random walks."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence

from hinterland.cli.command_parser import CommandParser, add_settings_options, at_least_one, count, share

HELP = "draw pages nearly uniformly, by a random walk"
GROUP = "Research"
NEEDS = ("research",)

EXAMPLES = """\
examples:
  python3 run.py sample hinterland.db --count 200 > sample.tsv
      pages of a store, each as likely as any other, by an undirected walk over its links
  python3 run.py sample graphs/cnr-2000 --method directed --estimate-steps 100000000 --json
      by a walk along the links only; everything that was found, for programs
  python3 run.py sample walk.db --live --start https://your.site.example/ --count 50
      of the live web: the walk fetches each page that it comes to once, as politely as a crawl, into walk.db;
      the same command again goes on with what was fetched

methods:
  undirected         links both ways; visits accepted by 1/degree
  directed           links forward; visits accepted by 1/visits of a further walk of --estimate-steps
  regular            links both ways and loops up to --degree-bound; all visits accepted
  pagerank           forward, and jumps among visited pages; accepted by 1/PageRank of what was visited (biased)
  modified-pagerank  forward, and jumps among all pages; accepted as in directed

GRAPH is a link store, an .npz with the arrays src, dst and n, or a folder with a graph.npz; the walk keeps to the pages
whose links are known. stdout has the sample, one page a line with its weight before it; stderr says how far it is from
uniform and how many independent pages it is worth.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument("graph", metavar="GRAPH", help="a link store, an .npz or a folder with a graph.npz")
    command.add_argument("--method", default="undirected", metavar="NAME", help="see below (default: %(default)s)")
    command.add_argument("--count", type=at_least_one, metavar="N", help="of pages at most (default: all accepted)")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the walk (default: %(default)s)")
    command.add_argument("--start", metavar="URL", help="where the walk begins (default: the page with most links)")
    command.add_argument("--burn-in", type=count, metavar="N", help="first steps, which are not recorded")
    command.add_argument("--steps", type=at_least_one, metavar="K", help="recorded steps")
    command.add_argument("--estimate-steps", type=at_least_one, metavar="M", help="further steps, to estimate by")
    command.add_argument("--jump", type=share, metavar="P", help="pagerank: probability of a jump (default: 1/7)")
    command.add_argument(
        "--degree-bound", type=at_least_one, metavar="D", help="regular: links and loops of a page (default: fewest)"
    )
    command.add_argument("--core", action="store_true", help="walk only in the largest strongly connected component")
    command.add_argument("--live", action="store_true", help="walk over the web, and keep what is fetched in GRAPH")
    command.add_argument("--scope", choices=("hosts", "site", "prefix", "web"), help="live: how far it may go")
    command.add_argument("--max-pages", type=at_least_one, metavar="N", help="live: HTML pages the store may hold")
    command.add_argument(
        "--weighted", action="store_true", help="all pages visited with weights to average by, not the accepted ones"
    )
    command.add_argument("--json", action="store_true", help="everything, as one JSON object on stdout")
    add_settings_options(command)


def known_words() -> Mapping[str, Sequence[str]]:
    """What may follow options, for the completion of command lines."""
    from hinterland.lab.walks.sampling import METHODS

    return {"method": list(METHODS)}


def run(arguments: Namespace) -> int:
    from hinterland.lab.commands.sample.command import run as sampled  # what --help need not wait for

    return sampled(arguments)
