"""The sweeps behind the outside model, on graphs on which they are slow."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates import outside_ranks
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import pagerank


def all_crawled(rows: list[list[int]]) -> CrawledGraph:
    """The pages that each page links to; page 0 is local, all are crawled."""
    n = len(rows)
    sources = np.repeat(np.arange(n), [len(row) for row in rows])
    links = Graph.from_links(sources, np.concatenate(rows), n)
    return CrawledGraph.of(links, np.arange(n, dtype=np.int32), np.arange(n) == 0, np.zeros(n, np.int32))


def distance(crawled: CrawledGraph, tolerance: float) -> float:
    """Of the ranks of the model to PageRank, which it is where there is no frontier."""
    found = outside_model(crawled, tolerance=tolerance).ranks
    return float(np.abs(found - pagerank(crawled.links, tolerance=1e-12)).sum())


def test_pairs_of_pages_that_link_to_each_other_alone_do_not_hold_it_up(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [[page ^ 1] for page in range(40)]
    others = [list(range(page - 40, 80, 7)) for page in range(40, 80)]
    monkeypatch.setattr(outside_ranks, "_MAX_SWEEPS", 30)
    assert distance(all_crawled(pairs + others), 1e-9) <= 1e-9


@pytest.mark.parametrize("rows", ["13020", "13421", "14002", "34410"])
def test_an_error_that_swings_about_the_solution_dies_down(rows: str) -> None:
    # Where these single links lead in a circle, it shrinks as fast as that of a pair, but changes its sign.
    assert distance(all_crawled([[int(target)] for target in rows]), 1e-9) <= 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_pages_that_nothing_predicts_have_what_is_given_to_them(seed: int) -> None:
    """The frontier pages of the local domain, half of all."""
    rng = np.random.default_rng(seed)
    rows: list[list[int]] = [rng.choice(60, 5, replace=False).tolist() if page < 30 else [] for page in range(60)]
    links = all_crawled(rows).links
    is_local = (np.arange(60) >= 30) | (np.arange(60) < 5)
    crawled = CrawledGraph.of(links, np.arange(30, dtype=np.int32), is_local, np.zeros(60, np.int32))
    found = outside_model(crawled, tolerance=1e-9).ranks
    np.testing.assert_allclose(found, pagerank(links, tolerance=1e-12), atol=1e-9)
