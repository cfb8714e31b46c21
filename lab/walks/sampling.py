"""Near-uniform samples of pages, by walks whose stationary distribution is known or can be estimated."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np

from hinterland.analysis.graph import BoolArray, FloatArray, IntArray
from hinterland.lab.walks.walk import WalkRule

_AT_A_TIME: Final = 1 << 20
JUMP: Final = 1 / 7
"""As in Henzinger, Heydon, Mitzenmacher & Najork, WWW 2000."""


@dataclass(frozen=True, slots=True)
class SamplingMethod:
    """A walk, and the way in which its stationary distribution π is known, up to a factor.

    A visit to page i is accepted with a probability in proportion to 1/π(i). `stationary` says what π is:

        "estimated"    the share of the visits in a further walk
        "degree"       the degree, including the loop
        "uniform"      the same for all pages, so every visit is accepted
        "pagerank"     the PageRank in the graph of the visited pages
    """

    rule: WalkRule
    stationary: Literal["estimated", "degree", "uniform", "pagerank"]


METHODS: Final = {
    "directed": SamplingMethod(WalkRule(), "estimated"),
    "undirected": SamplingMethod(WalkRule(both_ways=True), "degree"),
    "regular": SamplingMethod(WalkRule(both_ways=True, degree_bound=1), "uniform"),
    "pagerank": SamplingMethod(WalkRule(jump=JUMP), "pagerank"),
    "modified-pagerank": SamplingMethod(WalkRule(jump=JUMP, jumps_to_all=True), "estimated"),
}
"""The methods, by the names that `sample` accepts.

These are Directed-Sample and Undirected-Sample of the paper, Regular-Sample (Bar-Yossef et al., VLDB 2000),
PageRank-Sample (Henzinger et al., WWW 2000), and the paper's Modified PageRank-Sample.
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """How far to walk.

    The first N = `burn_in` steps are not recorded. The pages of the next K = `steps` steps are collected. If π must be
    estimated, a further walk of M = `estimate_steps` steps does this.
    """

    burn_in: int
    steps: int
    estimate_steps: int


@dataclass(frozen=True, eq=False)
class PageSample:
    """The result of a walk.

    pages         the sample, in the order of the walk, with repeats, shape (k,); every page is equally likely
    accepted      all accepted pages; the sample may have only some of them
    visited       the distinct collected pages, ascending, shape (m,)
    visits        how often each of these was visited, shape (m,)
    stationary    π of each of these, up to a factor, shape (m,)
    """

    pages: IntArray
    accepted: IntArray
    visited: IntArray
    visits: IntArray
    stationary: FloatArray

    def of_at_most(self, count: int | None) -> PageSample:
        """Return the sample with at most `count` accepted pages, evenly spaced. If `count` is None, all are kept."""
        if count is None or len(self.accepted) <= count:
            return self
        chosen = np.arange(count) * len(self.accepted) // count
        return replace(self, pages=self.accepted[chosen])

    def only(self, pages: BoolArray) -> PageSample:
        """Return the sample restricted to the marked pages, shape (n,). They remain equally likely."""
        accepted, kept = self.accepted[pages[self.accepted]], pages[self.visited]
        sample = self.pages[pages[self.pages]]
        return PageSample(sample, accepted, self.visited[kept], self.visits[kept], self.stationary[kept])

    @cached_property
    def weights(self) -> FloatArray:
        """The weights visits / π of the visited pages, shape (m,), sum 1, for estimating means over all pages."""
        weights: FloatArray = self.visits / self.stationary
        weights /= weights.sum()
        return weights


def sampling(
    method: SamplingMethod, plan: Plan, seed: int, known: Callable[[IntArray], FloatArray]
) -> Generator[int, IntArray, PageSample]:
    """Draw a sample by walks that the caller carries out.

    The generator yields numbers of steps; after each number, the caller walks this far and sends the page after each
    step. `known` returns π of pages, up to a factor. It is called once, after all pages are collected, unless π is
    estimated.

    A visit is accepted with the probability β/π, where β is the least π of a collected page. The paper's proof counts
    visits: a page visited twice may be accepted twice. If the further walk never reached a page, the page counts as
    visited once.
    """
    yield from _steps(plan.burn_in)
    path = np.concatenate((yield from _steps(plan.steps)))
    counts = np.bincount(path)
    visited = np.flatnonzero(counts).astype(np.int32)
    visits = counts[visited]
    if method.stationary == "estimated":
        seen = np.zeros(len(visited), np.int64)
        for part in _parts(plan.estimate_steps):
            further = yield part
            seen += np.bincount(further, minlength=visited[-1] + 1)[visited]
        stationary = np.maximum(seen, 1) / max(plan.estimate_steps, 1)
    else:
        stationary = known(visited)
    chance = np.random.default_rng([seed & (2**64 - 1), 3]).random(len(path))
    acceptance = np.zeros(len(counts))
    acceptance[visited] = stationary.min() / stationary
    accepted = path[chance < acceptance[path]]
    return PageSample(accepted, accepted, visited, visits.astype(np.int32), stationary)


def _parts(steps: int) -> list[int]:
    return [min(_AT_A_TIME, steps - done) for done in range(0, steps, _AT_A_TIME)]


def _steps(steps: int) -> Generator[int, IntArray, list[IntArray]]:
    found = []
    for part in _parts(steps):
        pages = yield part
        found.append(pages)
    return found
