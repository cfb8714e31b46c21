"""`random`: every waiting page is equally likely to be next; the same seed gives the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from crawler.policies.policy import FloatArray, IntArray

if TYPE_CHECKING:
    from analysis.crawled_graph import CrawledGraph


class UniformRandom:
    """The urgency is a hash of page number and seed, so it survives a restart without being stored."""

    uses_links = False
    needs_refresh = False

    def __init__(self, seed: int) -> None:
        self._seed = np.uint64(seed & (2**64 - 1))

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        return _splitmix64(pages.astype(np.uint64), self._seed).astype(np.float64) * 2.0**-64

    def fetched(self, page: int, outlinks: IntArray) -> None:
        pass

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        raise RuntimeError("the urgency of a page never changes in random order")


def _splitmix64(counters: np.typing.NDArray[np.uint64], seed: np.uint64) -> np.typing.NDArray[np.uint64]:
    """The counters-th outputs of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) started at `seed`."""
    z = seed + (counters + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
