"""The structure of a small web with everything in it that can be told."""

from __future__ import annotations

from functools import cache

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import Graph
from hinterland.analysis.measured_graph import MeasuredGraph
from hinterland.lab.structure.report import StructureReport, structure_report

PAGES, CRAWLED = 500, 400


def some_graph(name: str = "some web") -> MeasuredGraph:
    """A crawl in a known order, of 400 pages on ten hosts, with a frontier, popular pages and dead ones."""
    rng = np.random.default_rng(1)
    sources = rng.integers(0, CRAWLED, 3 * CRAWLED)
    targets = np.minimum(rng.zipf(1.4, len(sources)), PAGES) - 1
    links = Graph.from_links(sources, rng.permutation(PAGES)[targets], PAGES)
    pages = np.arange(CRAWLED, dtype=np.int32)
    crawled = CrawledGraph.of(links, pages, np.ones(PAGES, np.bool_), (np.arange(PAGES) % 10).astype(np.int32))
    return MeasuredGraph(
        name,
        crawled,
        rng.permutation(pages),
        [f"http://h{page % 10}.test/{page}" for page in range(PAGES)],
        [f"http://h{host}.test" for host in range(10)],
        np.arange(PAGES) > PAGES - 20,
    )


@cache
def some_report() -> StructureReport:
    return structure_report(some_graph())
