"""What pages are worth to a schedule, by the ranks that are stored."""

from __future__ import annotations

import numpy as np
import pytest

from crawler.decisions.pace import importance_of


def test_what_pages_are_worth_goes_by_rank_and_a_part_of_it_is_the_same_for_all() -> None:
    found = importance_of(np.array([0.3, 0.1, 0.0, 0.0]))
    assert found.tolist() == pytest.approx([3.25, 1.25, 0.25, 0.25])


def test_without_ranks_all_pages_are_worth_the_same() -> None:
    assert importance_of(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]
