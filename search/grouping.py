"""Diversification: after two hits of a site, hits of other sites come first. Pure."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Final

MOST_OF_SITE: Final = 2
"""Maximum number of hits of one site on a page of results while other sites have hits."""
PAGE: Final = 10
"""Hits on a page of results."""
BLOCK: Final = 10 * PAGE
"""Number of hits that are reordered together."""


def spread(sites: Sequence[str]) -> list[int]:
    """Return an order of hits as indices in `sites`, which lists the site of each hit, best first.

    Each page of results takes the best remaining hits, but at most MOST_OF_SITE of one site. Hits that were skipped are
    considered first for the next page. If a page cannot be filled under this limit, it is filled with the best
    remaining hits of any site.
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
    """Reorder many hits block by block, so that a page of results does not depend on the number of later hits.

    The first `complete` hits have all words of the query and come before all others, whatever their sites.
    """
    order = list[int]()
    for begin in range(0, len(sites), BLOCK):
        part = sites[begin : begin + BLOCK]
        split = min(max(complete - begin, 0), len(part))
        order += [begin + place for place in spread(part[:split])]
        order += [begin + split + place for place in spread(part[split:])]
    return order


def last_of_sites(sites: Sequence[str], shown: Sequence[int], later: Sequence[int]) -> set[int]:
    """Return the last shown hit of each site that also has later hits.

    Hits are indices in `sites`.
    """
    of_later = {sites[place] for place in later}
    last = {sites[place]: place for place in shown}
    return {place for site, place in last.items() if site in of_later}
