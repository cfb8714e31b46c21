"""Lets what looks like an endless space go behind all else of its host: between what is found and what waits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.traps.guard import TrapGuard, Turn
from hinterland.crawler.features.traps.shape import Shape
from hinterland.crawler.features.traps.statistics import TrapStatistics
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.frontier.waiting_pages import BEHIND
from hinterland.crawler.parsing.text_hashes import Interest, Said
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.values.records import SlowedShapes

FloatArray = NDArray[np.float64]


class SlowLane:
    """Mutable: what the guard knows. Pages outside the domain do not concern it, they have a budget."""

    def __init__(self, guard: TrapGuard, known: KnownPages, frontier: Frontier) -> None:
        self._guard = guard
        self._known = known
        self._frontier = frontier
        self._under_way: dict[int, Shape] = {}

    def ordered(self, discoveries: Discoveries, urgencies: FloatArray) -> FloatArray:
        """The urgencies of the pages admitted, shape (k,), those of slowed shapes behind all others."""
        known, guard = self._known, self._guard
        behind = [
            place
            for place, (page, host, url) in enumerate(
                zip(discoveries.admitted, discoveries.admitted_hosts, discoveries.admitted_urls, strict=True)
            )
            if url is not None and known.is_local(page) and guard.found(host, url) is not Turn.NOW
        ]
        if not behind:
            return urgencies
        ordered = urgencies.copy()
        ordered[behind] = BEHIND
        return ordered

    def begins(self, visit: Visit, url: str, now: float) -> bool:
        """Whether the visit to a page may go on; if not, it has ended."""
        if not self._known.is_local(visit.page):
            return True
        shape = self._guard.place(visit.host, url)
        match self._guard.turn(shape):
            case Turn.BEHIND if not self._frontier.is_behind(visit.page):
                self._frontier.postponed(visit, now)
                return False
            case Turn.NEVER:
                assert shape is not None
                self._guard.leave(shape, visit.page)
                self._frontier.released(visit, now)
                return False
        if shape is not None:
            self._under_way[visit.page] = shape
        return True

    def interest(self, page: int) -> Interest:
        """What is wanted of the text of a page whose visit goes on."""
        return self._guard.interest(self._under_way.get(page))

    def visited(
        self,
        visit: Visit,
        url: str,
        *,
        said: Said | None,
        moved_to: str | None,
        discoveries: Discoveries,
        is_final: bool,
    ) -> None:
        """said: of a page that was read; moved_to: where a redirect led; discoveries: after `ordered` has seen them."""
        if not self._known.is_local(visit.page):
            return
        shape = self._under_way.pop(visit.page, None) or self._guard.place(visit.host, url)
        if said is not None:
            is_linked_once = self._known.is_linked_once(visit.page)
            self._guard.read(visit.host, shape, said, is_linked_once=is_linked_once)
        elif moved_to is not None and discoveries.admitted:
            host = self._known.find_host(host_of(moved_to))
            if host is not None:
                self._guard.moved(visit.host, shape, self._guard.turn(self._guard.place(host, moved_to)))
        if is_final:
            self._guard.done(shape)

    def take_back(self, now: float) -> bool:
        """Let the pages wait again that were left and whose shape may go on after all; whether there are any."""
        pages = self._guard.take_back()
        self._frontier.wait_behind(pages, now)
        return bool(pages)

    @property
    def left_waiting(self) -> int:
        return self._guard.left

    def record(self) -> SlowedShapes:
        """What those are told who look at the store, and the next run."""
        return SlowedShapes(self._guard.slowed())

    def statistics(self) -> TrapStatistics:
        shapes, in_vain = self._guard.count()
        return TrapStatistics(shapes, in_vain, self._guard.left)


class NoSlowLane:
    """Nothing is slowed down."""

    left_waiting = 0

    def ordered(self, discoveries: Discoveries, urgencies: FloatArray) -> FloatArray:
        return urgencies

    def begins(self, visit: Visit, url: str, now: float) -> bool:
        return True

    def interest(self, page: int) -> Interest:
        return Interest.NOTHING

    def visited(
        self,
        visit: Visit,
        url: str,
        *,
        said: Said | None,
        moved_to: str | None,
        discoveries: Discoveries,
        is_final: bool,
    ) -> None:
        pass

    def take_back(self, now: float) -> bool:
        return False

    def record(self) -> SlowedShapes:
        return SlowedShapes(())

    def statistics(self) -> TrapStatistics | None:
        return None
