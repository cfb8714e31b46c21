"""Two webs of ten pages with the same crawl and other ranks of its pages: docs/estimates.md, "What bounds it"."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import FloatArray, Graph
from hinterland.analysis.pagerank import pagerank

REACHED = [[1, 3], [0, 2], [0], [4], [0, 5], [6], [3]]
"""The links of pages 0 to 6, of which 0 to 2 are local; no page of these links to 7, 8 or 9."""
FIRST = [*REACHED, [2], [2], [2]]
SECOND = [*REACHED, [8], [9], [7]]


def graph_of(rows: list[list[int]]) -> Graph:
    sources = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return Graph.from_links(sources, np.concatenate(rows), len(rows))


def truth(rows: list[list[int]]) -> FloatArray:
    ranks = pagerank(graph_of(rows))[:3]
    shares: FloatArray = ranks / ranks.sum()
    return shares


def test_no_crawl_reaches_the_pages_in_which_the_two_webs_differ() -> None:
    start = np.array([0], np.int32)
    reached = [np.sort(graph_of(rows).reachable_from(start)).tolist() for rows in (FIRST, SECOND)]
    assert reached == [list(range(7))] * 2


def test_yet_the_truths_differ_so_one_of_them_is_missed_by_half_the_distance_whatever_is_estimated() -> None:
    assert truth(FIRST).round(4).tolist() == [0.5131, 0.2535, 0.2335]
    assert truth(SECOND).round(4).tolist() == [0.5393, 0.2845, 0.1762]
    assert np.abs(truth(FIRST) - truth(SECOND)).sum() == pytest.approx(0.1145, abs=1e-4)
