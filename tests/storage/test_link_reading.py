"""Links as they are read, source by source, put into the order of the visits."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from storage import link_reading
from storage.link_reading import LinkReading

PAGES = 6
Link = tuple[int, int, int]
LINKS = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1), st.integers(0, 1)), max_size=40)


def in_order(links: list[Link], order: list[int], rows_at_once: int) -> list[tuple[int, list[tuple[int, bool]]]]:
    """(source, its (target, nofollow)) as they come out; visits are numbered by their place in `order`."""
    reading = LinkReading(PAGES)
    rows = [(source << 32 | target << 1 | nofollow,) for source, target, nofollow in links]
    for first in range(0, len(rows), rows_at_once):
        part = rows[first : first + rows_at_once]
        assert reading.take(part) == part[-1][0] >> 32
    found = reading.in_order([(visit << 32 | page, 0) for visit, page in enumerate(order)][::-1])
    pairs = list(zip(found.targets.tolist(), found.nofollow.tolist(), strict=True))
    columns = zip(found.sources.tolist(), (found.ends - found.counts).tolist(), found.ends.tolist(), strict=True)
    return [(source, pairs[begin:end]) for source, begin, end in columns]


@given(LINKS, st.permutations(range(PAGES)), st.integers(0, PAGES), st.integers(1, 7), st.integers(1, 9))
def test_links_come_in_the_order_of_the_visits_each_target_once(
    links: list[Link], pages: list[int], visited: int, rows_at_once: int, gathered: int
) -> None:
    links = sorted(links, key=lambda link: link[:2])
    order = pages[:visited]
    with patch.object(link_reading, "_GATHERED", gathered):
        found = in_order(links, order, rows_at_once)
    assert [source for source, _ in found] == order
    for source, targets in found:
        flags: dict[int, list[int]] = {}
        for _, target, nofollow in (link for link in links if link[0] == source):
            flags.setdefault(target, []).append(nofollow)
        assert targets == [(target, all(said)) for target, said in flags.items()]
