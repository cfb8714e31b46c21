"""Remembers the predicted relevance of each page, from its first link or from the last refresh."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.links.link_rows import grown
from hinterland.crawler.frontier.policies.policy import FloatArray, IntArray

_SEED: Final = 1.0
_UNKNOWN: Final = 0.5
"""The relevance of pages to which only a redirect leads."""


class RememberedRelevance:
    """The predicted relevance of pages. Mutable. 4 bytes per known page."""

    def __init__(self) -> None:
        """Start without pages."""
        self._relevance = np.full(1024, np.nan, np.float32)
        self._refreshed: tuple[IntArray, FloatArray] | None = None  # not in the array yet

    def met(self, targets: IntArray, predicted: FloatArray) -> None:
        """Add the predictions of the links of one page, shape (k,).

        A page without a prediction gets that of the best of these links; other pages keep their predictions.
        """
        known = self._with_room_for(targets)
        first_met = np.isnan(known[targets])
        np.fmax.at(known, targets[first_met], predicted[first_met])

    def refreshed(self, pages: IntArray, predicted: FloatArray) -> FloatArray:
        """Set the predictions of a refresh, and return them as remembered, with the precision of float32.

        It is called in another thread.
        """
        self._refreshed = pages, predicted
        return predicted.astype(np.float32).astype(np.float64)

    def of(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Return the urgencies of pages, shape (k,); `depths` is 0 for seeds."""
        predicted = self._with_room_for(pages)[pages].astype(np.float64)
        return np.where(np.isnan(predicted), np.where(depths == 0, _SEED, _UNKNOWN), predicted)

    def _with_room_for(self, pages: IntArray) -> NDArray[np.float32]:
        refreshed, self._refreshed = self._refreshed, None
        if refreshed is not None:
            self._with_room_for(refreshed[0])[refreshed[0]] = refreshed[1]
        known, wanted = len(self._relevance), int(pages.max(initial=-1)) + 1
        if wanted > known:
            self._relevance = grown(self._relevance, wanted)
            self._relevance[known:] = np.nan
        return self._relevance
