"""No site fills a page of results: hits beyond the first two of a site make way for those of others. Pure."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Final

MOST_OF_SITE: Final = 2
"""So many hits of one site stand on a page of results, as long as there are others."""
PAGE: Final = 10
"""Hits on a page of results."""
BLOCK: Final = 10 * PAGE
"""So many hits are ordered anew together."""


def spread(sites: Sequence[str]) -> list[int]:
    """An order of hits, best first, as places in `sites`: on each page the best of those that are left, but of no site
    more than MOST_OF_SITE.

    What made way is first to be chosen for the next page. A page that could not be filled so takes the best of what is
    left, whatever its site.
    """
    left, chosen = deque(range(len(sites))), list[int]()
    while left:
        on_page, made_way = list[int](), list[int]()
        count = Counter[str]()
        while left and len(on_page) < PAGE:
            place = left.popleft()
            if count[sites[place]] < MOST_OF_SITE:
                count[sites[place]] += 1
                on_page.append(place)
            else:
                made_way.append(place)
        room = PAGE - len(on_page)
        chosen += sorted([*on_page, *made_way[:room]])
        left.extendleft(reversed(made_way[room:]))
    return chosen


def spread_in_blocks(sites: Sequence[str], complete: int) -> list[int]:
    """The same of many hits, block by block, so that a page of results is what it is however many follow. complete: so
    many of the first come before all others whatever their sites, since these lack words.
    """
    order = list[int]()
    for begin in range(0, len(sites), BLOCK):
        part = sites[begin : begin + BLOCK]
        split = min(max(complete - begin, 0), len(part))
        order += [begin + place for place in spread(part[:split])]
        order += [begin + split + place for place in spread(part[split:])]
    return order


def last_of_sites(sites: Sequence[str], shown: Sequence[int], later: Sequence[int]) -> set[int]:
    """Of the hits shown, as places in `sites`, the last ones of sites that later hits are of, too."""
    of_later = {sites[place] for place in later}
    last = {sites[place]: place for place in shown}
    return {place for site, place in last.items() if site in of_later}
