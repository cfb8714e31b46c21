"""How deep pages lie, over all ways that are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.frontier.pages.depths import FollowedLinks, links_to_follow, shortest
from hinterland.crawler.settings import RobotsSettings
from hinterland.storage.values.records import StoredOutlinks

PAGES = 8
Link = tuple[int, int, int]
LINKS = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1), st.integers(0, 1)), max_size=24)


def followed_links(links: Sequence[Link]) -> FollowedLinks:
    columns = np.array(links, np.int32).reshape(-1, 3).T
    return FollowedLinks(columns[0], columns[1], columns[2].astype(np.int8))


def shortest_by_trying(depths: Sequence[int], links: Sequence[Link], max_depth: int) -> list[int]:
    """One link after another until none shortens anything."""
    found = list(depths)
    for _ in range(PAGES * (PAGES + 1)):
        for source, target, length in links:
            if found[source] + length <= max_depth:
                found[target] = min(found[target], found[source] + length)
    return found


@given(st.lists(st.integers(0, 12), min_size=PAGES, max_size=PAGES), LINKS, st.integers(0, 12))
def test_every_page_is_as_deep_as_the_shortest_way_to_it(depths: list[int], links: list[Link], max_depth: int) -> None:
    found = shortest(np.array(depths, np.int32), followed_links(links), max_depth)
    assert found.tolist() == shortest_by_trying(depths, links, max_depth)


def test_the_links_that_may_be_followed_are_taken_and_a_redirect_has_no_length() -> None:
    outlinks = StoredOutlinks(
        sources=np.array([0, 1, 3, 4], np.int32),
        ends=np.array([2, 3, 4, 5]),
        targets=np.array([1, 2, 3, 4, 5], np.int32),
        nofollow=np.array([False, True, False, True, False]),
        is_nofollow=np.array([False, False, True, False]),
        is_redirect=np.array([False, True, False, False]),
        is_broken_off=np.array([False, False, False, True]),
    )
    found = links_to_follow(outlinks, RobotsSettings())
    assert list(zip(found.sources.tolist(), found.targets.tolist(), found.lengths.tolist(), strict=True)) == [
        (0, 1, 1),
        (1, 3, 0),
    ]
    everything = links_to_follow(outlinks, RobotsSettings(obey_nofollow=False, obey_page_directives=False))
    assert everything.targets.tolist() == [1, 2, 3, 4]
