"""Distances between pages along links: exact, or estimated by HyperBall with error bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled
from hinterland.analysis.copying import copy_into
from hinterland.analysis.graph import FloatArray, Graph, IntArray, OffsetArray

_EFFECTIVE: Final = 0.9
_EXACT_WORK: Final = 40_000_000_000
"""All distances are counted exactly, 64 searches at a time, if pages times links are at most this number.

This takes three CPU seconds on a real graph in the order of its URLs, and ten times as long on a graph in random order.
"""
_MOST_BITS: Final = 10
_LEAST_BITS: Final = 4
_MOST_STEPS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Effort:
    """How much memory and time HyperBall may use.

    `register_bytes` is the memory for one counter of every page. The width of an interval is proportional to Student's
    t over the square root of runs times registers. On a million pages, six runs of 64 registers gave the narrowest
    intervals for their time.
    """

    runs: int
    register_bytes: int


THOROUGH: Final = Effort(6, 1 << 26)
ROUGH: Final = Effort(4, 1 << 24)


@dataclass(frozen=True, slots=True)
class Estimated:
    """A figure, and half the width of its 95 % interval, which is 0 if the figure is exact."""

    value: float
    error: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class DistanceFigures:
    """Figures over the ordered pairs of different pages with a path from the first to the second.

    connected             the share of such pairs among all pairs
    average               their mean distance
    spid                  the variance of their distances divided by their mean (Boldi, Rosa & Vigna 2012):
                          above 1 for the web, below 1 for social networks
    effective_diameter    the distance that 90 % of these pairs do not exceed, interpolated
    harmonic_diameter     n (n - 1) / Σ 1/d, where pairs without a path add 0
    longest               the largest distance found; a lower bound if distances are estimated
    """

    connected: Estimated
    average: Estimated
    spid: Estimated
    effective_diameter: Estimated
    harmonic_diameter: Estimated
    longest: int


@dataclass(frozen=True, eq=False, slots=True)
class Distances:
    """The number of ordered pairs of pages by distance.

    `pairs` has the number of pairs for each distance, from 0, at which each page is paired with itself. `errors` has
    half the width of the 95 % interval of each number. Both have shape (longest + 1,). `runs` counts the runs of
    HyperBall with `registers` registers per page; 0 if every pair was counted.
    """

    pairs: FloatArray
    errors: FloatArray
    figures: DistanceFigures
    runs: int = 0
    registers: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether every pair was counted."""
        return self.runs == 0


def distances(graph: Graph, rng: np.random.Generator, effort: Effort = THOROUGH) -> Distances:
    """Count the distances exactly if that takes only a few seconds; otherwise estimate them by HyperBall."""
    if graph.page_count * graph.link_count <= _EXACT_WORK:
        return exact_distances(graph)
    return hyperball(graph, rng, effort)


def exact_distances(graph: Graph) -> Distances:
    """Count by breadth-first searches from every page, 64 pages at a time, one bit each (Then et al., VLDB 2014).

    Each step takes O(n links / 64).
    """
    pairs = _trimmed(_counted(*graph.rows).astype(np.float64))
    return Distances(pairs, np.zeros(len(pairs)), _exact_figures(pairs, graph.page_count))


def hyperball(graph: Graph, rng: np.random.Generator, effort: Effort = THOROUGH) -> Distances:
    """Estimate the neighbourhood function by HyperLogLog counters (Boldi & Vigna, 2013).

    Each page has two counters for the ball around it. A counter has 16 to 1,024 registers of one byte, depending on the
    memory that `effort` allows. Counters are read by Ertl's estimator (arXiv 1702.01284), which has no bias. Each run
    hashes the pages differently. Errors follow from Student's t over the runs. Raises ValueError for fewer than two
    runs.
    """
    if effort.runs < 2:
        raise ValueError(f"{effort.runs} runs cannot show how far they differ; at least two are needed")
    n = graph.page_count
    bits = int(np.clip(np.round(np.log2(max(effort.register_bytes / max(n, 1), 1))), _LEAST_BITS, _MOST_BITS))
    seeds = rng.integers(1, 2**62, effort.runs)
    functions = [_neighbourhood(*graph.rows, bits, int(seed), _MOST_STEPS) for seed in seeds]
    length = max(map(len, functions))
    # Every function ends where its run found no more pairs and is constant from there. The value at 0 is known exactly.
    padded = np.array([np.append(each, np.full(length - len(each), each[-1])) for each in functions])
    padded *= (n / np.maximum(padded[:, 0], 1.0))[:, None]
    by_run = np.diff(np.maximum.accumulate(padded, axis=1), axis=1, prepend=0.0)
    pairs, errors = by_run.mean(axis=0), _half_widths(by_run)
    return Distances(pairs, errors, _estimated_figures(by_run, n), effort.runs, 1 << bits)


def _trimmed(pairs: FloatArray) -> FloatArray:
    return np.trim_zeros(pairs, "b")


def _half_widths(by_run: FloatArray) -> FloatArray:
    """Return half the width of the 95 % interval of each column's mean over the rows (runs), by Student's t."""
    runs = len(by_run)
    widths: FloatArray = scipy.special.stdtrit(runs - 1, 0.975) * by_run.std(axis=0, ddof=1) / np.sqrt(runs)
    return widths


def _of(pairs: FloatArray, n: int) -> FloatArray:
    """Return the connected share, the average distance, the spid, and the effective and the harmonic diameter."""
    apart = pairs[1:]
    lengths = np.arange(1, len(pairs), dtype=np.float64)
    total = apart.sum()
    if n < 2 or total <= 0:
        return np.array([0.0, np.nan, np.nan, np.nan, np.inf])
    average = (lengths * apart).sum() / total
    variance = ((lengths - average) ** 2 * apart).sum() / total
    reached = np.cumsum(apart) / total
    end = int(np.searchsorted(reached, _EFFECTIVE))
    before = reached[end - 1] if end else 0.0
    effective = end + (_EFFECTIVE - before) / (reached[end] - before)
    harmonic = n * (n - 1) / (apart / lengths).sum()
    return np.array([total / (n * (n - 1)), average, variance / average, effective, harmonic])


def _exact_figures(pairs: FloatArray, n: int) -> DistanceFigures:
    values = _of(pairs, n)
    return _figures(values, np.zeros(len(values)), max(len(pairs) - 1, 0))


def _estimated_figures(by_run: FloatArray, n: int) -> DistanceFigures:
    of_runs = np.array([_of(pairs, n) for pairs in by_run])
    return _figures(of_runs.mean(axis=0), _half_widths(of_runs), by_run.shape[1] - 1)


def _figures(values: FloatArray, errors: FloatArray, longest: int) -> DistanceFigures:
    """Combine figures and their errors; both are in the order in which `_of` returns figures."""
    connected, average, spid, effective, harmonic = map(Estimated, values.tolist(), errors.tolist())
    return DistanceFigures(connected, average, spid, effective, harmonic, longest)


# ---------------------------------------------------------------- exact


@compiled
def _counted(offsets: OffsetArray, targets: IntArray) -> NDArray[np.int64]:
    """Return how many ordered pairs of pages have each distance."""
    count = len(offsets) - 1
    pairs = np.zeros(count + 1, np.int64)
    seen, here, there = np.empty(count, np.uint64), np.empty(count, np.uint64), np.empty(count, np.uint64)
    front, coming = np.empty(count, np.int32), np.empty(count, np.int32)
    for first in range(0, count, 64):
        seen[:] = 0
        here[:] = 0
        there[:] = 0
        size = min(64, count - first)
        for i in range(size):
            bit = np.uint64(1) << np.uint64(i)
            seen[first + i] = bit
            here[first + i] = bit
            front[i] = first + i
        pairs[0] += size
        distance = 0
        while size:
            distance += 1
            found = 0
            for i in range(size):
                page = front[i]
                searches = here[page]
                here[page] = 0
                for link in range(offsets[page], offsets[page + 1]):
                    target = targets[link]
                    new = searches & ~seen[target]
                    if new:
                        if there[target] == 0:
                            coming[found] = target
                            found += 1
                        there[target] |= new
            for i in range(found):
                target = coming[i]
                new = there[target]
                seen[target] |= new
                while new:
                    new &= new - np.uint64(1)
                    pairs[distance] += 1
            front, coming = coming, front
            here, there = there, here
            size = found
    return pairs


# ---------------------------------------------------------------- HyperBall


@compiled
def _neighbourhood(offsets: OffsetArray, targets: IntArray, bits: int, seed: int, most_steps: int) -> FloatArray:
    """Return N(t), the number of pairs within distance t, for t = 0, 1, ... until a step changes no counter.

    A page's counter is recomputed only if the counter of one of its successors changed in the step before.
    """
    count = len(offsets) - 1
    size = 1 << bits
    longest_run = 64 - bits + 1
    here = np.zeros((count, size), np.uint8)
    for page in range(count):
        number = _hashed(np.uint64(page), np.uint64(seed))
        register = number & np.uint64(size - 1)
        rest = number >> np.uint64(bits)
        run = 1
        while run < longest_run and not rest & np.uint64(1):
            rest >>= np.uint64(1)
            run += 1
        here[page, register] = run
    there = here.copy()
    balls = np.empty(count, np.float64)
    counted = np.empty(longest_run + 1, np.int64)
    total = 0.0
    for page in range(count):
        balls[page] = _cardinality(here[page], bits, counted)
        total += balls[page]
    function = [total]
    changed, changing = np.ones(count, np.bool_), np.zeros(count, np.bool_)
    ball = np.empty(size, np.uint8)
    for _ in range(most_steps):
        any_changed = False
        for page in range(count):
            grows = False
            for link in range(offsets[page], offsets[page + 1]):
                if changed[targets[link]]:
                    grows = True
                    break
            changing[page] = False
            if not grows:
                if changed[page]:  # it still holds the value of two steps ago
                    there[page] = here[page]
                continue
            copy_into(ball, 0, here[page])
            for link in range(offsets[page], offsets[page + 1]):
                target = targets[link]
                if changed[target]:
                    _raise(ball, here[target])
            different = False
            for i in range(size):
                different |= ball[i] != here[page, i]
            there[page] = ball
            if different:
                changing[page] = True
                any_changed = True
                larger = _cardinality(ball, bits, counted)
                total += larger - balls[page]
                balls[page] = larger
        if not any_changed:
            break
        function.append(total)
        here, there = there, here
        changed, changing = changing, changed
    return np.array(function)


@compiled
def _raise(registers: NDArray[np.uint8], others: NDArray[np.uint8]) -> None:
    """Merge the second counter into the first, by a loop that is compiled to vector instructions."""
    for i in range(len(registers)):
        registers[i] = max(registers[i], others[i])


@compiled
def _hashed(number: np.uint64, seed: np.uint64) -> np.uint64:
    """Hash by SplitMix64 (Steele, Lea & Flood, OOPSLA 2014)."""
    z = seed + (number + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def _cardinality(registers: NDArray[np.uint8], bits: int, counted: NDArray[np.int64]) -> float:
    """Return how many pages a counter has seen, by Ertl's improved estimator (algorithm 6).

    `counted` is scratch space for the histogram of the registers.
    """
    size = len(registers)
    longest = 64 - bits
    counted[:] = 0
    largest = 0
    for value in registers:
        counted[value] += 1
        largest = max(largest, value)
    # τ of the full registers, of which there are none below 2^50 pages
    z = 0.0
    if counted[longest + 1]:
        x = 1.0 - counted[longest + 1] / size
        y = 1.0
        tau = 1.0 - x
        previous = -1.0
        while previous != tau:
            x = np.sqrt(x)
            previous = tau
            y *= 0.5
            tau -= (1.0 - x) ** 2 * y
        z = size * tau / 3.0
    for value in range(min(largest, longest), 0, -1):
        z = 0.5 * (z + counted[value])
    # σ of the empty ones
    x = counted[0] / size
    if x == 1.0:
        return 0.0
    y = 1.0
    sigma = x
    previous = -1.0
    while previous != sigma:
        x *= x
        previous = sigma
        sigma += x * y
        y += y
    z += size * sigma
    return float(size * size / (2.0 * np.log(2.0) * z))
