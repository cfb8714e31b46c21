"""Where redirects lead, and how many clicks lead to a page, by brute force beside."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hinterland.library.audit.chains import CIRCLE, chains
from hinterland.library.audit.clicks import NEVER, clicks_from
from hinterland.library.audit.faults import grouped_causes
from hinterland.library.audit.stored_links import LinkColumns

PAGES = 12
numbers = st.integers(0, PAGES - 1)


@given(st.dictionaries(numbers, numbers))
def test_redirects_lead_where_following_them_one_by_one_leads(hops: dict[int, int]) -> None:
    found = chains(hops, PAGES)
    for page in range(PAGES):
        here, steps = page, 0
        while here in hops and steps <= PAGES:
            here, steps = hops[here], steps + 1
        if steps > PAGES:
            assert found.ends[page] == CIRCLE
        else:
            assert (found.ends[page], found.lengths[page]) == (here, steps)


@given(st.sets(st.tuples(numbers, numbers)), numbers, st.dictionaries(numbers, numbers, max_size=4))
def test_clicks_are_the_least_links_over_which_a_page_is_reached(
    links: set[tuple[int, int]], start: int, hops: dict[int, int]
) -> None:
    ends = chains(hops, PAGES).ends
    distance = {start: 0} | ({int(ends[start]): 0} if ends[start] >= 0 else {})
    ring = list(distance)
    while ring:
        reached = {target for source, target in links if source in ring}
        reached |= {int(ends[target]) for target in reached if ends[target] >= 0}
        clicks = max(distance.values()) + 1
        ring = [page for page in reached if page not in distance]
        distance |= dict.fromkeys(ring, clicks)
    found = clicks_from(np.array([start], np.int32), columns(links), ends)
    assert found.tolist() == [distance.get(page, NEVER) for page in range(PAGES)]


@given(st.sets(st.tuples(numbers, numbers)), st.lists(numbers, unique=True).map(sorted))
def test_the_pages_that_link_to_a_page_are_all_others_with_a_link_to_it(
    links: set[tuple[int, int]], targets: list[int]
) -> None:
    causes = columns(links).causes_of(np.array(targets, np.int32))
    for place, target in enumerate(targets):
        expected = sorted(source for source, end in links if end == target and source != target)
        assert causes.of(place).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 5), numbers)))
def test_grouped_causes_are_distinct_and_ascending(pairs: list[tuple[int, int]]) -> None:
    places, sources = (np.array(column, np.int32) for column in zip(*pairs, strict=True)) if pairs else ([], [])
    found = grouped_causes(6, np.asarray(places, np.int32), np.asarray(sources, np.int32))
    for place in range(6):
        assert found.of(place).tolist() == sorted({source for fault, source in pairs if fault == place})


def columns(links: set[tuple[int, int]]) -> LinkColumns:
    ordered = sorted(links)
    sources, targets = (np.array([link[side] for link in ordered], np.int32) for side in (0, 1))
    return LinkColumns(sources, targets, np.zeros(len(links), np.int8), np.zeros(len(links), np.bool_))
