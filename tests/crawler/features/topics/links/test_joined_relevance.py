"""What several links to a page predict together."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.topics.links.joined_relevance import BEST, MEAN, NOISY_OR, WORST, Join, JoinedRelevance


@pytest.mark.parametrize("join, expected", [(BEST, 0.5), (WORST, 0.2), (MEAN, 0.35), (NOISY_OR, 0.6)])
def test_two_links_are_joined_as_the_name_says(join: Join, expected: float) -> None:
    joined = JoinedRelevance(join, 3)
    joined.add(np.array([0, 2], np.int32), np.array([0.5, 0.7]))
    joined.add(np.array([0], np.int32), np.array([0.2]))
    assert joined.of_pages(0.1).tolist() == pytest.approx([expected, 0.1, 0.7])


def test_certain_links_and_hopeless_links_stay_in_bounds() -> None:
    joined = JoinedRelevance(NOISY_OR, 2)
    joined.add(np.array([0, 0, 1, 1], np.int32), np.array([1.0, 1.0, 0.0, 0.0]))
    sure, hopeless = joined.of_pages(0.5).tolist()
    assert 0.999 < sure <= 1.0
    assert hopeless == 0.0
