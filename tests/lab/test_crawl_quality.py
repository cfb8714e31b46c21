"""The quality of a crawl is computed as its definition says."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.pagerank import pagerank
from hinterland.lab.crawl_quality import (
    crawl_quality,
    mean_slice_of_best,
    overlap_of_best,
    scores_of,
    sizes,
    slice_averages,
)
from hinterland.lab.hits import hits
from tests.support.webs import graph_of, random_web


def test_averages_are_those_of_the_pages_of_each_slice() -> None:
    scores = np.array([4.0, 1.0, 2.0, 3.0, 9.0])
    assert slice_averages(scores, np.array([0, 3, 2, 1], np.int32), 2) == [1.4, 0.6]
    assert slice_averages(scores, np.array([4], np.int32), 3) == [1.0]
    assert slice_averages(np.zeros(5), np.array([4], np.int32), 3) == [0.0]


def test_the_best_pages_come_with_the_slice_they_were_in_on_average() -> None:
    scores = np.array([4.0, 1.0, 2.0, 3.0, 9.0])
    order = np.array([1, 0, 2, 3], np.int32)  # the best of these was in the first slice, the next in the second
    assert mean_slice_of_best(scores, order, 2) == {1: 1.0, 2: 1.5, 4: 1.5}


def test_sizes_go_up_to_all() -> None:
    assert sizes(30) == [1, 2, 5, 10, 20, 30]
    assert sizes(0) == []


def test_an_overlap_is_the_share_of_the_best_that_both_have() -> None:
    one, other = np.array([5.0, 4.0, 3.0, 0.0]), np.array([5.0, 0.0, 3.0, 4.0])
    assert [overlap_of_best(one, other, size) for size in (1, 2, 3)] == [1.0, 0.5, pytest.approx(2 / 3)]


def test_scores_are_one_on_average_and_remote_ones_come_from_other_hosts_alone() -> None:
    graph = random_web(1, 80)
    hosts = (np.arange(80) % 3).astype(np.int32)
    remote = graph.without_links_within(hosts)
    assert scores_of(graph, hosts, "pagerank") == pytest.approx(80 * pagerank(graph), abs=1e-6)
    assert scores_of(graph, hosts, "remote") == pytest.approx(80 * pagerank(remote), abs=1e-6)
    assert scores_of(graph, hosts, "authority") == pytest.approx(80 * hits(remote).authorities, abs=1e-3)


def test_a_part_of_a_crawl_knows_the_pages_it_fetched_and_what_these_link_to() -> None:
    """Half-way 0 and 1 are fetched, which link to 2: the best of all as of what is known then. The next best, 4, has
    its links from 2 and 3 alone, and is not known yet."""
    graph = graph_of({0: [2], 1: [2], 2: [4], 3: [2, 4]}, 5)
    hosts = np.arange(5, dtype=np.int32)
    quality = crawl_quality(graph, hosts, np.array([0, 1, 2, 3], np.int32), "authority", slices=2, shares=(0.5, 1.0))
    assert quality.overlaps[0.5] == {1: 1.0, 2: 0.5, 4: 0.75}
    assert quality.overlaps[1.0] == {1: 1.0, 2: 1.0, 4: 1.0}
    assert len(quality.averages) == 2
