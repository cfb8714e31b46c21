"""What the visits of a crawl have shown of pages, hosts and links."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.topics.links.seen_relevance import FARTHEST, SeenRelevance


def some(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(numbers, np.int32)


def test_a_page_is_as_far_from_the_last_relevant_one_as_its_nearest_source_and_a_step() -> None:
    seen = SeenRelevance()
    seen.add(0, 0, 0.9)
    seen.add(1, 0, 0.1, {1: [0]}.__getitem__)
    seen.add(2, 0, 0.1, {2: [1]}.__getitem__)
    seen.add(3, 0, 0.1, {3: [2, 0]}.__getitem__)
    seen.add(4, 0, 0.1)
    assert seen.steps(some(0, 1, 2, 3, 4)).tolist() == [0, 1, 2, 1, FARTHEST]


def test_a_host_is_expected_to_be_as_its_pages_were_and_at_first_as_the_crawl_is() -> None:
    seen = SeenRelevance()
    for page in range(20):
        seen.add(page, page % 2, float(page % 2))
    bad, good, unknown = seen.host_shares(some(0, 1, 7)).tolist()
    assert bad < 0.1
    assert good > 0.85
    assert bad < unknown < good
    assert seen.is_new_host(some(0, 7)).tolist() == [False, True]


def test_what_a_link_itself_says_about_its_host_can_be_left_out() -> None:
    seen = SeenRelevance()
    seen.add(0, 5, 1.0)
    with_it = seen.host_shares(some(5))[0]
    without = seen.host_shares(some(5), np.array([1.0]))[0]
    assert without == pytest.approx(seen.host_shares(some(6))[0])
    assert with_it > without


def test_the_ends_of_links_speak_for_the_other_links_of_their_page() -> None:
    seen = SeenRelevance()
    seen.add(0, 0, 0.2)
    sources: dict[int, list[int]] = {0: [], 1: [0], 2: [0]}
    seen.add(1, 1, 1.0, sources.__getitem__)
    seen.add(2, 1, 1.0, sources.__getitem__)
    share = seen.host_shares(some(2))
    assert seen.sibling_shares(some(0), share)[0] == pytest.approx((2.0 + share[0]) / 3.0)
    assert seen.sibling_shares(some(0), share, np.array([1.0]))[0] == pytest.approx((1.0 + share[0]) / 2.0)


def test_a_page_is_worth_half_of_what_it_leads_to_if_that_is_more_than_its_own_relevance() -> None:
    """As far as it was followed; and so is, again by half, the page that leads there."""
    sources: dict[int, list[int]] = {0: [], 1: [0], 2: [1], 3: [1], 4: [1]}
    seen = SeenRelevance()
    seen.add(0, 0, 0.0, sources.__getitem__)
    seen.add(1, 0, 0.1, sources.__getitem__)
    assert seen.worth(some(0, 1)).tolist() == pytest.approx([0.025, 0.1])
    for page in (2, 3, 4):
        seen.add(page, 0, 1.0, sources.__getitem__)
    start, way, end = seen.worth(some(0, 1, 2)).tolist()
    assert end == 1.0
    assert way == pytest.approx(0.5 * 3 / 4)
    assert start == pytest.approx(0.5 * way / 2)
    assert seen.relevance(some(1))[0] == pytest.approx(0.1)


def test_pages_that_lead_to_each_other_are_not_worth_more_for_that() -> None:
    sources = {0: [1], 1: [0], 2: [0, 1]}
    seen = SeenRelevance()
    for page, relevance in ((0, 0.0), (1, 0.0), (2, 1.0)):
        seen.add(page, 0, relevance, lambda of: [each for each in sources[of] if seen.is_visited(some(each))[0]])
    assert (seen.worth(some(0, 1)) <= 0.5).all()


def test_little_known_hosts_have_their_chance_in_a_draw() -> None:
    seen = SeenRelevance()
    for page in range(400):
        seen.add(page, 0, 0.3)
    seen.add(400, 1, 0.3)
    draws = np.array([seen.drawn_host_shares(np.random.default_rng(n)) for n in range(200)])
    well_known, hardly_known = draws.std(axis=0)
    assert hardly_known > 3 * well_known
    assert (draws[:, 1] > draws[:, 0]).mean() > 0.2


def test_a_copy_does_not_see_what_comes_later() -> None:
    seen = SeenRelevance()
    seen.add(0, 0, 1.0)
    before = seen.copy()
    seen.add(1, 0, 0.0, {1: [0]}.__getitem__)
    assert (before.visits, seen.visits) == (1, 2)
    assert before.is_visited(some(0, 1, 5000)).tolist() == [True, False, False]
    assert before.host_shares(some(0))[0] > seen.host_shares(some(0))[0]
