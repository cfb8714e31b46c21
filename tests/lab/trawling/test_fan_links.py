"""Communities are looked for among the links that say something."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.lab.trawling.fan_links import fan_links
from tests.support.webs import graph_of

pytestmark = pytest.mark.slow

HOSTS = np.array([0, 0, 1, 2, 3, 4, 5, 6], np.int32)


def test_only_links_to_other_hosts_count_and_of_pages_that_link_to_enough_of_them() -> None:
    graph = graph_of({0: [1, 3, 4, 5], 1: [3, 4], 2: [3, 4, 6]}, 8)
    found = fan_links(graph, HOSTS, min_hosts=3)
    assert found.fans == 2
    assert found.links.successors(0).tolist() == [3, 4, 5]
    assert found.links.successors(1).tolist() == []
    assert found.links.successors(2).tolist() == [3, 4, 6]


def test_mirrors_count_once_and_pages_that_everybody_links_to_not_at_all() -> None:
    rows = {0: [3, 4, 5], 2: [3, 4, 5], 6: [3, 4], 7: [3, 5]}
    found = fan_links(graph_of(rows, 8), HOSTS, min_hosts=1, max_inlinks=2)
    assert (found.mirrors, found.popular) == (1, 1)
    assert found.links.successors(0).tolist() == [4, 5]
    assert found.links.successors(2).tolist() == []
    with_mirrors = fan_links(graph_of(rows, 8), HOSTS, min_hosts=1, max_inlinks=9, drop_mirrors=False)
    assert with_mirrors.links.link_count == 10


def test_a_page_that_adds_a_link_to_a_long_list_is_still_a_mirror() -> None:
    rng = np.random.default_rng(1)
    row = sorted(rng.choice(1000, 200, replace=False).tolist())
    graph = graph_of({1000: row, 1001: [*row, 999], 1002: rng.choice(1000, 200, replace=False).tolist()}, 1003)
    found = fan_links(graph, np.arange(1003, dtype=np.int32), min_hosts=1)
    assert (found.fans, found.mirrors) == (3, 1)
