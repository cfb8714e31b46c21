"""`report`: the structure of a graph as one page, and as numbers."""

from __future__ import annotations

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, count

EXAMPLES = """\
examples:
  python3 run.py report --out report.html
      the graph of hinterland.db as one page, to be opened in any browser
  python3 run.py report big.db --out big.html --json big.json
      the same, and all numbers for a program
  python3 run.py report graphs/cnr-2000 --out cnr.html
      a stored graph: an .npz with src, dst and n, or a folder with such a graph.npz

It counts what can be counted; what is estimated has a 95 % interval. Of a store it also tells how every figure moved
while the crawl grew. A million pages with ten million links take about a minute or two and a gigabyte of memory.
docs/webgraph.md explains the figures.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument(
        "graph", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="a link store or a graph (default: %(default)s)"
    )
    command.add_argument("--out", default="report.html", metavar="FILE", help="the page (default: %(default)s)")
    command.add_argument("--json", metavar="FILE", help="all numbers, as JSON")
    command.add_argument("--seed", type=count, default=1, metavar="N", help="of what is drawn by lot (default: 1)")
