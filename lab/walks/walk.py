"""A random walk, step by step: what it is told of a page are its neighbours, wherever they come from."""

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
    """How a walk goes on. It follows one of the links of its page or one loop from the page to itself, all alike; from
    a page without links it goes back to where it came from, as if there were a link. So it has no period, and
    every page leads on.

    both_ways: links are followed backwards, too, so that the neighbours of a page are those that it links to and those
    that link to it. degree_bound: pages have as many loops as they lack links to this bound; 0 for one loop. jump:
    probability of a jump instead of a step, to any page if jumps_to_all, else to one of those visited before. A walk
    that jumps needs no loops and has none, and from a page without links it jumps, as a surfer of PageRank does.
    """

    both_ways: bool = False
    degree_bound: int = 0
    jump: float = 0.0
    jumps_to_all: bool = False


class Walk:
    """A walk that is told one page's neighbours at a time, as live ones are. `GraphWalk` takes the same steps.

    page: where it is. page_count: how many pages there are to jump to; asked for at each jump to any of them.
    """

    def __init__(self, rule: WalkRule, start: int, seed: int, page_count: Callable[[], int]) -> None:
        self.page = start
        self._rule = rule
        self._state = seeded(seed)
        self._page_count = page_count
        self._came_from = NOWHERE
        self._visited = [start]
        self._is_visited = {start}

    def step(self, neighbours: IntArray) -> int:
        """Where it goes from its page, which has these neighbours."""
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
    """Which of so many links is followed; STAY or BACK if none of them."""
    if links == 0 and came_from != NOWHERE:
        return BACK if below(state, 2) == 0 else STAY
    place = below(state, max(degree_bound, links + loops))
    return place if place < links else STAY
