"""Fits power laws to whole numbers: the exponent, its error, and where the law begins.

P(x) = x^-α / ζ(α, x_min) for the whole numbers x ≥ x_min, ζ the Hurwitz zeta function (Clauset, Shalizi & Newman, SIAM
Review 51(4), 2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from hinterland.analysis.graph import FloatArray

CONFIDENCE_Z: Final = 1.959963984540054
"""Half the width of a 95 % interval, in standard deviations of a normal distribution."""

_LEAST_TAIL: Final = 50
"""Fewer values would make an exponent a guess (Clauset et al., figure 4.2: biased by some hundredths)."""
_CANDIDATES: Final = 100
_LARGEST_EXPONENT: Final = 20.0
_STEP: Final = 1e-4
_REFINED: Final = 5
"""Candidates whose neighbours are tried as well.

On the in-degrees, out-degrees and component sizes of eight graphs this finds what trying every start finds.
"""
_TABLED: Final = 10_000


@dataclass(frozen=True, eq=False, slots=True)
class ValueCounts:
    """The distinct values of a list of whole numbers > 0, ascending, shape (k,), and how often each occurs."""

    values: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, numbers: NDArray[np.integer]) -> ValueCounts:
        """Count how often each number occurs. Numbers below 1 are left out."""
        values, counts = np.unique(numbers[numbers > 0], return_counts=True)
        return cls(values.astype(np.float64), counts.astype(np.float64))

    @property
    def size(self) -> int:
        """The number of values, with repeats."""
        return int(self.counts.sum())

    @property
    def survival(self) -> FloatArray:
        """The share of all numbers that are at least as large as each of `values`, shape (k,)."""
        share: FloatArray = np.cumsum(self.counts[::-1])[::-1] / self.counts.sum()
        return share

    def tail(self, least: float) -> ValueCounts:
        """Return the values from `least` on."""
        first = int(np.searchsorted(self.values, least))
        return ValueCounts(self.values[first:], self.counts[first:])


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """A fitted power law.

    `exponent` is α by maximum likelihood, and `error` is its standard deviation by the Fisher information. The law
    begins at `x_min`; `tail` is how many of the `size` values are at least that large. `distance` is the
    Kolmogorov-Smirnov distance between these values and the law.
    """

    exponent: float
    error: float
    x_min: int
    tail: int
    size: int
    distance: float

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the exponent, assuming that the law begins at x_min."""
        return self.exponent - CONFIDENCE_Z * self.error, self.exponent + CONFIDENCE_Z * self.error

    def survival(self, values: FloatArray) -> FloatArray:
        """Return P(X ≥ x) for each value, given X ≥ x_min."""
        share: FloatArray = scipy.special.zeta(self.exponent, values) / scipy.special.zeta(self.exponent, self.x_min)
        return share


def fitted(sample: ValueCounts, x_min: int | None = None) -> PowerLaw | None:
    """Return the power law of the tail of a sample; None if there are too few values for a fit.

    `x_min` is where the law begins, if that is known. Otherwise, it begins where the Kolmogorov-Smirnov distance D is
    smallest (Clauset et al., section 3.3), among all starts with at least 50 values in the tail.
    """
    starts = sample.values if x_min is None else np.array([float(x_min)])
    behind = _behind(sample, starts)
    starts = starts[behind >= _LEAST_TAIL]
    if not len(starts) or len(sample.tail(starts[0]).values) < 2:
        return None
    tried = _spread(starts)
    found = _nearest(sample, tried)
    if len(tried) < len(starts):
        between = np.unique(np.concatenate([_between(starts, tried, place) for place in found.order[:_REFINED]]))
        finer = _nearest(sample, between)
        found = min(found, finer, key=lambda each: each.law.distance)
    return found.law


@dataclass(frozen=True, eq=False, slots=True)
class _Nearest:
    """The law that is nearest to the data.

    `order` holds the indices of all starts, sorted by the distance of the law that begins there, shape (k,).
    """

    law: PowerLaw
    order: NDArray[np.intp]


def _nearest(sample: ValueCounts, starts: FloatArray) -> _Nearest:
    """Fit a law that begins at each of these starts, and return the nearest."""
    exponents, errors = _likeliest(sample, starts)
    distances = _distances(sample, starts, exponents)
    order = np.argsort(distances, kind="stable")
    best = int(order[0])
    tail = int(_behind(sample, starts[best : best + 1])[0])
    law = PowerLaw(
        float(exponents[best]), float(errors[best]), int(starts[best]), tail, sample.size, float(distances[best])
    )
    return _Nearest(law, order)


def _between(starts: FloatArray, tried: FloatArray, place: int) -> FloatArray:
    """Return the starts from the tried start before tried[place] to the one after it, both included."""
    first, last = np.searchsorted(starts, [tried[max(place - 1, 0)], tried[min(place + 1, len(tried) - 1)]])
    return starts[first : last + 1]


def _behind(sample: ValueCounts, starts: FloatArray) -> FloatArray:
    """Return, for each start, how many values of the sample are at least as large."""
    from_end = np.append(np.cumsum(sample.counts[::-1])[::-1], 0.0)
    return from_end[np.searchsorted(sample.values, starts)]


def _spread(starts: FloatArray) -> FloatArray:
    """Return at most a hundred of the starts: all of the smallest, and others evenly spaced by logarithm."""
    if len(starts) <= _CANDIDATES:
        return starts
    wanted = np.unique(np.round(np.geomspace(starts[0], starts[-1], _CANDIDATES)))
    return starts[np.unique(np.searchsorted(starts, wanted))]


def _likeliest(sample: ValueCounts, starts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return, for each start, the likeliest exponent and its standard deviation.

    This is the α at which n ln ζ(α, x_min) + α Σ ln x is smallest. Newton's method finds it for all starts together;
    the derivatives of ln ζ are approximated by differences.
    """
    logs = np.append(np.cumsum((sample.counts * np.log(sample.values))[::-1])[::-1], 0.0)
    tails = _behind(sample, starts)
    mean_logs = logs[np.searchsorted(sample.values, starts)] / tails
    # Clauset et al., equation 3.7, which is close if x_min is large
    exponents = np.minimum(1 + 1 / np.maximum(mean_logs - np.log(starts - 0.5), 1e-9), _LARGEST_EXPONENT)
    curvature = np.ones_like(exponents)
    for _ in range(60):
        below, here, above = (np.log(scipy.special.zeta(exponents + step, starts)) for step in (-_STEP, 0.0, _STEP))
        slope = (above - below) / (2 * _STEP) + mean_logs
        curvature = np.maximum((above - 2 * here + below) / _STEP**2, 1e-9)
        moved = np.clip(exponents - slope / curvature, 1 + (exponents - 1) / 2, 1 + 2 * (exponents - 1))
        moved = np.clip(moved, 1 + 2 * _STEP, _LARGEST_EXPONENT)
        change = np.abs(moved - exponents).max()
        exponents = moved
        if change < 1e-7:
            break
    return exponents, 1 / np.sqrt(tails * curvature)


def _distances(sample: ValueCounts, starts: FloatArray, exponents: FloatArray) -> FloatArray:
    """Return, for each start, the largest difference between the cumulative distributions of the sample and of the law.

    Both distributions change only at whole numbers, and that of the sample only at its own values. So the difference is
    largest at one of these values, or just before it.
    """
    pairs = zip(starts, exponents, strict=True)
    return np.array([_distance(sample.tail(start), exponent) for start, exponent in pairs])


def _distance(tail: ValueCounts, exponent: float) -> float:
    values = tail.values
    at_least = np.append(tail.survival, 0.0)
    norm = scipy.special.zeta(exponent, values[0])
    here, after = scipy.special.zeta(exponent, values) / norm, scipy.special.zeta(exponent, values + 1) / norm
    return float(max(np.abs(at_least[:-1] - here).max(), np.abs(at_least[1:] - after).max()))


def drawn(exponent: float, x_min: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw random numbers from the law, shape (size,).

    The draws are exact up to 10,000 x_min; larger numbers follow the continuous form of the law.
    """
    tabled = np.arange(x_min, x_min + _TABLED, dtype=np.float64)
    survival = scipy.special.zeta(exponent, tabled) / scipy.special.zeta(exponent, float(x_min))
    chances = 1.0 - rng.random(size)
    found = x_min + _TABLED - np.searchsorted(survival[::-1], chances, side="left") - 1
    far = chances < survival[-1]
    beyond = (tabled[-1] - 0.5) * (chances[far] / survival[-1]) ** (-1 / (exponent - 1)) + 0.5
    found[far] = np.minimum(beyond, 2.0**62).astype(np.int64)
    return found.astype(np.int64)
