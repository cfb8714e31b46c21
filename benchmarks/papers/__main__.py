"""See the package."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from time import perf_counter
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
    """Reproduce the papers, and print or write their sections."""
    parser = argparse.ArgumentParser(
        description=benchmarks.papers.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"{', '.join(PAPERS)} (default: all)")
    parser.add_argument("--write", action="store_true", help="put the sections into docs/papers.md")
    parser.add_argument("--crawls", nargs="+", default=[], type=Path, metavar="FILE", help="stores, measured as well")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.papers if name not in PAPERS]:
        parser.error(f"there is no paper {unknown[0]}; there are {', '.join(PAPERS)}")
    for name in arguments.papers or PAPERS:
        paper = cast(Paper, importlib.import_module(f"benchmarks.papers.{PAPERS[name]}"))
        sources = [*(GRAPHS / graph for graph in paper.GRAPHS), *arguments.crawls] if paper.GRAPHS else []
        began = perf_counter()
        text = "\n\n".join(paper.section(sources))
        print(f"{name}: {perf_counter() - began:.0f} s", file=sys.stderr)
        if arguments.write:
            DOCUMENT.write_text(with_section(DOCUMENT.read_text("utf-8"), name, paper.TITLE, text), "utf-8")
        else:
            print(f"## {paper.TITLE}\n\n{text}\n")


main()
