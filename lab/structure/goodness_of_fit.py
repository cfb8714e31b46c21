"""Tests of power laws, alone and against other laws (Clauset, Shalizi & Newman, 2009, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from hinterland.analysis.graph import FloatArray
from hinterland.lab.structure.power_law import PowerLaw, ValueCounts, drawn, fitted

_ENOUGH: Final = 20
_SUMMED: Final = 20_000


@dataclass(frozen=True, slots=True)
class GoodnessOfFit:
    """The result of a test.

    Samples are drawn from the fitted law, and the law is fitted to each of them again. `p_value` is the fraction of
    samples that fit worse than the data do: their distance from their own fit is larger. If it is below 0.1, the law is
    ruled out. `samples` is the number of samples drawn. It is smaller than requested if none of the first samples
    fitted worse; then p is 0.
    """

    p_value: float
    samples: int


def goodness_of_fit(
    sample: ValueCounts, law: PowerLaw, rng: np.random.Generator, *, samples: int = 100
) -> GoodnessOfFit:
    """Test a law by parametric bootstrap. Stop after twenty samples if none of them fits worse than the data.

    Each sample is drawn from the data below x_min and from the law above it; α and x_min are fitted to every sample.
    """
    body = ValueCounts(
        *(column[: len(sample.values) - len(sample.tail(law.x_min).values)] for column in _columns(sample))
    )
    farther = 0
    for done in range(1, samples + 1):
        tail = int(rng.binomial(law.size, law.tail / law.size))
        numbers = drawn(law.exponent, law.x_min, tail, rng)
        if tail < law.size:
            counts = rng.multinomial(law.size - tail, body.counts / body.counts.sum())
            again = ValueCounts.of(np.repeat(body.values.astype(np.int64), counts)) if len(counts) else body
            drawn_tail = ValueCounts.of(numbers)
            whole = ValueCounts(
                np.concatenate([again.values, drawn_tail.values]), np.concatenate([again.counts, drawn_tail.counts])
            )
        else:
            whole = ValueCounts.of(numbers)
        found = fitted(whole)
        farther += found is not None and found.distance >= law.distance
        if done >= _ENOUGH and not farther:
            return GoodnessOfFit(0.0, done)
    return GoodnessOfFit(farther / samples, samples)


def _columns(sample: ValueCounts) -> tuple[FloatArray, FloatArray]:
    return sample.values, sample.counts


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another law fitted to the same tail.

    `log_ratio` is the logarithm of the likelihood of the power law divided by that of this law; values above 0 favour
    the power law. `p_value` is the probability that a ratio so far from 0, in either direction, is due to chance alone
    (Vuong 1989; Wilks 1938 for the truncated power law, of which the power law is a special case).
    """

    name: str
    log_ratio: float
    p_value: float


def alternatives(sample: ValueCounts, law: PowerLaw) -> list[Alternative]:
    """Fit other laws to the same tail, and compare each of them with the power law."""
    tail = sample.tail(law.x_min)
    ours = -law.exponent * np.log(tail.values) - np.log(scipy.special.zeta(law.exponent, float(law.x_min)))
    return [
        _vuong("log-normal", tail, ours, _log_normal(tail)),
        _vuong("exponential", tail, ours, _exponential(tail)),
        _truncated(tail, ours, law.exponent),
    ]


def _vuong(name: str, tail: ValueCounts, ours: FloatArray, theirs: FloatArray) -> Alternative:
    size = tail.counts.sum()
    differences = ours - theirs
    ratio = float((tail.counts * differences).sum())
    spread = np.sqrt(float((tail.counts * (differences - ratio / size) ** 2).sum()))
    return Alternative(
        name, ratio, float(scipy.special.erfc(abs(ratio) / (np.sqrt(2) * spread))) if spread > 0 else 1.0
    )


def _exponential(tail: ValueCounts) -> FloatArray:
    """Return ln P of each value under the fitted exponential law; for whole numbers, it is the geometric law."""
    least = tail.values[0]
    excess = float((tail.counts * tail.values).sum() / tail.counts.sum()) - least
    rate = np.log1p(1 / max(excess, 1e-12))
    found: FloatArray = np.log(-np.expm1(-rate)) - rate * (tail.values - least)
    return found


def _log_normal(tail: ValueCounts) -> FloatArray:
    """Return ln P of each value under the fitted log-normal law.

    P is the probability of the values that round to x, given that they are in the tail. The logarithm of the values is
    normally distributed.
    """
    logs = np.log(tail.values)
    mean = float((tail.counts * logs).sum() / tail.counts.sum())
    spread = np.sqrt(float((tail.counts * (logs - mean) ** 2).sum() / tail.counts.sum()))
    low, high = np.log(tail.values - 0.5), np.log(tail.values + 0.5)

    def log_chances(parameters: FloatArray) -> FloatArray:
        mu, sigma = parameters[0], np.exp(parameters[1])
        # in the upper tail, where both are small: ln(Φ(-a) - Φ(-b))
        from_low, from_high = scipy.special.log_ndtr((mu - low) / sigma), scipy.special.log_ndtr((mu - high) / sigma)
        chances: FloatArray = from_low + np.log1p(-np.exp(np.minimum(from_high - from_low, -1e-15))) - from_low[0]
        return chances

    best = _minimum(tail, log_chances, [np.array([mean, np.log(spread + 0.1)]), np.array([0.0, np.log(2.0)])])
    return log_chances(best)


def _truncated(tail: ValueCounts, ours: FloatArray, exponent: float) -> Alternative:
    """Fit x^-α e^(-λx), λ ≥ 0.

    This law is never worse than the power law, which has λ = 0; the ratio says how much better it is.
    """
    least, logs = float(tail.values[0]), np.log(tail.values)

    def log_chances(parameters: FloatArray) -> FloatArray:
        alpha, rate = parameters[0], np.exp(parameters[1])
        chances: FloatArray = -alpha * logs - rate * tail.values - np.log(_truncated_sum(alpha, rate, least))
        return chances

    largest = float(tail.values[-1])
    starts = [np.array([exponent, -np.log(largest)]), np.array([max(exponent - 0.5, 1.05), -np.log(largest / 10 + 1)])]
    theirs = log_chances(_minimum(tail, log_chances, starts))
    ratio = min(float((tail.counts * (ours - theirs)).sum()), 0.0)
    return Alternative("truncated power law", ratio, float(scipy.special.erfc(np.sqrt(-ratio))))


def _truncated_sum(alpha: float, rate: float, least: float) -> float:
    """Return Σ x^-α e^(-λx) over the whole numbers from `least` on.

    The first terms are added one by one. The rest is the Euler-Maclaurin integral, Γ(1 - α, λN) λ^(α-1), which is
    reduced to arguments for which the incomplete gamma function is available.
    """
    numbers = np.arange(least, least + _SUMMED)
    total = float((numbers**-alpha * np.exp(-rate * numbers)).sum())
    end = least + _SUMMED
    x = rate * end
    if x > 700:
        return total
    shape, steps = 1 - alpha, 0
    while shape + steps <= 0:
        steps += 1
    if shape + steps == 0:
        return total
    value = float(scipy.special.gammaincc(shape + steps, x) * scipy.special.gamma(shape + steps))
    for step in range(steps - 1, -1, -1):
        value = (value - x ** (shape + step) * np.exp(-x)) / (shape + step)
    half = 0.5 * end**-alpha * np.exp(-x)
    return total + max(float(value * rate ** (alpha - 1)), 0.0) + float(half)


def _minimum(
    tail: ValueCounts, log_chances: Callable[[FloatArray], FloatArray], starts: list[FloatArray]
) -> FloatArray:
    """Return the parameters that make the tail likeliest, by searching from each start and taking the best result."""

    def cost(parameters: FloatArray) -> float:
        if not (np.abs(parameters) < 60).all():
            return np.inf
        with np.errstate(all="ignore"):
            value = -float((tail.counts * log_chances(parameters)).sum())
        return value if np.isfinite(value) else np.inf

    options = {"maxiter": 400, "xatol": 1e-5, "fatol": 1e-6}
    results = [scipy.optimize.minimize(cost, start, method="Nelder-Mead", options=options) for start in starts]
    best: FloatArray = min(results, key=lambda result: float(result.fun)).x
    return best
