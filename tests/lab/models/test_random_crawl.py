"""Random crawls of graphs that are drawn while they are crawled."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import numpy as np
import pytest

from hinterland.lab.models.model import DrawnGraph
from hinterland.lab.models.random_crawl import ORDERS, RandomCrawlModel

pytestmark = pytest.mark.slow


def links_by_page(drawn: DrawnGraph) -> list[list[int]]:
    """In the order in which they were drawn, with repeats."""
    assert drawn.crawled is not None
    starts = np.searchsorted(drawn.sources, np.arange(drawn.crawled + 1))
    return [drawn.targets[a:b].tolist() for a, b in pairwise(starts)]


@pytest.mark.parametrize("order", ORDERS)
def test_pages_are_numbered_as_they_are_visited_and_then_as_they_are_found(order: str) -> None:
    drawn = RandomCrawlModel(order, crawled=0.2).draw(2000, 5)
    assert drawn.crawled == 400
    assert drawn.sources.max() < 400 < drawn.page_count
    found, later = {0}, 400
    for page, targets in enumerate(links_by_page(drawn)):
        assert page in found
        for target in targets:
            if target not in found and target >= 400:
                assert target == later
                later += 1
            found.add(target)
    assert later == drawn.page_count


def test_breadth_first_visits_what_was_found_first() -> None:
    drawn = RandomCrawlModel("bfs", crawled=0.3).draw(3000, 2)
    queue, known, visited = deque([0]), {0}, 0
    for page, targets in enumerate(links_by_page(drawn)):
        assert queue.popleft() == page
        visited += 1
        for target in targets:
            if target not in known:
                known.add(target)
                queue.append(target)
    assert visited == 900


def test_depth_first_visits_what_was_found_last() -> None:
    drawn = RandomCrawlModel("dfs", crawled=0.3).draw(3000, 2)
    stack, known = [0], {0}
    for page, targets in enumerate(links_by_page(drawn)):
        assert stack.pop() == page
        for target in targets:
            if target not in known:
                known.add(target)
                stack.append(target)


def test_by_degree_visits_what_most_links_were_seen_to_and_among_equals_the_one_that_has_been_so_for_longest() -> None:
    drawn = RandomCrawlModel("deg", crawled=0.3).draw(3000, 2)
    seen, since, visited, time = {0: 0}, {0: 0}, set(), 0
    for page, targets in enumerate(links_by_page(drawn)):
        assert page == min(seen, key=lambda each: (-seen[each], since[each]))
        del seen[page]
        visited.add(page)
        for target in targets:
            if target not in visited:
                time += 1
                seen[target], since[target] = seen.get(target, 0) + 1, time


def test_a_crawl_may_begin_with_several_pages() -> None:
    drawn = RandomCrawlModel("bfs", crawled=1.0, seeds=40, least_outdegree=1).draw(3000, 2)
    linked = set(drawn.targets.tolist())
    assert 30 < len(set(range(40)) - linked) <= 40


def test_at_random_is_none_of_the_others() -> None:
    visits = {order: RandomCrawlModel(order, crawled=0.3).draw(3000, 2).targets.tolist() for order in ORDERS}
    assert len(set(map(tuple, visits.values()))) == len(ORDERS)


def test_a_crawl_that_finds_no_more_pages_says_so() -> None:
    drawn = RandomCrawlModel(least_outdegree=1, outdegree_exponent=4.0).draw(1000, 1)
    assert drawn.ended_early
    assert drawn.crawled == drawn.page_count < 300
    assert not RandomCrawlModel().draw(1000, 1).ended_early
