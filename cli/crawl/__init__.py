"""`crawl`: crawls from seed URLs into a link store.

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
from hinterland.cli.crawl.feature_options import add_feature_options
from hinterland.cli.exit_codes import exit_code_table
from hinterland.crawler.policies import POLICIES

EXAMPLES = """\
examples:
  python3 run.py crawl https://docs.example.org/
      all pages of that host, into hinterland.db
  python3 run.py crawl --seeds seeds.txt --scope site --store big.db --max-pages 100000
      the sites (registrable domains) of the URLs in seeds.txt, up to 100,000 pages
  python3 run.py crawl --resume
      resume the crawl in hinterland.db, after Ctrl-C, a crash or the end of a budget
  python3 run.py crawl --resume --retry failed
      the same, and retry every page that had failed for good
  python3 run.py crawl https://docs.example.org/ --set politeness.delay_seconds=3 --log-json | jq .
      more slowly, with progress as JSON for a program

  python3 run.py crawl --topic gardening.topic https://portal.example/ --max-pages 5000
      pages about gardening, anywhere on the web, starting from one page or more
  python3 run.py crawl --targets application/pdf https://www.example.org/
      the PDF files of that host, without visiting all of its pages first

  python3 run.py crawl https://shop.example/ --extract shop.toml
      also fill tables with what the rules in shop.toml find on its pages; see extract

  python3 run.py crawl https://docs.example.org/ --hinterland 1.0
      all pages of that host, then as many of other hosts, chosen to estimate how the web ranks them; see rank
  python3 run.py crawl --resume --hinterland 2n --until-change 1e-3
      the same after a finished crawl: at most twice as many pages, and only until the estimate hardly changes

Ctrl-C (or SIGTERM) finishes the visits in flight and stops; a second one stops at once. Nothing fetched is lost either
way. Progress is a live display on a terminal, and plain lines elsewhere; both go to stderr, the summary to stdout. With
--log-json everything is one JSON object per line on stdout.

""" + exit_code_table()


def add_arguments(command: CommandParser) -> None:
    """Add the options of `crawl`."""
    _add_domain(command)
    _add_hinterland(command)
    _add_resuming(command)
    command.add_argument(
        "--warc",
        metavar="DIR",
        help="also archive every request and response in this folder, as WARC files with an index for replay",
    )
    command.add_argument(
        "--keep-fresh",
        type=visit_budget,
        metavar="N/UNIT",
        help="after the crawl, revisit its pages like `recrawl --budget N/UNIT --forever`: 5000/day, or max for as many"
        " visits as hosts allow",
    )
    command.add_argument(
        "--log-json", action="store_true", help="write progress, warnings and the summary as JSON lines to stdout"
    )
    command.add_argument(
        "--cluster",
        metavar="WHERE:N",
        help="crawl in N shards, each with its own process and store, and join them at the end: local:N on this"
        " machine, or ray:N@HOST:PORT on the machines of a Ray cluster; see docs/scale.md",
    )
    add_plugin_option(command)
    add_settings_options(command)


def _add_domain(command: CommandParser) -> None:
    command.add_argument(
        "seeds",
        nargs="*",
        metavar="SEED",
        help="a URL to start from; without a scheme, https is assumed, or http for localhost, IP addresses, names"
        " without a dot and ports other than 443 and 8443",
    )
    command.add_argument(
        "--seeds",
        dest="seeds_file",
        metavar="FILE",
        help="a file of seeds, one per line, with # before comments; - is stdin",
    )
    command.add_argument("--store", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)")
    command.add_argument(
        "--policy",
        metavar="NAME",
        help=f"the order of visits: {', '.join(POLICIES)} (default: bfs; with a topic: focused)",
    )
    command.add_argument(
        "--scope",
        choices=("hosts", "site", "prefix", "web"),
        help="which pages are local: those of the seeds' hosts (default), of their sites, below the seeds' folders, or"
        " the whole web (default with a topic)",
    )
    command.add_argument(
        "--topic",
        metavar="FILE",
        help="look for pages about a topic (see `topic new`): likely ones come first, wherever they are",
    )
    command.add_argument(
        "--classifier", metavar="NAME", help="look for pages that this classifier of a plug-in finds relevant"
    )
    command.add_argument(
        "--targets",
        metavar="TYPES",
        help="look for files of these content types, such as application/pdf,application/zip: pages and links that"
        " probably lead to them come first",
    )
    command.add_argument(
        "--extract",
        metavar="RULES.toml",
        help="extract fields from pages by these rules into tables of the store; see docs/extraction.md",
    )
    add_hook_option(command)
    command.add_argument(
        "--render",
        choices=("never", "auto", "always"),
        help="read pages as a headless Chromium shows them; auto: only pages that are empty until their scripts have"
        " run (default: never); see docs/rendering.md",
    )
    command.add_argument(
        "--audit",
        action="store_true",
        default=None,
        help="keep what `audit` needs of each page, and read the sitemaps (default: off); see docs/audit.md",
    )
    add_feature_options(command)
    command.add_argument(
        "--max-pages",
        type=page_budget,
        metavar="N",
        help="stop when the store holds N HTML pages, all runs together; --resume keeps the budget of the last run"
        " until it is used up, and `none` removes it",
    )
    command.add_argument("--max-depth", type=int, metavar="N", help="follow at most N links from a seed")


def _add_hinterland(command: CommandParser) -> None:
    command.add_argument(
        "--hinterland",
        metavar="X",
        help="also fetch pages outside the domain: X of them or, with a decimal point or an n (1.0, 2n), X times as"
        " many as local pages were fetched (default: 0)",
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
        help="stop when the estimate changed by less than D (L1) twice in a row",
    )
    command.add_argument(
        "--until-error",
        type=float,
        metavar="E",
        help="stop when the estimate is within E (L1) of the truth with a probability of 90%%",
    )
    command.add_argument(
        "--hinterland-share",
        type=float,
        metavar="S",
        help="fetch pages outside from the start, as the share S of all pages, not only after the domain is crawled",
    )


def _add_resuming(command: CommandParser) -> None:
    command.add_argument(
        "--resume",
        action="store_true",
        help="resume the crawl in the store; its scope, urls, policy and politeness are kept unless given again",
    )
    command.add_argument(
        "--retry",
        action="append",
        default=[],
        metavar="WHAT",
        help="with --resume: retry pages that failed (failed), were refused (refused), ended with an outcome such as"
        " too_large or robots (its name), were read without the browser they need (shell, unrendered), or were"
        " decided by settings that have changed since (changed); separate several by commas",
    )
