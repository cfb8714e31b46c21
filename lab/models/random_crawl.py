"""The random crawl of Bennouas & de Montgolfier (WWW 2007), and the random graph that it crawls.

The model does not say how pages are written. Each page has an in-degree and an out-degree, drawn from two laws of Zipf.
The target of a link is drawn when its page is crawled. Drawing it earlier makes no difference: a random crawl is a
crawl of the directed configuration model with these degrees, which `ConfigurationModel` draws as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import IntArray, occurrences
from hinterland.analysis.random_numbers import RandomState, below
from hinterland.lab.models.configuration import take_place
from hinterland.lab.models.degree_laws import DegreeLaws
from hinterland.lab.models.model import DrawnGraph, require

ORDERS: Final = ("bfs", "dfs", "deg", "rnd")
_BFS, _DFS, _DEG, _RND = range(4)
_NONE: Final = -1


@dataclass(frozen=True, slots=True)
class RandomCrawlModel(DegreeLaws):
    """A crawl from `seeds` uniformly drawn pages, until a share of all pages is crawled or no known page is left.

    `order` chooses the next page among the known pages:

        bfs    the page that was found first
        dfs    the page that was found last
        deg    the page with most known inlinks; if several tie, the page that has had this number for longest
        rnd    a uniformly drawn page

    The graph has the crawled pages, in their order, followed by the pages known only by links; pages that were never
    found are missing. The exponents are those of the paper, which does not state the least degrees. With a least
    out-degree of 1, a page has 1.6 links on average, and crawls die out. With 4, the fits in the paper's Figure 1 hold
    as many pages as the paper says. The paper's bow ties and sinks agree with a web in which a third of the pages are
    linkless.
    """

    order: str = "bfs"
    crawled: float = 0.3
    seeds: int = 1

    def __post_init__(self) -> None:
        """Raise UnusableModel for a parameter out of range."""
        DegreeLaws.__post_init__(self)
        require(self.order in ORDERS, "order", self.order, f"there are {', '.join(ORDERS)}")
        require(0 < self.crawled <= 1, "crawled", self.crawled, "a share is above 0 and at most 1")
        require(self.seeds >= 1, "seeds", self.seeds, "a crawl begins with at least 1")

    def draw(self, page_count: int, seed: int) -> DrawnGraph:
        """Draw a web of `page_count` pages, and crawl it."""
        outdegrees, places, state = self.degrees(page_count, seed)
        budget = max(1, round(self.crawled * page_count))
        seeds = min(self.seeds, page_count)
        most = int(occurrences(places, page_count).max())
        found, visits, taken = _crawled(
            outdegrees=outdegrees,
            places=places,
            most_places=most,
            order=ORDERS.index(self.order),
            seeds=seeds,
            budget=budget,
            state=state,
        )
        degrees = outdegrees[visits].astype(np.int64)
        sources = np.repeat(np.arange(len(visits), dtype=np.int32), degrees)[:taken]
        targets = _numbers(visits, found, page_count)[places[:taken]]
        return DrawnGraph(sources, targets, len(found), len(visits), ended_early=len(visits) < budget)


def _numbers(visits: IntArray, found: IntArray, page_count: int) -> IntArray:
    """Return the number of each page in the result, shape (n,): visited pages in order, then the other found pages."""
    numbers = np.full(page_count, _NONE, np.int32)
    numbers[visits] = np.arange(len(visits), dtype=np.int32)
    others = found[numbers[found] == _NONE]
    numbers[others] = np.arange(len(visits), len(found), dtype=np.int32)
    return numbers


@compiled
def _crawled(
    outdegrees: IntArray,
    places: IntArray,
    most_places: int,
    order: int,
    seeds: int,
    budget: int,
    state: RandomState,
) -> tuple[IntArray, IntArray, int]:
    """Return the found pages and the visited pages, each in order, and how many places their links took.

    These places are moved to the beginning of `places`. `most_places` is the largest number of places of one page.

    The unvisited pages wait in an array from `head` to `tail`, from which pages are taken at the head, at the tail or
    anywhere, depending on the order. For deg, pages with the same number of known inlinks form a doubly linked list,
    and a page moves from one list to the next in constant time.
    """
    n = len(outdegrees)
    is_found = np.zeros(n, np.bool_)
    found = np.empty(n, np.int32)
    found_count = 0
    visits = np.empty(min(budget, n), np.int32)
    crawled, taken = 0, 0
    is_deg = order == _DEG
    waiting = np.empty(0 if is_deg else n, np.int32)
    head, tail = 0, 0
    seen = np.zeros(n if is_deg else 0, np.int32)  # links to each page; _NONE once it is visited
    before = seen.copy()  # in its list
    after = seen.copy()
    first = np.full(most_places + 1 if is_deg else 0, _NONE, np.int32)  # of the list of each number of links
    last = first.copy()
    highest = 0

    while found_count < seeds:
        page = below(state, n)
        if not is_found[page]:
            is_found[page] = True
            found[found_count] = page
            found_count += 1
            if is_deg:
                _append(page, 0, first, last, before, after)
            else:
                waiting[tail] = page
                tail += 1

    while crawled < budget:
        if is_deg:
            highest = _highest_in_use(first, highest)
            if highest < 0:
                break
            page = first[highest]
            _remove(page, highest, first, last, before, after)
            seen[page] = _NONE
        else:
            if head == tail:
                break
            page, head, tail = _taken(waiting, head, tail, order, state)
        visits[crawled] = page
        crawled += 1
        for _ in range(min(outdegrees[page], len(places) - taken)):
            target = take_place(places, taken, state)
            taken += 1
            is_new = not is_found[target]
            if is_new:
                is_found[target] = True
                found[found_count] = target
                found_count += 1
                if not is_deg:
                    waiting[tail] = target
                    tail += 1
            if is_deg and seen[target] != _NONE:
                if not is_new:
                    _remove(target, seen[target], first, last, before, after)
                seen[target] += 1
                _append(target, seen[target], first, last, before, after)
                highest = max(highest, seen[target])
    return found[:found_count], visits[:crawled], taken


@compiled
def _taken(waiting: IntArray, head: int, tail: int, order: int, state: RandomState) -> tuple[int, int, int]:
    """Return the next page to visit, and the new head and tail. The pages from `head` to `tail` are waiting."""
    if order == _BFS:
        return waiting[head], head + 1, tail
    if order == _RND:
        drawn = below(state, tail)
        waiting[drawn], waiting[tail - 1] = waiting[tail - 1], waiting[drawn]
    return waiting[tail - 1], head, tail - 1


@compiled
def _highest_in_use(first: IntArray, highest: int) -> int:
    """Return the highest row, from `highest` down, whose list contains a page; _NONE if all lists are empty."""
    while highest >= 0 and first[highest] == _NONE:
        highest -= 1
    return highest


@compiled
def _append(page: int, row: int, first: IntArray, last: IntArray, before: IntArray, after: IntArray) -> None:
    """Append a page to the doubly linked list of a row."""
    before[page] = last[row]
    after[page] = _NONE
    if last[row] == _NONE:
        first[row] = page
    else:
        after[last[row]] = page
    last[row] = page


@compiled
def _remove(page: int, row: int, first: IntArray, last: IntArray, before: IntArray, after: IntArray) -> None:
    """Remove a page from the doubly linked list of its row."""
    if before[page] == _NONE:
        first[row] = after[page]
    else:
        after[before[page]] = after[page]
    if after[page] == _NONE:
        last[row] = before[page]
    else:
        before[after[page]] = before[page]
