"""The MRR after parts of a crawl, on rankings small enough to count by hand."""

from __future__ import annotations

import numpy as np

from benchmarks.answers_by_order import Asked, interval, reciprocal_ranks, table


def visited(*pages: int) -> np.ndarray:
    return np.isin(np.arange(6), pages)


QUESTION = Asked(np.array([4, 2, 0, 5]), np.array([False, True, False, True]))


def test_pages_that_were_not_visited_neither_answer_nor_stand_in_the_way() -> None:
    assert reciprocal_ranks([QUESTION], visited(0, 1, 2, 3, 4, 5)).tolist() == [1 / 2]
    assert reciprocal_ranks([QUESTION], visited(2, 5)).tolist() == [1]
    assert reciprocal_ranks([QUESTION], visited(0, 4, 5)).tolist() == [1 / 3]
    assert reciprocal_ranks([QUESTION], visited(0, 4)).tolist() == [0]
    assert reciprocal_ranks([Asked(np.zeros(0, np.int32), np.zeros(0, np.bool_))], visited(1)).tolist() == [0]


def test_the_draws_of_a_question_are_one_cluster_of_the_interval() -> None:
    same = interval(np.array([[0.0, 1.0], [0.0, 1.0]]))
    assert (same.mean, same.low, same.high) == (0.5, 0.0, 1.0)


def test_the_table_begins_with_the_policy_that_answers_most_at_first() -> None:
    low, high = interval(np.zeros((1, 2))), interval(np.ones((1, 2)))
    lines = list(table({"late": [low, high], "early": [high, high]}, (0.1, 1.0)))
    assert lines[0] == "| policy | 10% | 100% |"
    assert [line.split("`")[1] for line in lines[2:]] == ["early", "late"]
