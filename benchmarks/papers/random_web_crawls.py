"""Bennouas & de Montgolfier, "Random Web Crawls" (WWW 2007)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.papers.paper import table
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import FloatArray, Graph
from hinterland.analysis.pagerank import pagerank
from hinterland.lab.models.random_crawl import ORDERS, RandomCrawlModel
from hinterland.lab.structure.components import Region, bow_tie, components
from hinterland.lab.structure.course import discovery
from hinterland.lab.structure.density import clustering, undirected
from hinterland.lab.structure.distances import Distances, exact_distances, hyperball
from hinterland.lab.structure.laws import in_units_of_the_least
from hinterland.lab.structure.power_law import ValueCounts, fitted
from hinterland.lab.trawling.cores import cores

TITLE = "Random web crawls (Bennouas & de Montgolfier 2007)"
GRAPHS: Sequence[str] = ()

_PAGES: Final = 1_000_000
_SMALL: Final = 10_000
"""Pages of crawls whose distances are counted one by one."""


@dataclass(frozen=True, eq=False)
class _Crawl:
    """A random crawl from beginning to end; pages are numbered by their visits."""

    order: str
    pages: int = _PAGES
    share: float = 1.0
    seeds: int = 1
    least_outdegree: int = 4
    linkless: float = 0.0
    seed: int = 1

    @cached_property
    def graph(self) -> Graph:
        return self.drawn[0]

    @cached_property
    def drawn(self) -> tuple[Graph, int]:
        model = RandomCrawlModel(
            self.order,
            crawled=self.share,
            seeds=self.seeds,
            least_outdegree=self.least_outdegree,
            linkless=self.linkless,
        )
        found = model.draw(self.pages, self.seed)
        assert found.crawled is not None
        return found.graph, found.crawled

    @property
    def crawled(self) -> int:
        return self.drawn[1]

    def first(self, count: int) -> Graph:
        """Return the graph of the first pages visited."""
        return self.graph.among(np.arange(count, dtype=np.int32))

    def part(self, share: float) -> Graph:
        return self.first(round(share * self.pages))


def section(sources: Sequence[Path]) -> Iterator[str]:
    """Yield the section as Markdown blocks."""
    crawls = {order: _Crawl(order) for order in ORDERS}
    yield (
        f"The model `random-crawl` is used here with {_PAGES:,} pages, where the paper has up to 20,000,000. The"
        " exponents of the in-degrees and out-degrees are those of the paper, 2.1 and 2.72. A crawl visits the"
        " waiting pages in one of four orders: BFS, DFS, DEG (most links from visited pages first) or RND (at"
        " random). The paper swaps the words FIFO and LIFO: it means a stack for DFS and a queue for BFS."
    )
    yield from _least_degrees()
    yield (
        "**Figures 1 and 2: degrees as the crawl grows.** The table shows the exponents of their power laws in a"
        " BFS crawl, by maximum likelihood."
    )
    yield _degree_exponents(crawls["bfs"])
    yield (
        "In-degrees keep their power law at every stage, as in the paper. The paper's out-degree exponents are"
        " slopes of lines through logarithms. Ours are a little above 2.72, because several links from one page to"
        " another count once here."
    )
    yield (
        "**Figure 3: path lengths when 30 % of the pages are crawled**, estimated by HyperBall. A Gaussian"
        " distribution has a skewness and an excess of 0."
    )
    yield _path_lengths(crawls)
    yield "The path lengths are near Gaussian, as in the paper."
    yield f"**Figure 4: path lengths of DFS**, over all pairs of pages, in crawls of up to {_SMALL:,} pages."
    yield _deep_paths()
    yield (
        "Path lengths grow in proportion to the number of pages, as in the paper. But the longest path is"
        " longer: its links are two thirds as many as the pages, while in the paper they are a tenth. The reason is"
        " that a depth-first crawl whose pages all have links seldom has to go back. With a third of the pages"
        " linkless, the longest path in a crawl of 5,000 pages has 0.37 times as many links as there are pages."
    )
    yield (
        "**Figure 5: average path length and longest path as the crawl grows.** Each cell has the average first, then"
        " the longest path."
    )
    yield _growing_paths(crawls)
    yield (
        "The crawls are small worlds: their average path length is near ln n / ln of the mean degree, and it"
        " hardly grows, as in the paper."
    )
    yield (
        "**Figure 6: clustering.** The paper fits two curves: 0.750 - 0.0454 ln n (upper) and 0.546 - 0.0293 ln n"
        " (lower)."
    )
    yield _clustering(crawls)
    yield "Clustering falls as slowly as in the paper, but it is only a third to a half of the paper's."
    yield (
        "**Figure 7: largest strong component (SCC) and OUT**, as shares of the crawled pages, in crawls from one"
        " seed. Each cell has the share of the SCC, then that of OUT."
    )
    yield _bow_ties(crawls)
    yield (
        "This differs from the paper. If every page has four links, nearly every page leads back into the SCC."
        " The paper's values appear if a third of the pages have no links (see the first table). But independent"
        " power laws for in-degrees and out-degrees, both from degree 1 on, cannot give such a web."
    )
    yield (
        "In the paper, IN grows with many seeds, up to a quarter of the pages. Here it grows beyond a quarter (BFS,"
        " with 30 % of the pages crawled):"
    )
    yield _many_seeds()
    yield (
        "**Figure 8: the number of cores in 1,000 pages**, and **Figure 9: the number of (4,4)-cores for each"
        " page, in crawls of several sizes.** Both are means of ten BFS crawls."
    )
    yield from _cores()
    yield (
        "Cores are counted by elimination and generation, as in"
        " [Trawling](#trawling-the-cores-of-the-web-as-a-graph-kumar-et-al-1999-2000). (The cores of the"
        ' "hubs left" are not counted. There are many more of them, and they overlap.) Counted in this way, the'
        " numbers agree with the paper, and the number of (4,4)-cores in n pages is between n/100 and n/50."
    )
    yield "**Figure 10: the exponent of the power law of PageRank**, as the crawl grows. In the paper, it is 2.1."
    yield _rank_exponents(crawls["bfs"])
    yield (
        "**Figures 11 and 12: the share of PageRank captured by the crawl, and where its links lead.** The"
        ' columns "crawled, seen" have the share of links to pages that were crawled before, and the share of'
        " links to pages that were known before."
    )
    yield _captured(crawls)
    yield (
        "BFS and DEG capture PageRank at once and DFS late, as in the paper. In the paper's Figure 12, 40 % of"
        " links lead to crawled pages at the end; here more links do. The reason is that this web is smaller, so"
        " its hubs are found sooner. After three quarters of the crawl, every page has got all of its inlinks. The"
        " paper also says that only the first 30 % are realistic."
    )
    yield "**Figure 13: sinks**, the share of crawled pages without a crawled successor, beside the paper's fits."
    yield _sinks(crawls)
    yield (
        "This differs from the paper for the same reason as in Figure 7: with a third of the pages linkless, the"
        " share is 0.33."
    )


# ---------------------------------------------------------------- the parameter that is not told


def _least_degrees() -> Iterator[str]:
    rows = []
    for least, linkless in ((1, 0.0), (2, 0.0), (3, 0.0), (4, 0.0), (5, 0.0), (4, 0.33), (8, 0.33)):
        whole = [_Crawl("bfs", seeds=5, least_outdegree=least, linkless=linkless, seed=seed) for seed in range(3)]
        reached = [each.crawled for each in whole]
        crawl = _Crawl("bfs", share=0.3, seeds=5, least_outdegree=least, linkless=linkless)
        cells = [f"{least}, {linkless:.0%}", f"{min(reached):,} to {max(reached):,}"]
        if crawl.crawled < 10_000:
            rows.append([*cells, *["-"] * 4])
            continue
        graph = crawl.first(crawl.crawled)
        strong, weak = components(graph, "strong"), components(graph, "weak")
        counts = bow_tie(graph, strong, weak).counts / graph.page_count
        sinks = float((graph.outdegrees == 0).mean())
        mean = clustering(undirected(graph)).average
        figures = counts[Region.CORE], counts[Region.OUT], sinks, mean
        rows.append([*cells, *(f"{figure:.2f}" for figure in figures)])
    yield (
        "The paper does not give the least out-degree. If it is 1, as the formulas of the paper suggest, a page"
        " has 1.6 links, and the crawl runs out of pages; but the paper says that its crawls never do. The fits in"
        " its Figure 1 are e^18.05 x^-2.62 at 5 million pages and e^19.26 x^-2.615 at 15 million. They give the"
        " right number of pages if degrees start at 4. So 4 is used in everything that follows. In this table,"
        ' "linkless" is the share of pages without links, and the crawl is BFS from five seeds. From the third'
        " column on, the crawl is measured when it has 30 % of the pages."
    )
    head = ["least out-degree, linkless", "pages crawled before it ends", "SCC", "OUT", "sinks", "clustering"]
    yield table(head, rows)


# ---------------------------------------------------------------- figures 1 to 7


def _degree_exponents(crawl: _Crawl) -> str:
    rows = []
    theirs = {0.05: ("2.6", "2.6 (at 1 %)"), 0.25: ("2.62", "2.13"), 0.75: ("2.615", "2.1")}
    for share, (out, into) in theirs.items():
        count = round(share * crawl.pages)
        links = crawl.graph.sources < count
        degrees = crawl.graph.outdegrees[:count], np.bincount(crawl.graph.targets[links])
        cells = [f"{share:.0%}"]
        for numbers, paper in zip(degrees, (out, into), strict=True):
            law = fitted(ValueCounts.of(np.asarray(numbers, np.int64)))
            assert law is not None
            cells += [paper, f"{law.exponent:.3f} ± {1.96 * law.error:.3f}"]
        rows.append(cells)
    return table(["progress", "out-degree, theirs", "ours", "in-degree, theirs", "ours"], rows)


def _path_lengths(crawls: dict[str, _Crawl]) -> str:
    rows = []
    for order in ("bfs", "deg", "rnd"):
        graph = crawls[order].part(0.3)
        found = hyperball(graph, np.random.default_rng(1))
        mean, deviation, skewness, excess = _moments(found)
        mean_degree = graph.link_count / graph.page_count
        expected = log(graph.page_count) / log(mean_degree)
        rows.append([order, *(f"{value:.2f}" for value in (mean, deviation, skewness, excess, expected))])
    return table(["order", "mean", "deviation", "skewness", "excess", "ln n / ln of the mean degree"], rows)


def _moments(found: Distances) -> FloatArray:
    weights = found.pairs[1:] / found.pairs[1:].sum()
    lengths = np.arange(1, len(found.pairs))
    mean = float(weights @ lengths)
    moments = [float(weights @ (lengths - mean) ** power) for power in (2, 3, 4)]
    deviation = moments[0] ** 0.5
    return np.array([mean, deviation, moments[1] / deviation**3, moments[2] / deviation**4 - 3])


def _deep_paths() -> str:
    rows = []
    for pages in (1_000, 3_000, _SMALL):
        graph = _Crawl("dfs", pages * 3, 1 / 3).first(pages)
        found = exact_distances(graph)
        mean, deviation, *_ = _moments(found)
        longest = len(found.pairs) - 1
        rows.append([f"{pages:,}", f"{mean:,.0f}", f"{deviation:,.0f}", f"{longest:,}", f"{longest / pages:.3f}"])
    return table(["pages", "mean", "deviation", "longest", "longest / pages (theirs: about 0.1)"], rows)


def _growing_paths(crawls: dict[str, _Crawl]) -> str:
    rows = []
    for count in (10_000, 50_000, 250_000, 500_000):
        cells = [f"{count:,}"]
        for order in ("bfs", "deg", "rnd"):
            figures = hyperball(crawls[order].first(count), np.random.default_rng(1)).figures
            cells.append(f"{figures.average.value:.1f}, {figures.longest}")
        graph = crawls["bfs"].first(count)
        cells.append(f"{log(count) / log(graph.link_count / count):.1f}")
        rows.append(cells)
    return table(["pages", "bfs", "deg", "rnd", "ln n / ln of the mean degree (bfs)"], rows)


def _clustering(crawls: dict[str, _Crawl]) -> str:
    rows = []
    for count in (20_000, 100_000, 250_000, 500_000):
        means = [clustering(undirected(crawls[order].first(count))).average for order in ("bfs", "deg", "rnd")]
        fits = 0.750029 - 0.0454094 * log(count), 0.546027 - 0.0293349 * log(count)
        rows.append([f"{count:,}", *(f"{value:.3f}" for value in (*fits, *means))])
    return table(["pages", "theirs, upper", "theirs, lower", "bfs", "deg", "rnd"], rows)


def _bow_ties(crawls: dict[str, _Crawl]) -> str:
    rows = [
        [f"{count:,}", *(_core_and_out(crawls[order].first(count)) for order in ORDERS)]
        for count in (20_000, 100_000, 500_000)
    ]
    rows.append(["theirs, in the end", "0.67", "", "0.67", "0.67"])
    return table(["pages", *ORDERS], rows)


def _core_and_out(graph: Graph) -> str:
    counts = _shares(graph)
    return f"{counts[Region.CORE]:.2f}, {counts[Region.OUT]:.2f}"


def _shares(graph: Graph) -> FloatArray:
    tie = bow_tie(graph, components(graph, "strong"), components(graph, "weak"))
    shares: FloatArray = tie.counts / graph.page_count
    return shares


def _many_seeds() -> str:
    rows = []
    for seeds in (1, 1_000, 30_000, 100_000, 200_000):
        crawl = _Crawl("bfs", share=0.3, seeds=seeds)
        shares = _shares(crawl.first(crawl.crawled))
        rest = shares[Region.TUBE :].sum()
        cells = (shares[Region.CORE], shares[Region.IN], shares[Region.OUT], rest)
        rows.append([f"{seeds:,}", *(f"{share:.3f}" for share in cells)])
    return table(["seeds", "SCC", "IN", "OUT", "others"], rows)


# ---------------------------------------------------------------- figures 8 and 9


def _cores() -> Iterator[str]:
    theirs = {(2, 2): 220, (2, 3): 83, (2, 4): 37, (3, 3): 84, (3, 4): 37, (4, 4): 40, (4, 5): 14, (5, 5): 12}
    graphs = [_Crawl("bfs", 3_334, 0.3, seed=seed).first(1_000) for seed in range(10)]
    rows = []
    for (hubs, authorities), count in theirs.items():
        found = [cores(graph, hubs, authorities, most_steps=0) for graph in graphs]
        generated, left = np.mean([each.generated for each in found]), np.mean([each.left_fans for each in found])
        rows.append([f"{hubs}, {authorities}", f"{count}", f"{generated:.0f}", f"{left:.0f}"])
    yield table(["hubs, authorities", "theirs", "ours, by generation", "hubs left"], rows)
    rows = []
    for count in (1_000, 2_000, 5_000, 10_000):
        crawls = (_Crawl("bfs", round(count / 0.3), 0.3, seed=seed) for seed in range(10))
        shares = [cores(crawl.first(count), 4, 4, most_steps=0).generated / count for crawl in crawls]
        rows.append([f"{count:,}", f"{np.mean(shares):.4f}", f"{min(shares):.4f} to {max(shares):.4f}"])
    yield table(["pages", "(4,4)-cores / pages", "over ten crawls"], rows)


# ---------------------------------------------------------------- figures 10 to 13


def _rank_exponents(crawl: _Crawl) -> str:
    rows = []
    for share in (0.05, 0.25, 0.75):
        law = fitted(ValueCounts.of(in_units_of_the_least(pagerank(crawl.part(share), tolerance=1e-8))))
        assert law is not None
        rows.append([f"{share:.0%}", f"{law.exponent:.3f} ± {1.96 * law.error:.3f}"])
    return table(["progress", "exponent"], rows)


def _captured(crawls: dict[str, _Crawl]) -> str:
    curves = {}
    for order, crawl in crawls.items():
        graph = crawl.first(crawl.crawled)
        pages = np.arange(crawl.crawled, dtype=np.int32)
        whole = CrawledGraph.of(graph, pages, np.ones(len(pages), np.bool_), np.zeros(len(pages), np.int32))
        curves[order] = discovery(whole, pages, pagerank(graph, tolerance=1e-8))
    rows = []
    for place in (2, 4, 14, 24):
        points = {order: curve[min(place, len(curve) - 1)] for order, curve in curves.items()}
        visited = points["bfs"].visited
        rows.append(
            [
                f"{visited:,}",
                *(f"{points[order].rank:.2f}" for order in ORDERS),
                *(f"{points[order].visited_before:.2f}, {points[order].known_before:.2f}" for order in ORDERS),
            ]
        )
    head = ["pages", *(f"PageRank, {order}" for order in ORDERS), *(f"{order}: crawled, seen" for order in ORDERS)]
    return table(head, rows)


def _sinks(crawls: dict[str, _Crawl]) -> str:
    rows = []
    for count in (10_000, 100_000, 300_000, 700_000):
        fits = 0.644592 - 0.0235404 * log(count), 0.791703 - 0.0323677 * log(count)
        shares = [(crawls[order].first(count).outdegrees == 0).mean() for order in ORDERS]
        rows.append([f"{count:,}", *(f"{share:.2f}" for share in (*fits, *shares))])
    return table(["pages", "theirs (rnd, dfs)", "theirs (bfs, deg)", *ORDERS], rows)
