"""Links as they are read, source by source, put into the order of the visits."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from hinterland.storage import link_reading
from hinterland.storage.link_reading import OutlinkSorter

PAGES = 6
Link = tuple[int, int, int]
LINKS = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1), st.integers(0, 1)), max_size=40)


def in_order(links: list[Link], order: list[int], at_once: int) -> list[tuple[int, list[tuple[int, bool]]]]:
    """(source, its (target, nofollow)) as they come out; visits are numbered by their place in `order`."""
    reading = OutlinkSorter(PAGES)
    said = {source: [each for each in links if each[0] == source] for source, *_ in sorted(links)}
    rows = [
        (source, len(its), ",".join(str(target << 1 | nofollow) for _, target, nofollow in its))
        for source, its in said.items()
    ]
    left = iter(rows)
    with patch.object(link_reading, "_TAKEN", at_once):
        lasts = list(iter(lambda: reading.take(left), None))
    assert lasts == sorted(set(lasts))
    assert lasts[-1:] == [source for source, *_ in rows[-1:]]
    found = reading.in_order([(visit << 34 | page << 3,) for visit, page in enumerate(order)][::-1])
    pairs = list(zip(found.targets.tolist(), found.nofollow.tolist(), strict=True))
    columns = zip(found.sources.tolist(), (found.ends - found.counts).tolist(), found.ends.tolist(), strict=True)
    return [(source, pairs[begin:end]) for source, begin, end in columns]


@given(LINKS, st.permutations(range(PAGES)), st.integers(0, PAGES), st.integers(1, 30), st.integers(1, 9))
def test_links_come_in_the_order_of_the_visits_each_target_once(
    links: list[Link], pages: list[int], visited: int, at_once: int, gathered: int
) -> None:
    order = pages[:visited]
    with patch.object(link_reading, "_GATHERED", gathered):
        found = in_order(links, order, at_once)
    assert [source for source, _ in found] == order
    for source, targets in found:
        flags: dict[int, list[int]] = {}
        for _, target, nofollow in (link for link in links if link[0] == source):
            flags.setdefault(target, []).append(nofollow)
        assert targets == [(target, all(said)) for target, said in sorted(flags.items())]
