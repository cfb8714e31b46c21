"""Zipf's law, drawn from."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.lab.models.zipf import zipf, zipf_probabilities


def test_a_law_of_zipf_is_drawn_within_its_bounds() -> None:
    rng = np.random.default_rng(1)
    drawn = zipf(rng, 2.1, 3, 50, 200_000)
    expected = zipf_probabilities(2.1, 3, 50)
    assert expected[0] / expected[1] == pytest.approx((4 / 3) ** 2.1)
    measured = np.bincount(drawn, minlength=51)[3:] / len(drawn)
    assert drawn.min() == 3
    assert drawn.max() <= 50
    assert np.all(np.abs(measured - expected) < 5 * np.sqrt(expected / len(drawn)))
