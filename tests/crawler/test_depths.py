"""How deep pages lie, over all ways that are known."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crawler.depths import Ways, shortest, ways_of
from crawler.settings import RobotsSettings
from storage.records import StoredOutlinks

PAGES = 8
Link = tuple[int, int, int]
LINKS = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1), st.integers(0, 1)), max_size=24)


def ways(links: Sequence[Link]) -> Ways:
    columns = np.array(links, np.int32).reshape(-1, 3).T
    return Ways(columns[0], columns[1], columns[2].astype(np.int8))


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
    found = shortest(np.array(depths, np.int32), ways(links), max_depth)
    assert found.tolist() == shortest_by_trying(depths, links, max_depth)


async def test_ways_are_the_links_that_may_be_followed_and_a_redirect_is_none() -> None:
    async def outlinks() -> AsyncIterator[StoredOutlinks]:
        yield StoredOutlinks(0, [1, 2], [0, 1], 0, False, False)
        yield StoredOutlinks(1, [3], [0], 0, True, False)
        yield StoredOutlinks(3, [4], [1], 1, False, False)
        yield StoredOutlinks(4, [5], [0], 0, False, True)

    found = await ways_of(outlinks(), RobotsSettings())
    assert list(zip(found.sources.tolist(), found.targets.tolist(), found.lengths.tolist(), strict=True)) == [
        (0, 1, 1),
        (1, 3, 0),
    ]
    everything = await ways_of(outlinks(), RobotsSettings(obey_nofollow=False, obey_page_directives=False))
    assert everything.targets.tolist() == [1, 2, 3, 4]
