"""Random samples that a policy draws and an estimator recognises, although the store has no mark for drawn pages.

Pages that a policy chose for their high expected value say little about other pages. So `return-flow` also draws some
pages at random. Every page has a permanent random number, and the pages with the smallest numbers are drawn. An
estimator computes the same numbers, and finds among the crawled pages more small numbers than chance explains. The
pages with these numbers are the sample.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, chunks
from hinterland.analysis.graph import BoolArray, FloatArray, IntArray

_SEED: Final = 0
_CHANCE: Final = 1.0
"""The bound on D⁺ √k above which there is a sample. Without a sample, one case in seven exceeds it (e⁻²; Smirnov 1939).
Then a random subset of the pages is mistaken for a sample, which causes no bias.
"""


def sampling_numbers(pages: IntArray) -> FloatArray:
    """Return a number in (0, 1] for each page, shape (k,). The pages with the smallest numbers are drawn."""
    return permanent_random_numbers(pages, _SEED)


def is_sampled(pages: IntArray) -> BoolArray:
    """Return which of the crawled external `pages` were probably drawn at random, shape (k,).

    The numbers of the pages are compared with a uniform distribution. At some number, their empirical distribution
    exceeds it the most, by the Kolmogorov-Smirnov distance D⁺. More pages have a smaller number than chance explains,
    so these pages are the sample. The sample is empty if D⁺ is no larger than by chance.
    """
    in_sample: BoolArray = sampling_numbers(pages) <= last_sampled(pages)
    return in_sample


def last_sampled(pages: IntArray, zeros: Allocator = np.zeros) -> float:
    """Return the largest number (see `sampling_numbers`) of a page in the sample, 0 if the sample is empty.

    `zeros` allocates the working memory, 8 bytes per page.
    """
    count = len(pages)
    ascending: FloatArray = zeros(count, np.float64)
    for part in chunks(count):
        ascending[part] = sampling_numbers(pages[part])
    ascending.sort()
    most, last = 0.0, 0.0
    for part in chunks(count):
        excess = np.arange(part.start + 1, part.stop + 1) / count - ascending[part]
        farthest = int(np.argmax(excess))
        if excess[farthest] > most:
            most, last = float(excess[farthest]), float(ascending[part][farthest])
    return last if most * np.sqrt(count) > _CHANCE else 0.0


def permanent_random_numbers(pages: IntArray, seed: int) -> FloatArray:
    """Return a random number for every page. Every call returns the same numbers, so they need not be stored.

    The numbers are uniform in [2⁻⁶⁵, 1], shape (k,). Each is a hash of the page number and the seed, which is any
    integer.
    """
    numbers = _splitmix64(pages.astype(np.uint64), np.uint64(seed & (2**64 - 1)))
    return (numbers.astype(np.float64) + 0.5) * 2.0**-64


def _splitmix64(counters: NDArray[np.uint64], seed: np.uint64) -> NDArray[np.uint64]:
    """Return the outputs of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) at these positions of a seed's sequence."""
    z = seed + (counters + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
