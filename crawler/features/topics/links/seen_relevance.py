"""Remembers what the visits of a crawl have shown: the relevance of pages, of hosts, and of the targets of links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import BoolArray, FloatArray, IntArray
from hinterland.crawler.features.topics.links.link_rows import grown
from hinterland.storage.values.topics import RELEVANT

FARTHEST: Final = 4
"""The largest distance, in links, from the last relevant page; pages farther away count as this far."""
_HOST_PRIOR: Final = 2.0
"""A host starts as if this many of its pages had been seen, as relevant as the crawl's pages on average."""
_CRAWL_PRIOR: Final = (0.5, 10.0)
"""The crawl starts as if ten pages had been seen, half a page of them relevant."""
_MOST_COMMON: Final = 0.5
CREDIT: Final = 0.5
"""The worth of a page that is not relevant itself but leads only to relevant pages."""
_FARTHEST_CREDIT: Final = 3
_LEAST_CREDIT: Final = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """Flat arrays by page or host number.

    By page: `relevance`, NaN before the page is visited; `worth`; its host; `steps`, the number of links from the last
    relevant page to it; `followed`, how many targets of its links were visited; and `gained`, the total worth of these
    targets. By host: how many of its pages were visited, and the sum of their relevance.
    """

    relevance: NDArray[np.float32]
    worth: NDArray[np.float32]
    hosts: IntArray
    steps: NDArray[np.int8]
    followed: IntArray
    gained: NDArray[np.float32]
    host_visits: IntArray
    host_gains: FloatArray


class SeenRelevance:
    """What visits have shown so far. Mutable. 21 bytes per known page, 12 per host.

    The worth of a page is its relevance or, if that is more, half of the mean worth of the visited targets of its
    links. So paths to relevant pages are learnt, even if the pages on them are irrelevant.
    """

    def __init__(self) -> None:
        """Start before the first visit."""
        self.visits = 0
        self.gains = 0.0
        self._pages = self._hosts = 0
        self._by = _Columns(
            relevance=np.empty(0, np.float32),
            worth=np.empty(0, np.float32),
            hosts=np.empty(0, np.int32),
            steps=np.empty(0, np.int8),
            followed=np.empty(0, np.int32),
            gained=np.empty(0, np.float32),
            host_visits=np.empty(0, np.int32),
            host_gains=np.empty(0),
        )

    def copy(self) -> SeenRelevance:
        """Return a copy, for another thread."""
        other = SeenRelevance()
        other.visits, other.gains, other._pages, other._hosts = self.visits, self.gains, self._pages, self._hosts
        other._by = _Columns(*(getattr(self._by, column.name).copy() for column in fields(_Columns)))
        return other

    def add(
        self, page: int, host: int, relevance: float, sources_of: Callable[[int], Sequence[int]] = lambda page: ()
    ) -> None:
        """Add a visit with a final outcome; `sources_of` returns the visited pages that link to a page."""
        self._know(page + 1, host + 1)
        by = self._by
        self.visits += 1
        self.gains += relevance
        by.relevance[page], by.worth[page], by.hosts[page] = relevance, relevance, host
        by.host_visits[host] += 1
        by.host_gains[host] += relevance
        nearest = FARTHEST
        sources = sources_of(page)
        for source in sources:
            by.followed[source] += 1
            nearest = min(nearest, int(by.steps[source]))
        by.steps[page] = 0 if relevance >= RELEVANT else min(nearest + 1, FARTHEST)
        self._credit(sources, relevance, sources_of, _FARTHEST_CREDIT)

    def _credit(
        self, sources: Sequence[int], gain: float, sources_of: Callable[[int], Sequence[int]], steps: int
    ) -> None:
        """Raise the worth of pages that link to a page whose worth rose by `gain`, up to `steps` links back."""
        by = self._by
        for source in sources:
            by.gained[source] += gain
            worth = CREDIT * float(by.gained[source]) / (int(by.followed[source]) + 1)
            more = worth - float(by.worth[source])
            if more > _LEAST_CREDIT:
                by.worth[source] = worth
                if steps > 1:
                    self._credit(sources_of(source), more, sources_of, steps - 1)

    def is_visited(self, pages: IntArray) -> BoolArray:
        """Return which pages were visited, shape (k,)."""
        if len(pages):
            self._know(int(pages.max()) + 1, 0)
        found: BoolArray = ~np.isnan(self._by.relevance[pages])
        return found

    def relevance(self, pages: IntArray) -> FloatArray:
        """Return the relevance of visited pages, shape (k,)."""
        return self._by.relevance[pages].astype(np.float64)

    def worth(self, pages: IntArray) -> FloatArray:
        """Return the worth of visited pages, as the class defines it, shape (k,)."""
        return self._by.worth[pages].astype(np.float64)

    def steps(self, pages: IntArray) -> FloatArray:
        """Return the number of links from the last relevant page to each visited page, at most FARTHEST; shape (k,)."""
        return self._by.steps[pages].astype(np.float64)

    def hosts(self, pages: IntArray) -> IntArray:
        """Return the hosts of visited pages, shape (k,)."""
        return self._by.hosts[pages]

    def is_new_host(self, hosts: IntArray, apart_from_one: bool = False) -> BoolArray:
        """Return whether each host is new: none of its pages was visited, or one if `apart_from_one`; shape (k,)."""
        self._know_hosts(hosts)
        found: BoolArray = self._by.host_visits[hosts] <= apart_from_one
        return found

    def host_shares(self, hosts: IntArray, without: FloatArray | None = None) -> FloatArray:
        """Return the expected relevance of a page of each host, shape (k,).

        If given, `without` is the relevance of one visited page of each host, which is left out of the estimate.
        """
        self._know_hosts(hosts)
        visits, gains = self._by.host_visits[hosts].astype(np.float64), self._by.host_gains[hosts]
        if without is not None:
            visits, gains = visits - 1.0, gains - without
        found: FloatArray = (gains + _HOST_PRIOR * self._common) / (visits + _HOST_PRIOR)
        return found

    def drawn_host_shares(self, rng: np.random.Generator) -> FloatArray:
        """Return a draw from the Beta posterior of each known host's relevance, by host number (Thompson 1933)."""
        known = slice(self._hosts)
        gains, visits = self._by.host_gains[known], self._by.host_visits[known]
        common = self._common
        return rng.beta(gains + _HOST_PRIOR * common, np.maximum(visits - gains, 0.0) + _HOST_PRIOR * (1 - common))

    def sibling_shares(
        self, sources: IntArray, host_shares: FloatArray, without: FloatArray | None = None
    ) -> FloatArray:
        """Return the expected worth of the target of a link of each source, shape (k,).

        It is the mean worth of the visited targets of the source's other links, with the expected relevance of the
        link's target host as one more value. If given, `without` is the worth of one visited target, which is left out.
        """
        followed, gained = self._by.followed[sources].astype(np.float64), self._by.gained[sources].astype(np.float64)
        if without is not None:
            followed, gained = followed - 1.0, gained - without
        found: FloatArray = (gained + host_shares) / (followed + 1.0)
        return found

    @property
    def _common(self) -> float:
        gains, visits = _CRAWL_PRIOR
        return min((self.gains + gains) / (self.visits + visits), _MOST_COMMON)

    def _know_hosts(self, hosts: IntArray) -> None:
        if len(hosts):
            self._know(0, int(hosts.max()) + 1)

    def _know(self, pages: int, hosts: int) -> None:
        """Make room for this many pages and hosts."""
        by = self._by
        if pages > len(by.relevance):
            known = len(by.relevance)
            by = _Columns(
                relevance=grown(by.relevance, pages),
                worth=grown(by.worth, pages),
                hosts=grown(by.hosts, pages),
                steps=grown(by.steps, pages),
                followed=grown(by.followed, pages),
                gained=grown(by.gained, pages),
                host_visits=by.host_visits,
                host_gains=by.host_gains,
            )
            by.relevance[known:], by.steps[known:], by.followed[known:], by.gained[known:] = np.nan, FARTHEST, 0, 0.0
        if hosts > len(by.host_visits):
            known = len(by.host_visits)
            by = _Columns(
                relevance=by.relevance,
                worth=by.worth,
                hosts=by.hosts,
                steps=by.steps,
                followed=by.followed,
                gained=by.gained,
                host_visits=grown(by.host_visits, hosts),
                host_gains=grown(by.host_gains, hosts),
            )
            by.host_visits[known:], by.host_gains[known:] = 0, 0.0
        self._by = by
        self._pages, self._hosts = max(self._pages, pages), max(self._hosts, hosts)
