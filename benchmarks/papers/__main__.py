"""See the package."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import cast

import benchmarks.papers
from benchmarks.papers.paper import DOCUMENT, GRAPHS, Paper, with_section

PAPERS = {
    "web-as-a-graph": "web_as_a_graph",
    "trawling": "trawling",
    "breadth-first-crawling": "breadth_first_crawling",
    "random-web-crawls": "random_web_crawls",
    "sampling": "sampling",
}
"""Name of a paper -> its module here."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=benchmarks.papers.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", nargs="+", choices=list(PAPERS), metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--write", action="store_true", help="put the sections into docs/papers.md")
    parser.add_argument("--sources", nargs="+", type=Path, metavar="FILE", help="link stores, graphs")
    arguments = parser.parse_args()
    for name in arguments.papers:
        paper = cast(Paper, importlib.import_module(f"benchmarks.papers.{PAPERS[name]}"))
        sources = arguments.sources or [GRAPHS / graph for graph in paper.GRAPHS]
        text = "\n\n".join(paper.section(sources))
        if arguments.write:
            DOCUMENT.write_text(with_section(DOCUMENT.read_text("utf-8"), name, paper.TITLE, text), "utf-8")
        else:
            print(f"## {paper.TITLE}\n\n{text}\n")


main()
