"""Kumar, Raghavan, Rajagopalan, Sivakumar, Tomkins & Upfal, "The Web as a Graph" (PODS 2000)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.papers.paper import table
from crawler.apps.graphs.opening import open_graph

TITLE = "The Web as a Graph (Kumar et al. 2000)"
GRAPHS = ("cnr-2000", "uci-ics-2020")


def section(sources: Sequence[Path]) -> Iterator[str]:
    yield "The graphs that are measured:"
    rows = []
    for path in sources:
        graph = open_graph(path, with_names=False)
        counts = len(graph.crawled.order), graph.crawled.page_count, graph.crawled.links.link_count
        rows.append([graph.name, *(f"{count:,}" for count in counts)])
    yield table(["graph", "pages crawled", "pages known", "links"], rows)
