"""The exact influence of a frontier page, against PageRank written out densely."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.graph import Graph
from hinterland.analysis.link_log import LinkLog
from hinterland.lab.influence import exact_influence


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

    pairs = [(page, target) for page, targets in links.items() for target in targets]
    web = Graph.from_links([page for page, _ in pairs], [target for _, target in pairs], 6)
    expected = []
    for page in (4, 5):
        with_page = dense_pagerank(links, [0, 1, 2, 3, page])[:4]
        expected.append(np.abs(with_page / with_page.sum() - before)[:3].sum())
    found = exact_influence(crawled, web, np.array([4, 5], np.int32))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert found[0] > 1e-3
