"""Zipf's law for whole numbers between two bounds."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.graph import FloatArray, IntArray


def zipf_probabilities(exponent: float, least: int, most: int) -> FloatArray:
    """Return probabilities in proportion to d^-exponent for d from least to most.

    They have shape (most - least + 1,) and sum to 1.
    """
    weights: FloatArray = np.arange(least, most + 1, dtype=np.float64) ** -exponent
    weights /= weights.sum()
    return weights


def zipf(rng: np.random.Generator, exponent: float, least: int, most: int, count: int) -> IntArray:
    """Return `count` independent draws from Zipf's law, shape (count,)."""
    cumulative = np.cumsum(zipf_probabilities(exponent, least, most))
    places = np.searchsorted(cumulative, rng.random(count) * cumulative[-1], side="right")
    drawn: IntArray = (least + np.minimum(places, most - least)).astype(np.int32)
    return drawn
