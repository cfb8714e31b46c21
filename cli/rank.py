"""`rank`: the PageRank of the pages of a domain, by the links of the domain and as estimated for the whole web."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Final

from hinterland.cli.command_parser import CommandParser, add_plugin_option, add_store, count
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.cli.relevant_pages import add_relevant
from hinterland.library.text.wording import json_text

_INTERVAL_SECONDS: Final = 1.0

EXAMPLES = """\
examples:
  python3 run.py rank
      rank the pages of the domain as the web sees them, and show where the site itself disagrees
  python3 run.py rank big.db --top 50 --movers 0 --history
      more pages, and how the estimate converged during the crawl
  python3 run.py rank big.db --top 0 --format csv > ranks.csv
      all pages, for a spreadsheet
  python3 run.py rank gardening.db --relevant
      the domain is the pages about the topic of the crawl; all other pages are the web around it

Both rankings are PageRank (damping 0.85) of the pages of the local domain, scaled to sum to 1: one by the links of the
domain alone, one by the links of all fetched pages, which estimates how the whole web would rank them. The estimate
improves as more of the web around the domain is fetched (crawl --hinterland). The ranks are stored (view ranks), unless
a crawl is using the store.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `rank`."""
    add_store(command)
    command.add_argument(
        "--top", type=count, default=20, metavar="N", help="show the N highest pages (default: %(default)s; 0: all)"
    )
    command.add_argument(
        "--movers",
        type=count,
        default=10,
        metavar="N",
        help="show the N pages that the web and the site rank most differently (default: %(default)s)",
    )
    command.add_argument("--estimator", metavar="NAME", help="rank by this estimate (default: the program's choice)")
    command.add_argument(
        "--inlinks",
        metavar="FILE",
        help="correct the estimate by a list of links into the domain that no crawl can find, such as referrers from a "
        "server's log: rows of referrer,target or of target,count",
    )
    command.add_argument("--format", choices=("table", "csv", "json"), default="table", help="(default: %(default)s)")
    add_relevant(command, "rank only pages")
    command.add_argument(
        "--history", action="store_true", help="also show every refresh of the estimate during the crawl"
    )
    add_plugin_option(command)


def run(arguments: Namespace) -> int:
    """Rank the local pages and print them; returns the exit code."""
    # Imported only now, so that --help need not wait:
    from hinterland.cli.rank_text import as_csv, as_table
    from hinterland.crawler.parsing.compiled.freed_memory import limit_freed_memory
    from hinterland.library.rank_answer import as_json
    from hinterland.library.ranking import rank

    limit_freed_memory()
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        answer = rank(
            arguments.store,
            estimator=arguments.estimator,
            relevant=arguments.relevant,
            top=arguments.top,
            movers=arguments.movers,
            with_history=arguments.history,
            inlinks=arguments.inlinks,
            plugins=arguments.plugins,
            on_step=progress.hint,
        )
    if answer.not_stored:
        print(f"hinterland: the ranks are not stored: {answer.not_stored}", file=sys.stderr)
    output = Output(sys.stdout)
    match arguments.format:
        case "csv":
            output.write(as_csv(answer))
        case "json":
            output.write(json_text(as_json(answer)))
        case _:
            output.write(as_table(answer, output.width))
    return OK
