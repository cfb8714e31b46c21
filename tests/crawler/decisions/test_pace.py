"""What pages are worth to a schedule, by the ranks that are stored."""

from __future__ import annotations

import numpy as np
import pytest

from crawler.decisions.pace import _importance


def test_half_of_what_pages_are_worth_is_the_same_for_all_and_half_goes_by_rank() -> None:
    found = _importance(np.array([0.3, 0.1, 0.0, 0.0]))
    assert found.tolist() == pytest.approx([4.0, 2.0, 1.0, 1.0])


def test_without_ranks_all_pages_are_worth_the_same() -> None:
    assert _importance(np.zeros(3)).tolist() == [1.0, 1.0, 1.0]
