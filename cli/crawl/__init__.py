"""`crawl`: from seed URLs to a link store.

command ──► crawl_run ──► a Display: live, plain lines or JSON lines
"""

from __future__ import annotations

from hinterland.cli.budget_options import page_budget, visit_budget
from hinterland.cli.command_parser import (
    DEFAULT_STORE,
    CommandParser,
    add_hook_option,
    add_plugin_option,
    add_settings_options,
    at_least_one,
)
from hinterland.cli.exit_codes import exit_code_table
from hinterland.crawler.policies import POLICIES

EXAMPLES = """\
examples:
  python3 run.py crawl https://docs.example.org/
      all pages of that host, into hinterland.db
  python3 run.py crawl --seeds seeds.txt --scope site --store big.db --max-pages 100000
      the sites (registrable domains) of the URLs in seeds.txt, up to 100,000 pages
  python3 run.py crawl --resume
      go on with hinterland.db, after Ctrl-C, a crash or the end of a budget
  python3 run.py crawl --resume --retry failed
      the same, and try every page again that had failed for good
  python3 run.py crawl https://docs.example.org/ --set politeness.delay_seconds=3 --log-json | jq .
      more slowly, and told to a program

  python3 run.py crawl --topic gardening.topic https://portal.example/ --max-pages 5000
      pages about gardening, anywhere on the web, from a page or more to begin with
  python3 run.py crawl --targets application/pdf https://www.example.org/
      the PDF files of that host, without visiting all of its pages first

  python3 run.py crawl https://shop.example/ --extract shop.toml
      and fill tables with what the rules in shop.toml find on its pages; see extract

  python3 run.py crawl https://docs.example.org/ --hinterland 1.0
      then as many pages outside as the domain has, chosen to tell what the web thinks of it; see rank
  python3 run.py crawl --resume --hinterland 2n --until-change 1e-3
      the same for a crawl that is done, with twice as many at most, until the estimate hardly changes

While it runs: Ctrl-C (or SIGTERM) finishes the visits under way and stops; a second one stops at once.
Nothing fetched is lost either way. On a terminal progress is a live display, in a pipe or a file it is
plain lines; both go to stderr, the summary at the end to stdout. With --log-json everything is one JSON
object per line on stdout.

""" + exit_code_table()


def add_arguments(command: CommandParser) -> None:
    """Add the options of `crawl`."""
    _add_domain(command)
    _add_hinterland(command)
    _add_resuming(command)
    command.add_argument(
        "--warc",
        metavar="DIR",
        help="also archive every request and response in that folder, as WARC files with an index for replay",
    )
    command.add_argument(
        "--keep-fresh",
        type=visit_budget,
        metavar="N/UNIT",
        help="then go on as `recrawl --budget N/UNIT --forever` would: 5000/day, or max for as many as hosts allow",
    )
    command.add_argument(
        "--log-json", action="store_true", help="progress, warnings and the end as JSON lines on stdout"
    )
    command.add_argument(
        "--cluster",
        metavar="WHERE:N",
        help="crawl in N parts, each with a process and a store of its own, and join them in the end: local:N here, or"
        " ray:N@HOST:PORT on the machines of a Ray cluster; see docs/scale.md",
    )
    add_plugin_option(command)
    add_settings_options(command)


def _add_domain(command: CommandParser) -> None:
    command.add_argument(
        "seeds",
        nargs="*",
        metavar="SEED",
        help="a URL to begin with; without a scheme https is meant, but http for localhost, addresses, names without"
        " a dot and other ports than 443 and 8443",
    )
    command.add_argument(
        "--seeds",
        dest="seeds_file",
        metavar="FILE",
        help="seeds, one per line, # before a comment; - is stdin",
    )
    command.add_argument("--store", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)")
    command.add_argument(
        "--policy",
        metavar="NAME",
        help=f"the order: {', '.join(POLICIES)} (default: bfs, with a topic focused)",
    )
    command.add_argument(
        "--scope",
        choices=("hosts", "site", "prefix", "web"),
        help="what is local: the seeds' hosts (default), their sites, what is below their folders, or the whole web"
        " (default with a topic)",
    )
    command.add_argument(
        "--topic",
        metavar="FILE",
        help="look for pages about a topic, see `topic new`: those likely to be about it come first, wherever they are",
    )
    command.add_argument(
        "--classifier", metavar="NAME", help="the same, for what a topic classifier that is a plug-in says is relevant"
    )
    command.add_argument(
        "--targets",
        metavar="TYPES",
        help="look for files of these content types, such as application/pdf,application/zip: the pages and links come"
        " first that probably lead to them",
    )
    command.add_argument(
        "--extract",
        metavar="RULES.toml",
        help="take fields out of pages by these rules, into tables of the store, see docs/extraction.md",
    )
    add_hook_option(command)
    command.add_argument(
        "--render",
        choices=("never", "auto", "always"),
        help="read pages as a headless Chromium shows them: with auto those that say nothing until their scripts have"
        " run, see docs/rendering.md (default: never)",
    )
    command.add_argument(
        "--max-pages",
        type=page_budget,
        metavar="N",
        help="stop when the store holds N HTML pages, all runs together; with --resume the budget of the last run stays"
        " until it is used up, and none lifts it",
    )
    command.add_argument("--max-depth", type=int, metavar="N", help="follow at most N links from a seed")


def _add_hinterland(command: CommandParser) -> None:
    command.add_argument(
        "--hinterland",
        metavar="X",
        help="fetch pages outside as well: X of them, or with a decimal point or an n (1.0, 2n) X times as many"
        " as local pages were fetched (default: 0)",
    )
    command.add_argument(
        "--refresh-pages",
        type=at_least_one,
        metavar="K",
        help="choose K pages outside at a time (default: a twenty-fifth of the budget)",
    )
    command.add_argument(
        "--until-change",
        type=float,
        metavar="D",
        help="stop when the estimate changed by less than D (L1) twice running",
    )
    command.add_argument(
        "--until-error",
        type=float,
        metavar="E",
        help="stop when the estimate is probably less than E (L1) from the truth",
    )
    command.add_argument(
        "--hinterland-share",
        type=float,
        metavar="S",
        help="do not wait until the domain is crawled: let pages outside be the share S of those fetched",
    )


def _add_resuming(command: CommandParser) -> None:
    command.add_argument(
        "--resume",
        action="store_true",
        help="go on with the crawl in the store; its scope, urls, policy and politeness hold unless given anew",
    )
    command.add_argument(
        "--retry",
        action="append",
        default=[],
        metavar="WHAT",
        help="with --resume: try again what failed, what was refused, what has an OUTCOME such as too_large or robots,"
        " what was read without the browser it needs (shell, unrendered), or what was settled under settings that have"
        " changed since (failed, refused, OUTCOME, shell, unrendered, changed; several with commas)",
    )
