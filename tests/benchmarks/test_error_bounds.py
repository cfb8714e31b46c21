"""What bounds an estimate is found, not guessed."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.error_bounds import End, by_domain, nearest, shifted, without_inflow
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import DAMPING


def end_of(domain: str) -> End:
    return End(domain, 1.0, 30, 0.1, {}, 0.1, 0.1)


@pytest.mark.parametrize("weight", [-0.5, 0.0, 0.3, 1.0])
def test_the_best_mean_is_the_truth_where_the_truth_is_one(weight: float) -> None:
    ranks, other = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    truth = ranks + weight * (other - ranks)
    assert nearest(ranks, other, truth, -0.6) == pytest.approx(0.0, abs=1e-9)


def test_without_inflow_a_page_has_its_jumps_and_what_local_pages_hand_on() -> None:
    # 0 -> 1 2, 2 -> 0: pages 0 and 1 are local, and what comes from 2 does not count.
    links = Graph.from_links(np.array([0, 0, 2]), np.array([1, 2, 0]), 3)
    is_local = np.array([True, True, False])
    crawled = CrawledGraph.of(links, np.arange(3, dtype=np.int32), is_local, np.zeros(3, np.int32))
    ranks = without_inflow(crawled)
    assert ranks[1] / ranks[0] == pytest.approx(1 + DAMPING / 2)
    assert ranks[0] == pytest.approx((1 - DAMPING) / 3)


def test_the_best_shift_brings_the_most_within_the_factor() -> None:
    ratios = shifted(np.array([3.0, 3.1, 3.2, -5.0]))
    assert (np.abs(ratios) <= np.log(1.5)).tolist() == [True, True, True, False]


def test_a_domain_with_many_crawls_counts_once() -> None:
    ends = [end_of("a"), end_of("a"), end_of("a"), end_of("b")]
    mean, error = by_domain(ends, np.array([1.0, 1.0, 1.0, 0.0]))
    assert mean == 0.5
    assert error == pytest.approx(0.5 / np.sqrt(2))
