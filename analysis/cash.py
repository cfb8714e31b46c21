"""OPIC, a policy by which pages pass on their "cash" one after another (Abiteboul, Preda & Cobena, WWW 2003)."""

from __future__ import annotations

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import FloatArray, IntArray, OffsetArray


@compiled
def give_away(
    own: FloatArray, known: int, given: float, pages: IntArray, ends: OffsetArray, targets: IntArray
) -> tuple[int, float]:
    """Let each of `pages`, one after another, divide its cash equally among the pages it links to.

    A page without links gives its cash to all known pages. To do this quickly, `given` counts what every known page has
    received from such pages, and `own`, shape (n,), holds the cash of each page minus `given`; it is changed in place.
    n exceeds all page numbers. Pages with numbers below `known` are known; others start with a cash of 1. pages[i]
    links to the distinct targets[ends[i - 1]:ends[i]]; self-links do not count. Returns the new values of `known` and
    `given`. Time: O(links).
    """
    for i in range(len(pages)):
        page, begin, end = pages[i], ends[i - 1] if i else 0, ends[i]
        newest, others = page, 0
        for link in range(begin, end):
            newest = max(newest, targets[link])
            others += targets[link] != page
        for new in range(known, newest + 1):
            own[new] = 1.0 - given
        known = max(known, newest + 1)
        cash = own[page] + given
        own[page] = -given
        if others:
            part = cash / others
            for link in range(begin, end):
                if targets[link] != page:
                    own[targets[link]] += part
        else:
            given += cash / known
    return known, given
