"""`quality`: how early a crawl found the pages that matter most."""

from __future__ import annotations

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, add_plugin_option, at_least_one

EXAMPLES = """\
examples:
  python3 run.py quality hinterland.db
      the pages of a crawl in the order they were fetched, by PageRank and as an authority
  python3 run.py quality hinterland.db --policies bfs,indegree,random
      the same of crawls of that web by other policies, under the clock of a simulation
  python3 run.py quality graphs/uci-ics-2020 --slices 20 --json quality.json

What Najork & Wiener (2001) measured of Mercator: the mean score of the pages of each slice of the crawl, where 1 is
the average of all; in which slice the N best pages were fetched on average; and how many of the N best were already
among the N best of what was known half-way. `remote` counts links between hosts only. FILE is a link store or a graph
as `simulate` reads it; of a graph the order is that of a policy.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument(
        "graph", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="a store or a graph (default: %(default)s)"
    )
    command.add_argument(
        "--policies", metavar="NAME,...", help="crawl it by these policies (default: as a store was crawled, else bfs)"
    )
    command.add_argument(
        "--slices", type=at_least_one, default=50, metavar="N", help="of as many pages each (default: %(default)s)"
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of what is drawn (default: %(default)s)")
    command.add_argument("--json", metavar="FILE", help="keep all figures")
    add_plugin_option(command)
