"""`evaluate`: the paper's experiment on all suitable local domains of stored graphs."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser, at_least_one
from hinterland.lab.commands.experiments import add_strategies

EXAMPLES = """\
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


def add_arguments(command: CommandParser) -> None:
    command.add_argument("graphs", nargs="+", metavar="GRAPH", help="as for simulate, or a folder of such graphs")
    add_strategies(command)
    command.add_argument(
        "--budgets",
        default="0.25,1,2",
        metavar="X,...",
        help="outside pages to crawl, as multiples of the local ones (default: %(default)s)",
    )
    command.add_argument(
        "--draws",
        type=at_least_one,
        default=1,
        metavar="N",
        help="take the mean of N repetitions, with seeds from --seed on (default: %(default)s)",
    )
    command.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown, too")
    command.add_argument("--list", action="store_true", help="only list the local domains")
    command.add_argument(
        "--processes", type=at_least_one, default=1, metavar="N", help="work in N processes (default: 1)"
    )
    command.add_argument(
        "--solved-below",
        type=float,
        default=0.001,
        metavar="L1",
        help="leave domains out of the means on which the best published strategy leaves less; 0: none"
        " (default: %(default)s)",
    )
    for name, default, type_, help_ in (
        ("min-pages", 90, at_least_one, "only domains of X pages or more"),
        ("min-frontier", 20, at_least_one, "only domains that link to X outside pages or more"),
        ("min-block-pages", 1000, at_least_one, "only blocks of X pages or more"),
        ("min-block-frontier", 100, at_least_one, "only blocks that link to X outside pages or more"),
        ("min-distance", 0.02, float, "only domains whose own PageRank is an L1 distance of X or more from the truth"),
        ("min-reach", 2.0, float, "only domains with X times as many outside pages in reach as of their own, or more"),
    ):
        command.add_argument(
            f"--{name}", type=type_, default=default, metavar="X", help=f"{help_} (default: {default})"
        )
    command.add_argument(
        "--except",
        dest="except_",
        action="append",
        default=[],
        metavar="FILE",
        help="only domains that an earlier evaluation, kept in FILE with --json, did not have; may be repeated",
    )
    for name, default, help_ in (
        ("largest-groups", 6, "look at the N largest labels and endings of names"),
        ("largest-blocks", 40, "look at the N largest blocks"),
    ):
        command.add_argument(
            f"--{name}", type=at_least_one, default=default, metavar="N", help=f"{help_} (default: {default})"
        )
