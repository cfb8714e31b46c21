"""The frontier by urgency, small enough to look at."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.frontier.scores import scores_of
from hinterland.crawler.frontier.waiting_pages import WaitingPages


def test_an_empty_frontier_has_no_scores() -> None:
    scores = scores_of(np.empty(0, np.int32), np.empty(0))
    assert (scores.waiting, scores.top, scores.bins) == (0, [], [])


def test_few_urgencies_have_a_bin_each() -> None:
    scores = scores_of(np.arange(5, dtype=np.int32), np.array([-1.0, -2.0, -1.0, -3.0, -1.0]))
    assert scores.bins == [(-3.0, -3.0, 1), (-2.0, -2.0, 1), (-1.0, -1.0, 3)]
    assert scores.top == [(0, -1.0), (2, -1.0), (4, -1.0), (1, -2.0), (3, -3.0)]


def test_urgencies_over_many_magnitudes_are_counted_on_a_logarithmic_axis() -> None:
    urgencies = np.geomspace(1e-9, 1.0, 1000)
    scores = scores_of(np.arange(1000, dtype=np.int32), urgencies)
    assert scores.is_logarithmic
    counts = [pages for _, _, pages in scores.bins]
    assert sum(counts) == 1000
    assert max(counts) - min(counts) <= 2


def test_pages_that_are_due_are_counted_beside_the_bins_and_stand_first() -> None:
    scores = scores_of(np.array([7, 8, 9], np.int32), np.array([1.0, np.inf, 2.0]))
    assert scores.due == 1
    assert scores.top == [(8, None), (9, 2.0), (7, 1.0)]
    assert sum(pages for _, _, pages in scores.bins) == 2


def test_a_frontier_of_pages_that_are_all_due_has_no_bins() -> None:
    scores = scores_of(np.array([7, 8], np.int32), np.array([np.inf, np.inf]))
    assert (scores.waiting, scores.due, scores.bins) == (2, 2, [])


def test_urgencies_of_which_the_first_thousands_are_few_are_counted_all_the_same() -> None:
    urgencies = np.concatenate((np.full(5_000, 1.0), np.array([3.0, 9.0])))
    scores = scores_of(np.arange(len(urgencies), dtype=np.int32), urgencies)
    assert sum(pages for _, _, pages in scores.bins) == 5_002
    assert scores.bins[0][2] == 5_000
    assert scores.bins[-1][2] == 1


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=300))
def test_every_page_is_in_one_bin_and_the_most_urgent_come_first(values: list[float]) -> None:
    urgencies = np.array(values)
    scores = scores_of(np.arange(len(values), dtype=np.int32), urgencies)
    assert sum(pages for _, _, pages in scores.bins) == scores.waiting == len(values)
    assert [urgency for _, urgency in scores.top] == sorted(values, reverse=True)[:20]
    assert len(scores.bins) <= 24


def test_the_urgencies_of_a_frontier_are_copies_for_the_waiting_pages() -> None:
    waiting = WaitingPages()
    waiting.add(np.arange(4, dtype=np.int32), np.zeros(4, np.int32), np.array([1.0, 4.0, 2.0, 3.0]))
    assert waiting.take(0) == 1
    pages, urgencies = waiting.urgencies()
    assert pages.tolist() == [0, 2, 3]
    assert urgencies.tolist() == [1.0, 2.0, 3.0]
    waiting.add(np.arange(4, 9000, dtype=np.int32), np.zeros(8996, np.int32), np.ones(8996))  # they may grow meanwhile
    assert urgencies.tolist() == [1.0, 2.0, 3.0]
