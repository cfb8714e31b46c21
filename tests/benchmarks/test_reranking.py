"""Positions of right answers, and weights chosen for them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.reranking import Candidates, positions, tuned, without_names


def found(places: list[list[int]], scores: list[list[float]], answers: list[int]) -> Candidates:
    return Candidates(
        np.array(places), np.array(scores, float), np.array([len(row) for row in places]), np.array(answers)
    )


def test_the_position_counts_the_documents_with_a_higher_score() -> None:
    candidates = found([[4, 2, 3], [1, 0, -1]], [[9, 8, 7], [5, 4, -np.inf]], [3, 1])
    assert positions(candidates).tolist() == [3, 1]


def test_what_is_not_among_the_candidates_has_no_position() -> None:
    assert positions(found([[1, 2]], [[2, 1]], [0])).tolist() == [0]


def test_a_prior_moves_a_page_up() -> None:
    candidates = found([[0, 1]], [[2, 1]], [1])
    assert positions(candidates, np.array([0.0, 5.0])).tolist() == [1]


def test_equal_scores_are_ordered_at_random() -> None:
    count = 400
    rows = [[page, page + 1] for page in range(count)]
    places = positions(found(rows, [[1, 1]] * count, list(range(count))))
    assert np.mean(places == 1) == pytest.approx(0.5, abs=0.15)


def test_weights_are_those_that_put_the_answers_first() -> None:
    prior = np.array([0.0, 0.0, 10.0])
    helpful = found([[0, 2]] * 3, [[1.2, 1.0]] * 3, [2] * 3)
    misleading = found([[0, 2]] * 3, [[1.2, 1.0]] * 3, [0] * 3)
    assert tuned(helpful, prior).weight > 0.2
    assert tuned(misleading, prior).weight == 0


def test_without_names_nothing_else_changes() -> None:
    assert without_names({"words": 2.0, "names": 1.0}) == {"words": 2.0, "names": 0.0}
