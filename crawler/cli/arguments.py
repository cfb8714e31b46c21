"""The command line: which commands there are and what each understands. Pure."""

from __future__ import annotations

import argparse

from crawler import __version__
from crawler.cli.exit_codes import exit_code_table

DEFAULT_STORE = "hinterland.db"
DEFAULT_DEMO_STORE = "demo.db"

_START = """\
the first two things to try:
  python3 run.py demo
      a crawl of a small web that comes with Hinterland; needs no internet
  python3 run.py crawl https://your.site.example/ --max-pages 100
      a polite crawl of a real site into hinterland.db

"python3 run.py COMMAND --help" explains a command with examples.
"""

_CRAWL = """\
examples:
  python3 run.py crawl https://docs.example.org/
      all pages of that host, into hinterland.db
  python3 run.py crawl --seeds seeds.txt --scope site --store big.db --max-pages 100000
      the sites (registrable domains) of the URLs in seeds.txt, up to 100,000 pages
  python3 run.py crawl --resume
      go on with hinterland.db, after Ctrl-C, a crash or the end of a budget
  python3 run.py crawl https://docs.example.org/ --set politeness.delay_seconds=3 --log-json | jq .
      more slowly, and told to a program

  python3 run.py crawl https://docs.example.org/ --hinterland 1.0
      then as many pages outside as the domain has, chosen to tell what the web thinks of it; see rank
  python3 run.py crawl --resume --hinterland 2n --until-change 1e-3
      the same for a crawl that is done, with twice as many at most, until the estimate hardly changes

While it runs: Ctrl-C (or SIGTERM) finishes the visits under way and stops; a second one stops at once.
Nothing fetched is lost either way. On a terminal progress is a live display, in a pipe or a file it is
plain lines; both go to stderr, the summary at the end to stdout. With --log-json everything is one JSON
object per line on stdout.

"""

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

_STATUS = """\
examples:
  python3 run.py status                     how the crawl in hinterland.db stands, also while it runs
  python3 run.py status big.db --json       the same for a program

Looks only: it never holds up the crawl. A store of a million pages takes a few seconds.
"""

_EXPLAIN = """\
examples:
  python3 run.py explain https://docs.example.org/a?utm_source=x
      its canonical form, its host and site, what robots.txt says (asked for once), how long the host rests
  python3 run.py explain https://docs.example.org/a --store hinterland.db
      with the scope and the robots.txt of that crawl, and what it knows of the page
  python3 run.py explain https://docs.example.org/private/ --robots my-robots.txt
      try a robots.txt before you publish it; no network
  python3 run.py explain https://docs.example.org/ --robots-status 503 --offline
      what a robots.txt that cannot be had would mean
"""

_SETTINGS = """\
examples:
  python3 run.py settings
      every setting with its value and where that comes from
  python3 run.py settings --set politeness.delay_seconds=3
      the same, as it would be with that option

settings.toml explains them all. The strongest last: defaults, settings.toml, the environment
(HINTERLAND_POLITENESS__DELAY_SECONDS=3), --set, single options such as --policy.
"""

_DEMO = """\
example:
  python3 run.py demo

Serves a small web of a dozen hosts on 127.0.0.1, crawls it and says what to do next. Takes some seconds.
"""

_SIMULATE = """\
examples:
  python3 run.py simulate graphs/hollins --local www.hollins.edu
      how near each policy comes to the true PageRank of that host's pages, n outside pages crawled
  python3 run.py simulate graphs/hollins --local www.hollins.edu --policies flow,random --budget 2 \\
      --iterations 50 --json kept.json --plot curves.svg
      two policies, twice the pages, in 50 rounds; figures and plots are kept
  python3 run.py simulate hinterland.db --local https://docs.example.org/guide/
      on the fetched pages of a store
  python3 run.py simulate hinterland.db --virtual-clock
      by the frontier of the live crawl, under the delays of politeness

GRAPH is an .npz with the arrays src, dst and n, a folder with a graph.npz and urls.txt.gz, or a link store.
Plots need matplotlib: .venv/bin/python -m pip install -r requirements-plots.txt
"""

_EVALUATE = """\
examples:
  python3 run.py evaluate graphs --list
      the local domains in the graphs of that folder that are worth the experiment
  python3 run.py evaluate graphs --json all.json --markdown tables.md
      all policies and estimators on all of them, with 0.25 n, n and 2 n outside pages
  python3 run.py evaluate graphs/uci hinterland.db --policies sc-select,flow,random --budgets 1
      three policies, one budget, two graphs

A local domain is a host, a label, the ending of a site name or a block of a graph, if it has pages outside to choose
from and an error to mend; the --min- and --largest- options draw the line.
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `command` of what it returns is None if none was given."""
    top = argparse.ArgumentParser(
        prog="python3 run.py",
        description="Hinterland: a focused web crawler that keeps pages and links in one SQLite file.",
        epilog=_START,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"Hinterland {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _add_crawl(commands)
    _add_status(commands)
    _add_rank(commands)
    _add_explain(commands)
    _add_settings(commands)
    _add_simulate(commands)
    _add_evaluate(commands)
    _add_demo(commands)
    return top


_Commands = argparse._SubParsersAction  # its own name for what add_subparsers returns


def _add(
    commands: _Commands[argparse.ArgumentParser], name: str, help_: str, epilog: str
) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=help_,
        description=f"{help_[0].upper()}{help_[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _add_crawl(commands: _Commands[argparse.ArgumentParser]) -> None:
    crawl = _add(
        commands,
        "crawl",
        "crawl from seed URLs into a link store, or go on with a crawl",
        _CRAWL + exit_code_table(),
    )
    crawl.add_argument(
        "seeds", nargs="*", metavar="SEED", help="a URL to begin with; without a scheme, https is meant"
    )
    crawl.add_argument(
        "--seeds",
        dest="seeds_file",
        metavar="FILE",
        help="seeds, one per line, # before a comment; - is stdin",
    )
    crawl.add_argument(
        "--store", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)"
    )
    crawl.add_argument(
        "--policy",
        metavar="NAME",
        help="the order: bfs, dfs, random, indegree, outlink-count, opic, pagerank, flow, sc-select, "
        "return-flow (default: bfs)",
    )
    crawl.add_argument(
        "--scope",
        choices=("hosts", "site", "prefix"),
        help="what is local: the seeds' hosts (default), their sites, or what is below their folders",
    )
    crawl.add_argument(
        "--max-pages",
        type=_at_least_one,
        metavar="N",
        help="stop when the store holds N HTML pages, all runs together",
    )
    crawl.add_argument("--max-depth", type=int, metavar="N", help="follow at most N links from a seed")
    crawl.add_argument(
        "--hinterland",
        metavar="X",
        help="fetch pages outside as well: X of them, or with a decimal point or an n (1.0, 2n) X times as many"
        " as local pages were fetched (default: 0)",
    )
    crawl.add_argument(
        "--refresh-pages",
        type=_at_least_one,
        metavar="K",
        help="choose K pages outside at a time (default: a twenty-fifth of the budget)",
    )
    crawl.add_argument(
        "--until-change",
        type=float,
        metavar="D",
        help="stop when the estimate changed by less than D (L1) twice running",
    )
    crawl.add_argument(
        "--hinterland-share",
        type=float,
        metavar="S",
        help="do not wait until the domain is crawled: let pages outside be the share S of those fetched",
    )
    crawl.add_argument(
        "--resume",
        action="store_true",
        help="go on with the crawl in the store; its scope, urls and policy hold unless given anew",
    )
    crawl.add_argument(
        "--log-json", action="store_true", help="progress, warnings and the end as JSON lines on stdout"
    )
    _add_settings_options(crawl)


def _add_status(commands: _Commands[argparse.ArgumentParser]) -> None:
    status = _add(commands, "status", "tell how a crawl stands or ended", _STATUS)
    status.add_argument(
        "store",
        nargs="?",
        default=DEFAULT_STORE,
        metavar="FILE",
        help="the link store (default: %(default)s)",
    )
    status.add_argument("--json", action="store_true", help="as one JSON object")


def _add_rank(commands: _Commands[argparse.ArgumentParser]) -> None:
    rank = _add(commands, "rank", "rank the pages of a domain as the web sees them", _RANK)
    rank.add_argument(
        "store", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="the link store (default: %(default)s)"
    )
    rank.add_argument(
        "--top", type=_count, default=20, metavar="N", help="so many pages (default: %(default)s; 0: all)"
    )
    rank.add_argument(
        "--movers",
        type=_count,
        default=10,
        metavar="N",
        help="so many of those that the web and the site see most differently (default: %(default)s)",
    )
    rank.add_argument("--estimator", metavar="NAME", help="which estimate counts (default: the program's choice)")
    rank.add_argument("--format", choices=("table", "csv", "json"), default="table", help="(default: %(default)s)")
    rank.add_argument("--history", action="store_true", help="with every refresh of the estimate during the crawl")


def _add_explain(commands: _Commands[argparse.ArgumentParser]) -> None:
    explain = _add(commands, "explain", "tell what would happen to a URL, and why", _EXPLAIN)
    explain.add_argument("url", metavar="URL")
    explain.add_argument(
        "--seed",
        action="append",
        default=[],
        dest="seeds",
        metavar="URL",
        help="a seed, to draw the scope; repeatable",
    )
    explain.add_argument(
        "--seeds", dest="seeds_file", metavar="FILE", help="seeds, one per line, to draw the scope"
    )
    explain.add_argument(
        "--store", metavar="FILE", help="a link store, for its scope, its robots.txt and its pages"
    )
    explain.add_argument("--robots", metavar="FILE", help="a robots.txt to try; nothing is fetched then")
    explain.add_argument(
        "--robots-status", type=int, metavar="N", help="as if robots.txt had been answered with this"
    )
    explain.add_argument("--offline", action="store_true", help="fetch nothing")
    explain.add_argument("--json", action="store_true", help="as one JSON object")
    _add_settings_options(explain)


def _add_settings(commands: _Commands[argparse.ArgumentParser]) -> None:
    settings = _add(commands, "settings", "show the settings that hold, and where each comes from", _SETTINGS)
    settings.add_argument("--store", metavar="FILE", help="as crawl --resume would have them with this store")
    settings.add_argument("--json", action="store_true", help="as one JSON object")
    _add_settings_options(settings)


def _add_demo(commands: _Commands[argparse.ArgumentParser]) -> None:
    demo = _add(commands, "demo", "crawl a small web that comes with Hinterland, without the internet", _DEMO)
    demo.add_argument(
        "--store",
        default=DEFAULT_DEMO_STORE,
        metavar="FILE",
        help="the link store; one made by an earlier demo is replaced (default: %(default)s)",
    )


def _add_simulate(commands: _Commands[argparse.ArgumentParser]) -> None:
    simulate = _add(commands, "simulate", "try policies on one local domain of a stored graph", _SIMULATE)
    simulate.add_argument("graph", metavar="GRAPH", help="an .npz, a folder with a graph.npz, or a link store")
    simulate.add_argument(
        "--local",
        metavar="NAME",
        help="the local domain: a host, a suffix of hosts, a URL prefix, a label or a block"
        " (default: what a store calls local)",
    )
    _add_strategies(simulate)
    simulate.add_argument(
        "--budget",
        type=_positive,
        default=1.0,
        metavar="X",
        help="outside pages to crawl, as a multiple of the local ones (default: %(default)s)",
    )
    simulate.add_argument("--plot", metavar="FILE", help="draw the curves as .svg, .png or .pdf")
    simulate.add_argument(
        "--influence-plot",
        metavar="FILE",
        help="draw the score of SC-Select against the exact influence of frontier pages",
    )
    simulate.add_argument(
        "--virtual-clock",
        action="store_true",
        help="crawl local and outside pages together, by the frontier of the live crawl",
    )
    simulate.add_argument(
        "--latency",
        type=_positive,
        default=0.3,
        metavar="SECONDS",
        help="median duration of a visit under the virtual clock (default: %(default)s)",
    )


def _add_evaluate(commands: _Commands[argparse.ArgumentParser]) -> None:
    evaluate = _add(
        commands, "evaluate", "compare policies and estimators on all local domains of stored graphs", _EVALUATE
    )
    evaluate.add_argument(
        "graphs", nargs="+", metavar="GRAPH", help="as for simulate, or a folder of such graphs"
    )
    _add_strategies(evaluate)
    evaluate.add_argument(
        "--budgets",
        default="0.25,1,2",
        metavar="X,...",
        help="outside pages to crawl, as multiples of the local ones (default: %(default)s)",
    )
    evaluate.add_argument(
        "--draws",
        type=_at_least_one,
        default=1,
        metavar="N",
        help="take the mean of N repetitions, with seeds from --seed on (default: %(default)s)",
    )
    evaluate.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown, too")
    evaluate.add_argument("--list", action="store_true", help="only list the local domains")
    evaluate.add_argument(
        "--processes", type=_at_least_one, default=1, metavar="N", help="work in N processes (default: 1)"
    )
    evaluate.add_argument(
        "--solved-below",
        type=float,
        default=0.001,
        metavar="L1",
        help="leave domains out of the means on which the best published strategy leaves less; 0: none"
        " (default: %(default)s)",
    )
    for name, default, type_, help_ in (
        ("min-pages", 90, _at_least_one, "pages of a domain"),
        ("min-frontier", 20, _at_least_one, "distinct outside pages linked from it"),
        ("min-block-pages", 1000, _at_least_one, "the same for blocks: pages"),
        ("min-block-frontier", 100, _at_least_one, "outside pages linked from a block"),
        ("min-distance", 0.02, float, "L1 distance from the truth of the PageRank of the domain alone"),
        ("min-reach", 2.0, float, "outside pages in reach, as a multiple of its own"),
    ):
        evaluate.add_argument(
            f"--{name}", type=type_, default=default, metavar="X", help=f"at least so many {help_} (default: {default})"
        )
    evaluate.add_argument(
        "--except",
        dest="except_",
        metavar="FILE",
        help="only domains that an earlier evaluation, kept in FILE with --json, did not have",
    )
    for name, default, help_ in (
        ("largest-groups", 6, "of the labels or endings of names, look at so many"),
        ("largest-blocks", 40, "of the blocks, look at so many"),
    ):
        evaluate.add_argument(
            f"--{name}", type=_at_least_one, default=default, metavar="N", help=f"{help_} (default: {default})"
        )


def _add_strategies(command: argparse.ArgumentParser) -> None:
    command.add_argument("--policies", metavar="NAME,...", help="which policies (default: all)")
    command.add_argument("--estimators", metavar="NAME,...", help="which estimators (default: all)")
    command.add_argument(
        "--iterations",
        type=_at_least_one,
        default=25,
        metavar="T",
        help="rounds in which the pages are chosen and crawled (default: %(default)s)",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of everything that is drawn (default: %(default)s)"
    )
    command.add_argument("--json", metavar="FILE", help="keep everything that was measured")


def _add_settings_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--settings", metavar="FILE", help="a settings file instead of settings.toml beside run.py"
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        dest="overrides",
        metavar="SECTION.KEY=VALUE",
        help="override one setting; repeatable",
    )


def _at_least_one(text: str) -> int:
    number = int(text.replace(",", "").replace("_", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1, please")
    return number


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("a number greater than 0, please")
    return number


def _count(text: str) -> int:
    number = int(text.replace(",", "").replace("_", ""))
    if number < 0:
        raise argparse.ArgumentTypeError("not below 0, please")
    return number


_count.__name__ = "whole number"
_at_least_one.__name__ = "whole number"  # argparse names the type in its messages
_positive.__name__ = "number"
