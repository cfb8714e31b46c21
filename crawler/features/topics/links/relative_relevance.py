"""Rates a page's relevance relative to the pages that a crawl has seen."""

from __future__ import annotations

import math
from typing import Final

_SHARE_BELOW: Final = 0.7
_STEP: Final = 0.5
_SPREAD: Final = 2.0
_LOWEST: Final = -4.0
_HIGHEST: Final = 15.0
_LEAST: Final = 1e-13


class RelativeRelevance:
    """A bar for log-odds: seven in ten of the pages visited were below it. Mutable.

    The bar is a running quantile (Robbins & Monro 1951). A classifier trained on few examples orders pages well even
    while its probabilities are wrong: it may give a low one to every page, or a high one to every page that shares a
    template with the examples. A policy only needs to know which of the pages seen are the best. The same visits in the
    same order give the same bar.
    """

    def __init__(self) -> None:
        """Start with the bar at 0."""
        self._bar = 0.0

    def of(self, relevance: float) -> float:
        """Return the worth, from 0 to 1, of a page whose P(topic | page) is `relevance`, and update the bar.

        A page at the bar is worth 0.5.
        """
        chance = min(max(relevance, _LEAST), 1 - _LEAST)
        log_odds = math.log(chance / (1 - chance))
        worth = 1 / (1 + math.exp((self._bar - log_odds) / _SPREAD))
        step = _STEP * ((log_odds > self._bar) - (1 - _SHARE_BELOW))
        self._bar = min(max(self._bar + step, _LOWEST), _HIGHEST)
        return worth
