"""Moves pages of likely crawler traps behind the other pages of their host, between discovery and frontier."""

from __future__ import annotations

import msgspec

from hinterland.crawler.features.traps.guard import Priority, TrapGuard
from hinterland.crawler.features.traps.shape import Shape
from hinterland.crawler.features.traps.statistics import TrapStatistics
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, PagesFound
from hinterland.crawler.parsing.messages import RawPage
from hinterland.crawler.parsing.text_hashes import Interest
from hinterland.crawler.urls.hosts import host_of
from hinterland.storage.values.records import SlowedShapes


class TrapDeprioritiser(Feature):
    """The feature that lets pages of traps wait behind all other pages of their host. Mutable.

    Pages outside the domain are not affected, since they have their own budget.
    """

    def __init__(self, guard: TrapGuard, known: KnownPages, frontier: Frontier) -> None:
        """Start with the URL shapes (see `url_shapes`) that the guard knows."""
        self._guard = guard
        self._known = known
        self._frontier = frontier
        self._under_way: dict[int, Shape] = {}

    def discovered(self, found: PagesFound) -> None:
        """Queue new pages of slowed shapes behind all other pages of their host."""
        known, guard, discoveries = self._known, self._guard, found.discoveries
        found.behind += [
            place
            for place, (page, host, url) in enumerate(
                zip(discoveries.admitted, discoveries.admitted_hosts, discoveries.admitted_urls, strict=True)
            )
            if url is not None and known.is_local(page) and guard.found(host, url) is not Priority.NORMAL
        ]

    def begins(self, visit: Visit, url: str, now: float) -> bool:
        """Return whether the visit may begin; otherwise postpone the page or set it aside."""
        if not self._known.is_local(visit.page):
            return True
        shape = self._guard.place(visit.host, url)
        match self._guard.priority(shape):
            case Priority.LOW if not self._frontier.is_behind(visit.page):
                self._frontier.postponed(visit, now)
                return False
            case Priority.SUSPENDED:
                assert shape is not None
                self._guard.set_aside(shape, visit.page)
                self._frontier.released(visit, now)
                return False
        if shape is not None:
            self._under_way[visit.page] = shape
        return True

    def to_parse(self, page: int, raw: RawPage) -> RawPage:
        """Return the page with a request to the parser: which hashes of its text to compute."""
        interest = self._guard.interest(self._under_way.get(page))
        return raw if interest is Interest.NOTHING else msgspec.structs.replace(raw, interest=interest)

    def visited(self, ended: Ended) -> None:
        """Count a visit for the shape of its URL: whether it brought anything new."""
        visit, digest = ended.visit, ended.digest
        if ended.is_revisit or not self._known.is_local(visit.page):
            return
        shape = self._under_way.pop(visit.page, None) or self._guard.place(visit.host, ended.url)
        if digest is not None and digest.page is not None and digest.text_hashes is not None:
            is_linked_once = self._known.is_linked_once(visit.page)
            self._guard.read(visit.host, shape, digest.text_hashes, is_linked_once=is_linked_once)
        elif ended.outlinks.redirect_target is not None and ended.verdict.target and ended.discoveries.admitted:
            host = self._known.find_host(host_of(ended.verdict.target))
            if host is not None:
                self._guard.moved(
                    visit.host, shape, self._guard.priority(self._guard.place(host, ended.verdict.target))
                )
        if ended.is_final:
            self._guard.done(shape)

    def brings_back(self, now: float) -> bool:
        """Queue the pages again that were set aside and may be visited after all; return whether there are any."""
        pages = self._guard.take_back()
        self._frontier.wait_behind(pages, now)
        return bool(pages)

    @property
    def end_reason(self) -> EndReason | None:
        """The reason to end if pages of traps are left unvisited, else None."""
        return EndReason.SPACES_LEFT if self._guard.left else None

    def progress(self) -> SlowedShapes:
        """Return the record of slowed shapes, for readers of the store and for the next run."""
        return SlowedShapes(self._guard.slowed())

    def statistics(self, now: float, waiting: int) -> dict[str, TrapStatistics]:
        """Return how many shapes are slowed down, and how many visits they cost."""
        shapes, in_vain = self._guard.count()
        return {"traps": TrapStatistics(shapes, in_vain, self._guard.left)}
