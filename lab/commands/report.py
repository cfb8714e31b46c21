"""`report`: describes the structure of a graph by an HTML page and by numbers."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from pathlib import Path

from hinterland.cli.command_parser import DEFAULT_STORE, CommandParser, count
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import counted, number, table

HELP = "describe the structure of a graph: degrees, distances, bow tie, crawl bias"
GROUP = "Research"
NEEDS = ("research",)


EXAMPLES = """\
examples:
  python3 run.py report --out report.html
      the graph of hinterland.db as one HTML page for any browser
  python3 run.py report big.db --out big.html --json big.json
      the same, with all numbers as JSON
  python3 run.py report graphs/cnr-2000 --out cnr.html
      a stored graph: an .npz with src, dst and n, or a folder with such a graph.npz

Figures are exact where that is feasible; estimates have a 95 % interval. For a store, it also shows how each figure
changed while the crawl grew. A million pages with ten million links take about two minutes and a gigabyte of memory.
docs/webgraph.md explains the figures.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `report`."""
    command.add_argument(
        "graph", nargs="?", default=DEFAULT_STORE, metavar="FILE", help="a link store or a graph (default: %(default)s)"
    )
    command.add_argument("--out", default="report.html", metavar="FILE", help="the page (default: %(default)s)")
    command.add_argument("--json", metavar="FILE", help="all numbers, as JSON")
    command.add_argument("--seed", type=count, default=1, metavar="N", help="seed of all random draws (default: 1)")


_INTERVAL_SECONDS = 2.0


def run(arguments: Namespace) -> int:
    """Measure the graph, write the page, and print the figures."""
    from hinterland.analysis.stored_graph import UnusableGraph
    from hinterland.lab.commands.experiments.sources import JSON_BEGINS, check_result_file, write_json, writing
    from hinterland.lab.reporting.figure_text import MEANINGS, told
    from hinterland.lab.reporting.structure_json import as_json
    from hinterland.lab.structure.report import structure_report
    from hinterland.lab.structure_page import FILE_BEGINS, report_file
    from hinterland.library.graph_opening import open_graph

    check_result_file(arguments.out, FILE_BEGINS)
    check_result_file(arguments.json, JSON_BEGINS)
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        progress.hint("reading the graph")
        try:
            graph = open_graph(Path(arguments.graph))
        except UnusableGraph as error:
            raise HinterlandError(str(error)) from error
        if not len(graph.crawled.order):
            raise HinterlandError(f"{arguments.graph} has no crawled page, so there is nothing to measure")
        report = structure_report(graph, seed=arguments.seed, told=progress.step)
    page = report_file(report, time.time())
    with writing(arguments.out):
        Path(arguments.out).write_text(page, encoding="utf-8")
    if arguments.json is not None:
        write_json(arguments.json, as_json(report))
    figures = table([(MEANINGS[name].label, told(name, figure)) for name, figure in report.figures.items()], (1,))
    pages, links = counted(report.crawled, "page"), counted(report.links, "link")
    head = f"{arguments.graph}: {pages} crawled of {number(report.known)} known, {links}"
    Output(sys.stdout).write("\n".join([head, *figures, f"Written: {arguments.out}"]))
    return OK
