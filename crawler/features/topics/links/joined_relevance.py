"""Joins the predictions of all links to a page into one predicted relevance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray

_SUREST: Final = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class Join:
    """A way to join predictions.

    `value` turns predictions, shape (k,), into values. `merge` merges the values of two links to one page; `start` is
    the value of a page without links. `joined` computes the results from merged values and the numbers of links, shape
    (k,) each.
    """

    merge: np.ufunc
    start: float
    value: Callable[[FloatArray], FloatArray] = lambda predicted: predicted
    joined: Callable[[FloatArray, IntArray], FloatArray] = lambda merged, links: merged


class JoinedRelevance:
    """The joined relevance of pages, to which links are added. Mutable."""

    def __init__(self, join: Join, pages: int) -> None:
        """Start with no links to `pages` pages."""
        self._join = join
        self._merged = np.full(pages, join.start)
        self._links = np.zeros(pages, np.int32)

    def add(self, places: IntArray, predicted: FloatArray) -> None:
        """Add links to the pages with the indices `places`, with their predicted relevance, shape (k,) each."""
        self._join.merge.at(self._merged, places, self._join.value(predicted))
        np.add.at(self._links, places, 1)

    def of_pages(self, unknown: float) -> FloatArray:
        """Return the relevance of all pages; it is `unknown` for pages without links."""
        has_links = self._links > 0
        found = np.full(len(self._links), unknown)
        found[has_links] = self._join.joined(self._merged[has_links], self._links[has_links])
        return found


def _chance_of_none(predicted: FloatArray) -> FloatArray:
    found: FloatArray = np.log1p(-np.minimum(predicted, _SUREST))
    return found


BEST: Final = Join(np.maximum, -np.inf)
WORST: Final = Join(np.minimum, np.inf)
"""The lowest prediction, as in QMin (Pezzuti, MacAvaney & Tonellotto, ICTIR 2025)."""
MEAN: Final = Join(np.add, 0.0, joined=lambda merged, links: merged / links)
NOISY_OR: Final = Join(np.add, 0.0, _chance_of_none, lambda merged, links: -np.expm1(merged))
"""1 - Π (1 - s) for predictions s, as if links were right independently of each other (Pearl 1988)."""
