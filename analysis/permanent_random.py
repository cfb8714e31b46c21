"""A random number for every page, the same whenever it is asked for, so that nothing need be stored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analysis.graph import FloatArray, IntArray


def permanent_random_numbers(pages: IntArray, seed: int) -> FloatArray:
    """Uniform in [2⁻⁶⁵, 1], shape (k,): a hash of page number and seed, any whole number."""
    numbers = _splitmix64(pages.astype(np.uint64), np.uint64(seed & (2**64 - 1)))
    return (numbers.astype(np.float64) + 0.5) * 2.0**-64


def _splitmix64(counters: NDArray[np.uint64], seed: np.uint64) -> NDArray[np.uint64]:
    """The counters-th outputs of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) started at `seed`."""
    z = seed + (counters + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
