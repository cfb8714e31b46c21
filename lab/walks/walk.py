"""A random walk, step by step. The caller supplies the neighbours of each page, from any source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import IntArray
from hinterland.analysis.random_numbers import RandomState, below, seeded, uniform

STAY: Final = -1
BACK: Final = -2
NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class WalkRule:
    """How a walk continues.

    It follows one of the links of its page or one loop from the page to itself, with equal probabilities. From a page
    without links, it may go back to the previous page, as if there were a link. So the walk has no period and never
    gets stuck.

    With `both_ways`, links are also followed backwards, so the neighbours of a page are the pages that it links to and
    the pages that link to it. With a `degree_bound`, each page gets as many loops as it needs to have this number of
    links and loops; 0 means one loop. `jump` is the probability of a jump instead of a step: to any page if
    `jumps_to_all`, otherwise to a page visited before. A walk that jumps has no loops; from a page without links it
    always jumps, like PageRank's random surfer.
    """

    both_ways: bool = False
    degree_bound: int = 0
    jump: float = 0.0
    jumps_to_all: bool = False


class Walk:
    """A walk that receives the neighbours of one page at a time, as a live walk requires.

    `GraphWalk` takes the same steps. `page` is the current page.
    """

    def __init__(self, rule: WalkRule, start: int, seed: int, page_count: Callable[[], int]) -> None:
        """Start at `start`. `page_count` is called at each jump to any page, and returns the number of pages."""
        self.page = start
        self._rule = rule
        self._state = seeded(seed)
        self._page_count = page_count
        self._came_from = NOWHERE
        self._visited = [start]
        self._is_visited = {start}

    def step(self, neighbours: IntArray) -> int:
        """Take one step from the current page, and return the new page. `neighbours` are those of the current page."""
        rule = self._rule
        if rule.jump > 0 and (not len(neighbours) or uniform(self._state) < rule.jump):
            if rule.jumps_to_all:
                self._go(below(self._state, self._page_count()))
            else:
                self._go(self._visited[below(self._state, len(self._visited))])
            return self.page
        loops = 0 if rule.jump > 0 else 1
        place = chosen_link(len(neighbours), loops, rule.degree_bound, self._came_from, self._state)
        if place != STAY:
            self._go(self._came_from if place == BACK else int(neighbours[place]))
        return self.page

    def _go(self, page: int) -> None:
        self._came_from, self.page = self.page, page
        if page not in self._is_visited:
            self._is_visited.add(page)
            self._visited.append(page)


@compiled
def chosen_link(links: int, loops: int, degree_bound: int, came_from: int, state: RandomState) -> int:
    """Return the index of the link that is followed, below `links`, or STAY or BACK if no link is followed."""
    if links == 0 and came_from != NOWHERE:
        return BACK if below(state, 2) == 0 else STAY
    place = below(state, max(degree_bound, links + loops))
    return place if place < links else STAY
