"""`rank`: the PageRank of a crawled domain, as the site sees itself and as the web sees it."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, add_plugin_option, add_store, count
from hinterland.cli.relevant_pages import add_relevant

EXAMPLES = """\
examples:
  python3 run.py rank
      the pages of the domain by what the web says of them, and where the site itself sees it otherwise
  python3 run.py rank big.db --top 50 --movers 0 --history
      more of them, and how the estimate settled while it was crawled
  python3 run.py rank big.db --top 0 --format csv > ranks.csv
      all pages, for a spreadsheet
  python3 run.py rank gardening.db --relevant
      of a crawl for a topic: the pages about it are the domain, all others the web around them

Both rankings are PageRank (damping 0.85) of the pages of the local domain, scaled to sum to 1: by the links of the
domain alone, and by those of all pages fetched, which is an estimate of what the whole web would say. The more of
the web around the domain is fetched (crawl --hinterland), the better. The ranks are stored (view ranks), unless a
crawl is using the store.
"""


def add_arguments(command: CommandParser) -> None:
    add_store(command)
    command.add_argument(
        "--top", type=count, default=20, metavar="N", help="the number of pages (default: %(default)s; 0: all)"
    )
    command.add_argument(
        "--movers",
        type=count,
        default=10,
        metavar="N",
        help="the number of pages that the web and the site see most differently (default: %(default)s)",
    )
    command.add_argument("--estimator", metavar="NAME", help="which estimate counts (default: the program's choice)")
    command.add_argument("--format", choices=("table", "csv", "json"), default="table", help="(default: %(default)s)")
    add_relevant(command, "the local domain is the pages")
    command.add_argument("--history", action="store_true", help="with every refresh of the estimate during the crawl")
    add_plugin_option(command)
