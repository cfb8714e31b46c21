"""Urgencies with a random sample, against the order that is sorted as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.topics.links.exploration_sample import in_this_order, order_with_sample
from hinterland.crawler.features.topics.links.sample_urgencies import urgencies_with_sample


@pytest.mark.parametrize("share", [0.03, 0.1, 0.5])
@pytest.mark.parametrize("different", [1, 3, 1000])
def test_urgencies_follow_the_order_in_which_a_page_comes_by_prediction_or_draw_whichever_is_sooner(
    share: float, different: int
) -> None:
    random = np.random.default_rng(different)
    for count in (0, 1, 7, 150):
        predicted = random.integers(0, different, count) / different
        pages = np.sort(random.choice(1000, count, replace=False)).astype(np.int32)
        expected = in_this_order(order_with_sample(predicted, pages, share), predicted)
        assert urgencies_with_sample(predicted, pages, share).tolist() == expected.tolist()


def test_without_a_sample_urgencies_are_the_predictions() -> None:
    predicted = np.array([0.25, 0.5, 0.0])
    assert urgencies_with_sample(predicted, np.arange(3, dtype=np.int32), 0).tolist() == predicted.tolist()
