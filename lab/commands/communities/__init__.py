"""`communities`: pages that link to the same pages."""

from __future__ import annotations

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, at_least_one

EXAMPLES = """\
examples:
  python3 run.py communities hinterland.db
      sets of 3 pages or more that all link to the same 3 pages of other hosts, those of most hosts first
  python3 run.py communities hinterland.db --fans 4 --centres 5 --min-hosts 3
      larger ones, among pages that link to 3 other hosts or more
  python3 run.py communities graphs/cnr-2000 --table
      how many there are of 3 to 6 fans and 3 to 9 centres

The communities are bipartite cores, found as by Kumar et al. (1999): links within a host do not count, nor pages that
link to few hosts, mirrors of other pages, and pages that very many link to. They are named by the titles of the pages
that link and the texts of their links. FILE is a link store or a graph as `simulate` reads it.
"""


def add_arguments(command: CommandParser) -> None:
    command.add_argument(
        "graph", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="a store or a graph (default: %(default)s)"
    )
    command.add_argument(
        "--fans", type=at_least_one, default=3, metavar="I", help="pages that link, at least (default: %(default)s)"
    )
    command.add_argument(
        "--centres", type=at_least_one, default=3, metavar="J", help="pages they all link to (default: %(default)s)"
    )
    command.add_argument(
        "--min-hosts",
        type=at_least_one,
        default=6,
        metavar="N",
        help="other hosts that a page that counts must link to (default: %(default)s)",
    )
    command.add_argument(
        "--max-inlinks",
        type=at_least_one,
        default=50,
        metavar="N",
        help="leave out pages that more than N such pages link to (default: %(default)s)",
    )
    command.add_argument("--keep-mirrors", action="store_true", help="pages with the links of others count, too")
    command.add_argument("--table", action="store_true", help="count cores by fans and centres instead")
    command.add_argument("--top", type=at_least_one, default=20, metavar="N", help="(default: %(default)s)")
    command.add_argument("--json", action="store_true", help="as one JSON object")
