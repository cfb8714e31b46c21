"""The exact influence of a frontier page, against PageRank written out densely."""

from __future__ import annotations

import numpy as np

from analysis.graph import IntArray
from analysis.influence import exact_influences
from analysis.link_log import LinkLog
from analysis.pagerank import pagerank


def dense_pagerank(links: dict[int, list[int]], pages: list[int]) -> np.typing.NDArray[np.float64]:
    n = len(pages)
    matrix = np.zeros((n, n))
    for column, page in enumerate(pages):
        rows = [pages.index(target) for target in links[page] if target in pages]
        matrix[rows or slice(None), column] = 1 / (len(rows) or n)
    ranks: np.typing.NDArray[np.float64] = np.linalg.solve(np.eye(n) - 0.85 * matrix, np.full(n, 0.15 / n))
    return ranks


def test_it_is_the_change_of_the_local_ranks_when_the_page_is_added_and_left_out_again() -> None:
    links = {0: [1, 4], 1: [2, 5], 2: [0, 3], 3: [2, 4], 4: [0, 5], 5: []}
    log = LinkLog()
    for page in range(4):
        log.append(page, np.array(links[page], np.int32))
    crawled = log.snapshot(np.arange(6) < 3, np.zeros(6, np.int32))  # page 3 is outside, 4 and 5 the frontier
    before = dense_pagerank(links, [0, 1, 2, 3])

    def outlinks(page: int) -> IntArray:
        return np.array(links[page], np.int32)

    expected = []
    for page in (4, 5):
        with_page = dense_pagerank(links, [0, 1, 2, 3, page])[:4]
        expected.append(np.abs(with_page / with_page.sum() - before)[:3].sum())
    ranks = pagerank(crawled.inner, tolerance=1e-12)
    found = exact_influences(crawled, ranks, np.array([4, 5], np.int32), outlinks)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert found[0] > 1e-3
