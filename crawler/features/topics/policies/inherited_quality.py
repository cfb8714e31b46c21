"""The policies `parent-relevance`, `qfirst` and `qmin`: a page inherits the quality of the pages that link to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.crawler.features.topics.links.link_rows import grown
from hinterland.crawler.features.topics.policies.link_learner import ReadingBasedPolicy
from hinterland.crawler.features.topics.policies.reading_policy import Reading
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray

_UNKNOWN = 1.0
"""The quality of seeds, and of pages to which only a redirect leads."""


class InheritedQuality(ReadingBasedPolicy, ABC):
    """Orders pages by the quality (relevance) of the pages that link to them. 9 bytes per known page."""

    def __init__(self, seed: int) -> None:
        """Start without links; the seed is not used."""
        self._inherited = np.full(1024, np.nan)  # by page; NaN until a link leads there

    @abstractmethod
    def joined(self, before: FloatArray, quality: float) -> FloatArray:
        """Return the quality of pages after one more link to them, from a page of quality `quality`, shape (k,)."""

    def read(self, reading: Reading) -> None:
        """Pass on the relevance of a page to the pages that it links to."""
        targets = np.unique(reading.targets)
        if not len(targets):
            return
        self._know(int(targets[-1]) + 1)
        before = self._inherited[targets]
        self._inherited[targets] = np.where(np.isnan(before), reading.relevance, self.joined(before, reading.relevance))

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the urgencies of new pages, shape (k,)."""
        return self._of(pages)

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Return a function that returns the present urgencies of `waiting`."""
        inherited = self._of(waiting)
        return lambda: inherited

    def _of(self, pages: IntArray) -> FloatArray:
        if len(pages):
            self._know(int(pages.max()) + 1)
        inherited: FloatArray = np.nan_to_num(self._inherited[pages], nan=_UNKNOWN)
        return inherited

    def _know(self, pages: int) -> None:
        known = len(self._inherited)
        if pages > known:
            self._inherited = grown(self._inherited, pages)
            self._inherited[known:] = np.nan


class ParentRelevance(InheritedQuality):
    """A page inherits the quality of the most relevant page that links to it.

    This is soft focus (Chakrabarti, van den Berg & Dom, WWW8 1999).
    """

    def joined(self, before: FloatArray, quality: float) -> FloatArray:
        """Return the better of both qualities."""
        return np.maximum(before, quality)


class QFirst(InheritedQuality):
    """A page inherits from the first page that linked to it (Pezzuti, MacAvaney & Tonellotto, ICTIR 2025)."""

    def joined(self, before: FloatArray, quality: float) -> FloatArray:
        """Return the earlier quality."""
        return before


class QMin(InheritedQuality):
    """A page inherits from the worst page that links to it (Pezzuti, MacAvaney & Tonellotto, ICTIR 2025)."""

    def joined(self, before: FloatArray, quality: float) -> FloatArray:
        """Return the worse of both qualities."""
        return np.minimum(before, quality)
