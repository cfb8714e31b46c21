"""`sample`: draws near-uniform samples of pages by random walks."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence

from hinterland.cli.command_parser import CommandParser, add_settings_options, at_least_one, count, share

HELP = "draw a near-uniform sample of pages by a random walk"
GROUP = "Research"
NEEDS = ("research",)

EXAMPLES = """\
examples:
  python3 run.py sample hinterland.db --count 200 > sample.tsv
      pages of a store, each as likely as any other, by an undirected walk over its links
  python3 run.py sample graphs/cnr-2000 --method directed --estimate-steps 100000000 --json
      by a walk that follows links forward only; all results as JSON
  python3 run.py sample walk.db --live --start https://your.site.example/ --count 50
      from the live web: the walk fetches each page it reaches once, as politely as a crawl, into walk.db;
      repeat the command to continue it

methods:
  undirected         links both ways; visits accepted by 1/degree
  directed           links forward; visits accepted by 1/visits of a further walk of --estimate-steps
  regular            links both ways and loops up to --degree-bound; all visits accepted
  pagerank           forward, and jumps among visited pages; accepted by 1/PageRank of what was visited (biased)
  modified-pagerank  forward, and jumps among all pages; accepted as in directed

GRAPH is a link store, an .npz with the arrays src, dst and n, or a folder with a graph.npz; the walk stays on pages
whose links are known. stdout has one page a line, its weight first; stderr says how far the sample is from uniform and
how many independent pages it is worth.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `sample`."""
    command.add_argument("graph", metavar="GRAPH", help="a link store, an .npz or a folder with a graph.npz")
    command.add_argument("--method", default="undirected", metavar="NAME", help="see below (default: %(default)s)")
    command.add_argument(
        "--count", type=at_least_one, metavar="N", help="pages to draw, at most (default: all accepted)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the walk (default: %(default)s)")
    command.add_argument("--start", metavar="URL", help="where the walk begins (default: the page with most links)")
    command.add_argument("--burn-in", type=count, metavar="N", help="steps before the first recorded one")
    command.add_argument("--steps", type=at_least_one, metavar="K", help="steps to record")
    command.add_argument(
        "--estimate-steps",
        type=at_least_one,
        metavar="M",
        help="steps of the further walk that estimates how often pages are visited",
    )
    command.add_argument("--jump", type=share, metavar="P", help="pagerank: probability of a jump (default: 1/7)")
    command.add_argument(
        "--degree-bound", type=at_least_one, metavar="D", help="regular: links and loops of a page (default: fewest)"
    )
    command.add_argument("--core", action="store_true", help="walk only in the largest strongly connected component")
    command.add_argument(
        "--live", action="store_true", help="walk over the live web, and store what is fetched in GRAPH"
    )
    command.add_argument("--scope", choices=("hosts", "site", "prefix", "web"), help="live: how far the walk may go")
    command.add_argument("--max-pages", type=at_least_one, metavar="N", help="live: most HTML pages in the store")
    command.add_argument(
        "--weighted",
        action="store_true",
        help="print all visited pages, with weights for averages, instead of the accepted ones",
    )
    command.add_argument("--json", action="store_true", help="write everything as one JSON object to stdout")
    add_settings_options(command)


def known_words() -> Mapping[str, Sequence[str]]:
    """Return the possible values of each option, for shell completion."""
    from hinterland.lab.walks.sampling import METHODS

    return {"method": list(METHODS)}


def run(arguments: Namespace) -> int:
    """Draw the sample. The module for this is imported only now, so that --help is fast."""
    from hinterland.lab.commands.sample.command import run as sampled

    return sampled(arguments)
