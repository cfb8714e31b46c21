"""Numbers in descending order, against a stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.descending import descending


@pytest.mark.parametrize("size", [0, 1, 2, 3000])
def test_the_order_is_that_of_a_stable_sort_whatever_the_sign_and_the_size(size: int) -> None:
    random = np.random.default_rng(size)
    scores = random.choice([-np.inf, -2.5, -1e-300, -0.0, 0.0, 5e-324, 1e-9, 1.0, 1e300, np.inf], size)
    scores[::3] *= random.random(len(scores[::3]))
    scores = np.nan_to_num(scores, nan=0.0, posinf=np.inf, neginf=-np.inf)
    assert descending(scores).tolist() == np.argsort(-scores, kind="stable").tolist()
