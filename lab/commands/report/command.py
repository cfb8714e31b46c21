"""`report`: the structure of a graph as one page, and as numbers."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from pathlib import Path

from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.lab.commands.experiments.sources import JSON_BEGINS, check_result_file, write_json, writing
from hinterland.lab.reporting.figure_text import MEANINGS, told
from hinterland.lab.reporting.structure_json import as_json
from hinterland.lab.structure.report import structure_report
from hinterland.lab.structure_page import FILE_BEGINS, report_file
from hinterland.library.errors import HinterlandError
from hinterland.library.graph_opening import open_graph
from hinterland.library.text.wording import counted, number, table

_INTERVAL_SECONDS = 2.0


def run(arguments: Namespace) -> int:
    check_result_file(arguments.out, FILE_BEGINS)
    check_result_file(arguments.json, JSON_BEGINS)
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        progress.hint("reading the graph")
        try:
            graph = open_graph(Path(arguments.graph))
        except UnusableGraph as error:
            raise HinterlandError(str(error)) from error
        if not len(graph.crawled.order):
            raise HinterlandError(f"{arguments.graph} holds no crawled page, so there is nothing to measure")
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
