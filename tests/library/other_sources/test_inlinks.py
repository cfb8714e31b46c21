"""Lists of inlinks bring an estimate nearer to the truth, and wrong ones move it no farther than is stated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.unseen_inlinks import MOST_ADDED, UnseenInlinks, with_unseen_inlinks
from hinterland.analysis.graph import FloatArray, Graph
from hinterland.analysis.link_log import LinkLog
from hinterland.library.other_sources.inlink_rows import InlinkRow
from hinterland.library.other_sources.inlinks import with_inlinks

REACHED = [[1, 3], [0, 2], [0], [4], [0, 5], [6], [3]]
"""The reached pages of the first web of docs/estimates.md, "What bounds it": 7, 8 and 9 link to page 2 there."""
TRUTH = np.array([0.5131, 0.2535, 0.2335])
ESTIMATE = np.array([0.5340, 0.2894, 0.1766])
NUMBERS = {str(page): page for page in range(len(REACHED))}


def crawled_web() -> CrawledGraph:
    log = LinkLog()
    for page, links in enumerate(REACHED):
        log.append(page, np.array(links, np.int32))
    is_local = np.arange(len(REACHED)) < 3
    return log.snapshot(is_local, (~is_local).astype(np.int32))


def distance(ranks: FloatArray, other: FloatArray) -> float:
    return float(np.abs(ranks - other).sum())


@pytest.mark.parametrize(
    "rows", [[InlinkRow(str(page), "2") for page in (4, 7, 8, 9)], [InlinkRow(None, "2", 3)]], ids=["pairs", "counts"]
)
def test_links_that_no_crawl_finds_bring_the_estimate_nearer(rows: list[InlinkRow]) -> None:
    ranks, answer = with_inlinks(rows, crawled_web(), ESTIMATE, NUMBERS.get, 2.0)
    assert answer.unseen == 3
    assert distance(ranks, TRUTH) < distance(ESTIMATE, TRUTH)
    assert ranks.sum() == pytest.approx(1.0, abs=1e-3)
    assert distance(ranks, ESTIMATE) == pytest.approx(answer.moved)


def test_each_row_is_told_for_what_it_is() -> None:
    rows = [
        InlinkRow("4", "0"),  # the crawl has it
        InlinkRow("4", "0"),  # twice
        InlinkRow("5", "0"),  # page 5 has no such link
        InlinkRow("1", "2"),  # from the site itself
        InlinkRow("7", "5"),  # to a page outside
        InlinkRow("7", "elsewhere"),
        InlinkRow("7", "2"),
        None,
    ]
    _, answer = with_inlinks(rows, crawled_web(), ESTIMATE, NUMBERS.get, 2.0)
    assert (answer.rows, answer.unreadable, answer.elsewhere) == (8, 1, 3)
    assert (answer.found, answer.false, answer.waiting, answer.unseen) == (1, 1, 0, 1)
    assert answer.coverage == 1.0


def test_the_list_of_another_site_changes_nothing() -> None:
    rows = [InlinkRow(f"x{each}", f"y{each}") for each in range(50)]
    ranks, answer = with_inlinks(rows, crawled_web(), ESTIMATE, NUMBERS.get, 2.0)
    assert ranks is ESTIMATE
    assert answer.elsewhere == 50


def test_a_list_that_the_crawl_contradicts_is_not_used() -> None:
    false = [InlinkRow(str(page), str(target)) for page in (3, 5, 6) for target in (0, 1)]
    ranks, answer = with_inlinks([*false, InlinkRow("7", "2")], crawled_web(), ESTIMATE, NUMBERS.get, 2.0)
    assert not answer.is_used
    assert ranks is ESTIMATE


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 2), max_size=40),
    st.floats(1e-4, 1),
    st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
    st.floats(0, 2),
)
def test_no_list_moves_an_estimate_farther_than_is_stated(
    targets: list[int], coverage: float, shares: list[float], most_moved: float
) -> None:
    ranks = np.array(shares) / sum(shares)
    inside = Graph.from_links(np.array([0, 1, 1, 2]), np.array([1, 0, 2, 0]), 3)
    unseen = UnseenInlinks(np.array(targets * 50, np.int32), np.ones(50 * len(targets)), coverage)
    corrected, moved = with_unseen_inlinks(ranks, inside, np.array([2, 2, 1], np.int32), unseen, most_moved)
    assert corrected.sum() == pytest.approx(1)
    assert distance(corrected, ranks) == pytest.approx(moved, abs=1e-12)
    assert moved <= min(most_moved, 2 * MOST_ADDED) + 1e-12
