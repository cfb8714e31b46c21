"""The law of a quantity of pages: its distribution, the best power law, and the evidence against the power law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import FloatArray
from hinterland.lab.structure.goodness_of_fit import Alternative, GoodnessOfFit, alternatives, goodness_of_fit
from hinterland.lab.structure.power_law import PowerLaw, ValueCounts, fitted

_POINTS: Final = 120


@dataclass(frozen=True, slots=True)
class Law:
    """The distribution of a quantity.

    `points` are for a picture: each is a value x, and the share of all values above 0 that are at least x. `mean`
    includes the zeros. `power_law` and the fields after it are None or empty if there are too few values for a fit.
    """

    points: Sequence[tuple[float, float]]
    mean: float
    largest: float
    power_law: PowerLaw | None
    goodness: GoodnessOfFit | None
    alternatives: Sequence[Alternative]

    @property
    def is_plausible(self) -> bool:
        """Whether the power law may hold.

        It is ruled out if it is too far from the data, or if another law is significantly likelier.
        """
        return (
            self.goodness is not None
            and self.goodness.p_value >= 0.1
            and not any(other.log_ratio < 0 and other.p_value < 0.05 for other in self.alternatives)
        )


def law(numbers: NDArray[np.integer], rng: np.random.Generator) -> Law:
    """Fit a law to non-negative numbers, shape (n,); zeros count only for the mean."""
    sample = ValueCounts.of(numbers)
    fit = fitted(sample)
    return Law(
        _thinned(sample.values, sample.survival),
        float(numbers.mean()) if len(numbers) else 0.0,
        float(sample.values[-1]) if len(sample.values) else 0.0,
        fit,
        None if fit is None else goodness_of_fit(sample, fit, rng),
        () if fit is None else tuple(alternatives(sample, fit)),
    )


def in_units_of_the_least(values: FloatArray) -> NDArray[np.int64]:
    """Return positive values as multiples of the smallest, rounded to whole numbers.

    Far above the smallest value, the multiples follow the same law as the values.
    """
    return np.round(values / values.min()).astype(np.int64) if len(values) else np.empty(0, np.int64)


def _thinned(values: FloatArray, survival: FloatArray) -> Sequence[tuple[float, float]]:
    """Return some of the points, evenly spread by the logarithms of their values."""
    if not len(values):
        return ()
    wanted = np.geomspace(values[0], values[-1], _POINTS)
    places = np.unique(np.searchsorted(values, wanted * (1 - 1e-12)))
    return tuple((float(values[place]), float(survival[place])) for place in places)
