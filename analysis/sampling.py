"""Random samples that a policy draws and an estimator recognises without any stored mark.

Pages that a policy chose for their high expected value say little about other pages. So `return-flow` also draws some
pages at random: the pages with the smallest permanent random numbers. An estimator that computes these numbers
recognises the sample afterwards: among the crawled pages, small numbers are more frequent than chance explains, and the
pages that have them are the sample.
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
    """Return which of the chosen pages were probably drawn at random, shape (k,).

    At some number, the empirical distribution of the pages' numbers exceeds the uniform distribution the most, by the
    Kolmogorov-Smirnov distance D⁺. Below this number there are more pages than expected by chance, so these are the
    sample. The sample is empty if D⁺ is no larger than by chance.
    """
    in_sample: BoolArray = sampling_numbers(pages) <= last_sampled(pages)
    return in_sample


def last_sampled(pages: IntArray, zeros: Allocator = np.zeros) -> float:
    """Return the largest page number in a sample, 0 if the sample is empty.

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
    """Return a random number for every page. It is the same at every call, so it need not be stored.

    The numbers are uniform in [2⁻⁶⁵, 1], shape (k,): a hash of page number and seed, any integer.
    """
    numbers = _splitmix64(pages.astype(np.uint64), np.uint64(seed & (2**64 - 1)))
    return (numbers.astype(np.float64) + 0.5) * 2.0**-64


def _splitmix64(counters: NDArray[np.uint64], seed: np.uint64) -> NDArray[np.uint64]:
    """Return the counters-th outputs of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) started at `seed`."""
    z = seed + (counters + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
