"""Random crawls, and the random graph they are crawls of."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import numpy as np
import pytest

from analysis.graph import occurrences
from analysis.models.model import DrawnGraph
from analysis.models.random_crawl import ORDERS, ConfigurationModel, RandomCrawlModel
from analysis.models.zipf import zipf, zipf_probabilities


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


def test_no_page_has_more_links_or_is_linked_more_often_than_its_degrees_say() -> None:
    model = ConfigurationModel(least_outdegree=2)
    outdegrees, places, _ = model.degrees(5000, 4)
    drawn = model.draw(5000, 4)
    assert np.all(occurrences(drawn.sources, 5000) <= outdegrees)
    assert np.all(occurrences(drawn.targets, 5000) <= occurrences(places, 5000))
    assert len(drawn.sources) == min(outdegrees.sum(), len(places))


def test_a_link_leads_to_a_page_as_often_as_the_page_has_places_for_links() -> None:
    model, seeds, difference, variance = ConfigurationModel(least_indegree=2), 2000, 0.0, 0.0
    for seed in range(seeds):
        _, places, _ = model.degrees(10, seed)
        share = np.mean(places == 0)
        difference += (model.draw(10, seed).targets[0] == 0) - share
        variance += share * (1 - share)
    assert abs(difference) < 4 * np.sqrt(variance)


def test_a_share_of_the_pages_may_have_no_links() -> None:
    outdegrees, _, _ = ConfigurationModel(linkless=0.3).degrees(20_000, 1)
    assert (outdegrees == 0).mean() == pytest.approx(0.3, abs=0.02)
    assert outdegrees[outdegrees > 0].min() == 4
    assert (ConfigurationModel().degrees(20_000, 1)[0] > 0).all()


def test_a_law_of_zipf_is_drawn_within_its_bounds() -> None:
    rng = np.random.default_rng(1)
    drawn = zipf(rng, 2.1, 3, 50, 200_000)
    expected = zipf_probabilities(2.1, 3, 50)
    assert expected[0] / expected[1] == pytest.approx((4 / 3) ** 2.1)
    measured = np.bincount(drawn, minlength=51)[3:] / len(drawn)
    assert drawn.min() == 3
    assert drawn.max() <= 50
    assert np.all(np.abs(measured - expected) < 5 * np.sqrt(expected / len(drawn)))
