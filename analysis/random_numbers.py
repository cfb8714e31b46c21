"""Random numbers for compiled loops: SplitMix64 (Steele, Lea & Flood, OOPSLA 2014), whose state is one number.

The state is an array of one uint64 that every draw changes, so that compiled loops and Python code can share it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled

RandomState = NDArray[np.uint64]


def seeded(seed: int) -> RandomState:
    """Return the initial state for a seed, any integer; shape (1,)."""
    return np.array([seed & (2**64 - 1)], np.uint64)


@compiled
def uniform(state: RandomState) -> float:
    """Return a random number from [0, 1), one of 2⁵³ equally spaced numbers."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.float64(z >> np.uint64(11)) * 2.0**-53


@compiled
def below(state: RandomState, bound: int) -> int:
    """Return a random integer from 0 to bound - 1; bound must be far less than 2⁵³."""
    return int(uniform(state) * bound)
