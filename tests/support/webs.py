"""Small graphs and crawls of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import Graph
from hinterland.analysis.link_log import LinkLog

Pairs = list[tuple[int, int]]
Links = set[tuple[int, int]]


def graph_of(rows: Mapping[int, Sequence[int]], page_count: int) -> Graph:
    return graph_from([(source, target) for source, targets in rows.items() for target in targets], page_count)


def graph_from(pairs: Pairs, page_count: int) -> Graph:
    return Graph.from_links(
        np.array([source for source, _ in pairs], np.int32), [target for _, target in pairs], page_count
    )


def links_of(graph: Graph) -> Links:
    return set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))


def crawl_of(web: Graph, order: Sequence[int], local: Sequence[int]) -> CrawledGraph:
    """What is known after a crawl of these pages in this order; all pages of the web are known."""
    log = LinkLog()
    for page in order:
        log.append(page, web.successors(page))
    is_local = np.zeros(web.page_count, np.bool_)
    is_local[list(local)] = True
    return log.snapshot(is_local, np.zeros(web.page_count, np.int32))


def random_web(seed: int, page_count: int, mean_links: float = 3.0) -> Graph:
    """A third of the pages or more lead nowhere; pages of low numbers are popular."""
    rng = np.random.default_rng(seed)
    degrees = rng.poisson(mean_links, page_count) * (rng.random(page_count) > 1 / 3)
    targets = (page_count * rng.random(degrees.sum()) ** 2).astype(np.int32)
    return Graph.from_links(np.repeat(np.arange(page_count), degrees), targets, page_count)


def random_crawl(seed: int, page_count: int = 40, crawled: int = 15) -> tuple[Graph, CrawledGraph]:
    """A web and a crawl of part of it; about half of what was crawled is local."""
    web, rng = random_web(seed, page_count), np.random.default_rng(seed + 1000)
    order = rng.permutation(page_count)[:crawled]
    return web, crawl_of(web, order.tolist(), order[rng.random(crawled) < 0.5].tolist())


@st.composite
def links_and_count(draw: st.DrawFn) -> tuple[Pairs, int]:
    """Pairs in any order, with repeats and self-links, and the number of pages."""
    count = draw(st.integers(0, 12))
    if not count:
        return [], 0
    page = st.integers(0, count - 1)
    return draw(st.lists(st.tuples(page, page), max_size=40)), count
