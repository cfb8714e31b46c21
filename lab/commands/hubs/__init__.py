"""`hubs`: the hubs and authorities of a query."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, add_settings_options, at_least_one, count

EXAMPLES = """\
examples:
  python3 run.py hubs hinterland.db tide tables
      the pages on tide tables that good lists of such pages link to, and these lists
  python3 run.py hubs hinterland.db '"web crawler"' --root 500 --top 20 --json
      from more pages, and more of them shown
  python3 run.py hubs site.db install --within-hosts
      in a crawl of one host, whose links within it count then

The best pages of a search are the root set; with what they link to, and some pages that link to them, they are the base
set (Kleinberg 1999). Links within a host do not count, and the pages of a host that link to one page have one voice
together (Bharat & Henzinger 1998). Links count more from pages that are relevant: by the topic of the crawl, if it has
one, or else by how well their text answers the query. `index` makes the index that is asked.
"""


def add_arguments(command: CommandParser) -> None:
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
        help="pages that link to each of them to take in (default: %(default)s)",
    )
    command.add_argument("--within-hosts", action="store_true", help="links within a host count, too")
    command.add_argument("--unweighted", action="store_true", help="all links count alike, as Kleinberg has it")
    command.add_argument("--top", type=at_least_one, default=10, metavar="N", help="(default: %(default)s)")
    command.add_argument("--json", action="store_true", help="as one JSON object")
    add_settings_options(command)
