"""Return probabilities against powers of the walk's dense matrix."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.estimates.return_probability import return_probabilities
from hinterland.analysis.graph import FloatArray
from hinterland.analysis.link_log import LinkLog
from tests.analysis.estimates.test_outside_model import (
    link_distributions,
    mixed,
    random_crawl,
    similarity_of,
    some_classes,
)

WEIGHTS = np.array([0.1, 0.2, 0.3, 0.4])


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_chance_to_be_home_within_three_clicks_by_known_and_predicted_links(seed: int) -> None:
    crawled = random_crawl(seed)
    n, classes = crawled.page_count, some_classes(crawled, seed)
    told = [mixed(crawled, page, classes, WEIGHTS) for page in range(n)]
    predicted = np.array([np.zeros(n) if links is None else links[:n] for links in told])
    clicks = 0.85 * np.where(crawled.is_crawled[:, np.newaxis], link_distributions(crawled)[:, :n], predicted)
    clicks[crawled.is_local] = np.eye(n)[crawled.is_local]  # who is home stays there
    home = crawled.is_local.astype(float)
    for _ in range(2):
        home = clicks @ home
    found = return_probabilities(similarity_of(crawled, classes), WEIGHTS)
    outside = ~crawled.is_local
    np.testing.assert_allclose(found[outside], (0.85 * predicted @ home)[outside], atol=1e-12)
    assert found[outside].max() > 0


def test_two_clicks_home_are_less_probable_than_one() -> None:
    """Page 0 is the local domain. Page 1 links to it, page 2 to page 1, and page 3 is on the host of one of these."""
    near, far = (predicted_by_host({0: [2, 3], 1: [0], 2: [1]}, [0, 1, 2, host])[3] for host in (1, 2))
    assert near == pytest.approx(0.85)
    assert far == pytest.approx(0.85**2)


def test_nothing_comes_back_where_no_page_outside_was_crawled() -> None:
    assert not predicted_by_host({0: [1, 2]}, [0, 1, 1]).any()


def predicted_by_host(links: dict[int, list[int]], hosts: list[int]) -> FloatArray:
    """Each page is expected to link as the others of its host do."""
    log, count = LinkLog(), len(hosts)
    for page, outlinks in links.items():
        log.append(page, np.array(outlinks, np.int32))
    crawled = log.snapshot(np.arange(count) < 1, np.array(hosts, np.int32))
    similarity = similarity_of(crawled, np.zeros(count, np.uint8))
    return return_probabilities(similarity, np.array([0.0, 1.0, 0.0, 0.0]))
