"""What `simulate` and `evaluate` understand. Pure."""

from __future__ import annotations

import argparse

from crawler.apps.cli.arguments.options import Commands, add_command, at_least_one, positive

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


def add_simulate(commands: Commands) -> None:
    simulate = add_command(commands, "simulate", "try policies on one local domain of a stored graph", _SIMULATE)
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
        type=positive,
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
        type=positive,
        default=0.3,
        metavar="SECONDS",
        help="median duration of a visit under the virtual clock (default: %(default)s)",
    )


def add_evaluate(commands: Commands) -> None:
    evaluate = add_command(
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
        type=at_least_one,
        default=1,
        metavar="N",
        help="take the mean of N repetitions, with seeds from --seed on (default: %(default)s)",
    )
    evaluate.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown, too")
    evaluate.add_argument("--list", action="store_true", help="only list the local domains")
    evaluate.add_argument(
        "--processes", type=at_least_one, default=1, metavar="N", help="work in N processes (default: 1)"
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
        ("min-pages", 90, at_least_one, "pages of a domain"),
        ("min-frontier", 20, at_least_one, "distinct outside pages linked from it"),
        ("min-block-pages", 1000, at_least_one, "the same for blocks: pages"),
        ("min-block-frontier", 100, at_least_one, "outside pages linked from a block"),
        ("min-distance", 0.02, float, "L1 distance from the truth of the PageRank of the domain alone"),
        ("min-reach", 2.0, float, "outside pages in reach, as a multiple of its own"),
    ):
        evaluate.add_argument(
            f"--{name}", type=type_, default=default, metavar="X", help=f"at least so many {help_} (default: {default})"
        )
    evaluate.add_argument(
        "--except",
        dest="except_",
        action="append",
        default=[],
        metavar="FILE",
        help="only domains that an earlier evaluation, kept in FILE with --json, did not have; may be repeated",
    )
    for name, default, help_ in (
        ("largest-groups", 6, "of the labels or endings of names, look at so many"),
        ("largest-blocks", 40, "of the blocks, look at so many"),
    ):
        evaluate.add_argument(
            f"--{name}", type=at_least_one, default=default, metavar="N", help=f"{help_} (default: {default})"
        )


def _add_strategies(command: argparse.ArgumentParser) -> None:
    command.add_argument("--policies", metavar="NAME,...", help="which policies (default: all)")
    command.add_argument("--estimators", metavar="NAME,...", help="which estimators (default: all)")
    command.add_argument(
        "--iterations",
        type=at_least_one,
        default=25,
        metavar="T",
        help="rounds in which the pages are chosen and crawled (default: %(default)s)",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of everything that is drawn (default: %(default)s)"
    )
    command.add_argument("--json", metavar="FILE", help="keep everything that was measured")
