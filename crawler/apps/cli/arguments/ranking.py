"""What `rank` understands. Pure."""

from __future__ import annotations

from crawler.apps.cli.arguments.options import DEFAULT_STORE, Commands, add_command, count

_RANK = """\
examples:
  python3 run.py rank
      the pages of the domain by what the web says of them, and where the site itself sees it otherwise
  python3 run.py rank big.db --top 50 --movers 0 --history
      more of them, and how the estimate settled while it was crawled
  python3 run.py rank big.db --top 0 --format csv > ranks.csv
      all pages, for a spreadsheet

Both rankings are PageRank (damping 0.85) of the pages of the local domain, scaled to sum to 1: by the links of the
domain alone, and by those of all pages fetched, which is an estimate of what the whole web would say. The more of
the web around the domain is fetched (crawl --hinterland), the better. The ranks are stored (view ranks), unless a
crawl is using the store.
"""


def add_rank(commands: Commands) -> None:
    rank = add_command(commands, "rank", "rank the pages of a domain as the web sees them", _RANK)
    rank.add_argument(
        "store", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)"
    )
    rank.add_argument(
        "--top", type=count, default=20, metavar="N", help="so many pages (default: %(default)s; 0: all)"
    )
    rank.add_argument(
        "--movers",
        type=count,
        default=10,
        metavar="N",
        help="so many of those that the web and the site see most differently (default: %(default)s)",
    )
    rank.add_argument("--estimator", metavar="NAME", help="which estimate counts (default: the program's choice)")
    rank.add_argument("--format", choices=("table", "csv", "json"), default="table", help="(default: %(default)s)")
    rank.add_argument("--history", action="store_true", help="with every refresh of the estimate during the crawl")
