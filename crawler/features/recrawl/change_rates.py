"""Learns how often pages change, for all pages at once, with a prior that the pages of a host share.

Before anything is seen, the rate λ of a page has a Gamma distribution with shape a and rate b. What visits showed
(`ChangeEvidence`) makes the density of ln λ proportional to the exponential of

  a ln λ - bλ + Σ over dated changes ln λ - λ·quiet + Σ over changed intervals τ of ln(1 - e^(-λτ))

which is concave in ln λ. The estimate is its maximum: the root of a + d + Σ λτ/(e^(λτ) - 1) = λ(b + quiet), where d is
the number of dated changes. Without a prior this is the maximum likelihood of irregular visits (Cho & Garcia-Molina,
ACM TOIT 3(3) 2003); where all changes are dated it is the posterior mean. The prior is learnt from all pages (empirical
Bayes; Ford, Grimes & Tassone 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, log1p, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.crawler.features.recrawl.change_evidence import ChangeEvidence
from hinterland.storage.values.times import DAY

_STEPS: Final = 60
_TOLERANCE: Final = 1e-6
"""Tolerance of ln λ."""
_LONGEST_STEP: Final = 3.0
_CHUNK: Final = 16_384
"""Pages solved together: the arrays of one step fit into the processor's cache."""


@dataclass(frozen=True, slots=True)
class GammaPrior:
    """The prior of the change rates, host by host.

    `shape` is the shape a of the Gamma distribution, the same for all hosts. `rates` holds its rate b for each host, in
    seconds, by host number. shape / rates is the mean change rate of a host's pages, in 1/seconds. Hosts with higher
    numbers have the rate `common_rate`.
    """

    shape: float
    common_rate: float
    rates: FloatArray

    @classmethod
    def uninformed(cls, mean_interval: float = 30 * DAY) -> GammaPrior:
        """Return the exponential prior that is used before anything is learnt.

        Under this prior, the mean change rate is one change in `mean_interval` seconds. Some pages change much more
        often, most of them less often.
        """
        return cls(1.0, mean_interval, np.empty(0))

    def of_hosts(self, hosts: IntArray) -> FloatArray:
        """Return b for the host of each page, in seconds, shape (k,)."""
        known = np.append(self.rates, self.common_rate)
        return known[np.minimum(hosts, len(self.rates))]


def learnt_rates(
    evidence: ChangeEvidence, shape: float, prior_rates: FloatArray, near: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the change rates of all pages, in 1/seconds, and how certain they are, in changes seen; shape (n,) each.

    The certainty is the shape of the Gamma distribution that has the same mode and curvature in ln λ as the posterior.
    It is the prior's a plus a number from 0 to 1 for each change seen; the number is 0 if the interval was so long that
    a change was certain. `prior_rates` is b by page, in seconds, shape (n,). With shape 0 and all b 0 the rate is the
    maximum of the likelihood: 0 where nothing changed, and infinite where every visit found a change. The search starts
    from the rates `near`, all above 0, and is quick if `near` is the result of an earlier search.
    """
    # where all changes are dated, or none was seen, no search is needed
    worth = shape + evidence.dated_changes.astype(np.float64)
    exposure = prior_rates + evidence.quiet
    rates = np.divide(worth, exposure, out=np.zeros(len(evidence)), where=exposure > 0)
    searched = np.flatnonzero(evidence.changes)
    for first in range(0, len(searched), _CHUNK):
        part = searched[first : first + _CHUNK]
        prior = np.broadcast_to(prior_rates, rates.shape)[part]
        rates[part], worth[part] = _solved(evidence, part, shape, prior, None if near is None else near[part])
    return rates, worth


def _solved(
    evidence: ChangeEvidence, part: NDArray[np.intp], shape: float, prior: FloatArray, near: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    half = evidence.changes[part].astype(np.float64) / 2
    mean = evidence.mean_log[part].astype(np.float64)
    spread = evidence.spread_log[part].astype(np.float64)
    short, long = np.exp(mean - spread), np.exp(mean + spread)
    sure = shape + evidence.dated_changes[part]
    exposure = prior + evidence.quiet[part]
    rates, worth = np.zeros(len(half)), np.zeros(len(half))
    unbounded = (exposure == 0) & (half > 0)
    rates[unbounded] = np.inf
    worth[unbounded] = shape
    open_ = np.flatnonzero((sure + half > 0) & (exposure > 0))
    with np.errstate(divide="ignore"):
        # as if each change counted as one over half of its interval: never far from the root
        guess = (sure + 2 * half) / (exposure + half * (short + long) / 2) if near is None else near
    logs = np.log(guess[open_])
    for _ in range(_STEPS):
        rate = np.exp(logs)
        slope, curvature = _expected_changes(rate * short[open_], rate * long[open_], half[open_])
        slope += sure[open_] - rate * exposure[open_]
        curvature -= rate * exposure[open_]
        step = np.clip(slope / np.minimum(curvature, -1e-300), -_LONGEST_STEP, _LONGEST_STEP)
        logs -= step
        rates[open_], worth[open_] = np.exp(logs), -curvature
        moving = np.abs(step) > _TOLERANCE
        open_, logs = open_[moving], logs[moving]
        if not len(open_):
            break
    return rates, worth


def _expected_changes(short: FloatArray, long: FloatArray, half: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Σ u/(e^u - 1) over the changed intervals, with u = λτ, and its derivative by ln λ."""
    value, derivative = np.zeros(len(half)), np.zeros(len(half))
    for lengths in (short, long):
        u = np.minimum(np.maximum(lengths, 1e-9), 500.0)
        grown = np.expm1(u)
        share = u / grown
        value += half * share
        derivative += half * share * (1 - share - u)  # d/du (u/(e^u-1)) · u
    return value, derivative


_PRIOR_ROUNDS: Final = 24
_PRIOR_TOLERANCE: Final = 0.02
"""EM ends when shape and mean change by less than this from round to round, relatively."""
_MOST_SAMPLED: Final = 50_000
_PAGES_A_HOST_STARTS_WITH: Final = 10.0
"""A host's mean rate is shrunk towards that of all hosts, as if this many more of its pages were average."""
_LEAST_SHAPE, _GREATEST_SHAPE = 0.1, 20.0


def learnt_prior(evidence: ChangeEvidence, hosts: IntArray) -> GammaPrior:
    """Return the prior under which the evidence about all pages is most likely, approximately.

    It is found by EM: the E step uses the Gamma distribution that has the posterior's mode and curvature, and the M
    step is exact for the shape and all means. `hosts` gives the host of each page, shape (n,). The uninformed prior
    weighs as much as one page, so that the first visits do not dominate the estimate. With more than 50,000 pages the
    shape is learnt from an even sample.
    """
    before = GammaPrior.uninformed()
    if not len(evidence):
        return before
    chosen = slice(0, None, -(-len(evidence) // _MOST_SAMPLED))
    sample, of_sample = evidence.of(chosen), hosts[chosen]
    host_count = int(hosts.max()) + 1
    prior, rates = before, None
    for _ in range(_PRIOR_ROUNDS):
        rates, worth = learnt_rates(sample, prior.shape, prior.of_hosts(of_sample), rates)
        earlier, prior = prior, _fitted(rates, worth, of_sample, host_count, prior)
        if _are_close(earlier, prior):
            break
    if len(of_sample) < len(hosts):
        rates, _ = learnt_rates(evidence, prior.shape, prior.of_hosts(hosts))
        prior = GammaPrior(prior.shape, prior.common_rate, _host_rates(rates, hosts, host_count, prior))
    return prior


def _are_close(one: GammaPrior, other: GammaPrior) -> bool:
    return all(
        abs(a - b) < _PRIOR_TOLERANCE * b for a, b in ((one.shape, other.shape), (one.common_rate, other.common_rate))
    )


def _fitted(rates: FloatArray, worth: FloatArray, hosts: IntArray, host_count: int, before: GammaPrior) -> GammaPrior:
    uninformed = GammaPrior.uninformed()
    mean = (rates.sum() + uninformed.shape / uninformed.common_rate) / (len(rates) + 1)
    common = GammaPrior(before.shape, before.shape / mean, np.empty(0))
    of_host = before.shape / _host_rates(rates, hosts, host_count, common)[hosts]
    # E ln λ of a Gamma distribution of this mean and shape; relative to the mean of the page's host
    shortfall = np.log(rates / of_host) + _digamma(worth) - np.log(worth)
    gap = np.log((rates / of_host).mean()) - shortfall.mean()
    shape = float(np.clip(_shape_of(float(gap)), _LEAST_SHAPE, _GREATEST_SHAPE))
    common = GammaPrior(shape, shape / mean, np.empty(0))
    return GammaPrior(shape, shape / mean, _host_rates(rates, hosts, host_count, common))


def _host_rates(rates: FloatArray, hosts: IntArray, host_count: int, common: GammaPrior) -> FloatArray:
    pages = np.bincount(hosts, minlength=host_count)
    sums = np.bincount(hosts, weights=rates, minlength=host_count)
    mean = common.shape / common.common_rate
    more = _PAGES_A_HOST_STARTS_WITH
    return np.asarray(common.shape * (pages + more) / (sums + more * mean), np.float64)


def _shape_of(gap: float) -> float:
    """Return the shape a of a Gamma distribution with ln E λ - E ln λ = ln a - ψ(a) = `gap` (Minka 2002)."""
    if gap <= 0:
        return _GREATEST_SHAPE
    shape = (3 - gap + sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(4):
        step = 1e-5 * shape
        here, there = _digamma_of(shape), _digamma_of(shape + step)
        slope = (log1p(step / shape) - (there - here)) / step
        shape = max(shape - (log(shape) - here - gap) / slope, shape / 3)
    return shape


def _digamma_of(x: float) -> float:
    """Return ψ(x), by its asymptotic series from 6 on."""
    result = 0.0
    while x < 6:
        result -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    return result + log(x) - 0.5 / x - inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252))


def _digamma(values: FloatArray) -> FloatArray:
    """Return ψ of each value, as `_digamma_of` does."""
    x, result = values.astype(np.float64), np.zeros(len(values))
    for _ in range(6):
        small = x < 6
        result -= np.where(small, 1 / x, 0.0)
        x = np.where(small, x + 1, x)
    inverse = 1 / (x * x)
    return np.asarray(
        result + np.log(x) - 0.5 / x - inverse * (1 / 12 - inverse * (1 / 120 - inverse / 252)), np.float64
    )
