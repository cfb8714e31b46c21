"""`rank`: the PageRank of a crawled domain, as the site sees itself and as the web sees it."""

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
    """Add the options of `rank`."""
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


def run(arguments: Namespace) -> int:
    """Rank the local pages and print them; returns the exit code."""
    # What --help need not wait for:
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
