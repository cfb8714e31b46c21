"""Summarises many trials on many local domains. Every figure is an L1 distance from the truth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import exp, log

from hinterland.analysis.estimates.rank_distances import RankDistance, mean_distance

LEAST_L1 = 1e-9
"""Smaller distances count as this distance in geometric means. It is the error bound of the estimates themselves."""
SAME_L1 = 1e-6
"""Distances that differ by less are a tie: a win for both."""

ALL = "all"
HALVES = ("A", "B")


@dataclass(frozen=True, slots=True, order=True)
class Strategy:
    """A policy, which chooses the pages to crawl, and an estimator, which computes the ranks from them."""

    policy: str
    estimator: str

    def __str__(self) -> str:
        """Return the names of the policy and the estimator."""
        return f"{self.policy} / {self.estimator}"


@dataclass(frozen=True, slots=True)
class Trial:
    """One strategy on one domain.

    `budget` is a multiple of the domain's pages. `outside` is the number of outside pages that were crawled; if it
    differs between draws, the smallest. `draws` holds the distance in each repetition; `distance` is their mean.
    """

    domain: str
    budget: float
    strategy: Strategy
    draws: Sequence[RankDistance]
    outside: int

    @property
    def distance(self) -> RankDistance:
        """The mean distance over all draws."""
        return mean_distance(self.draws)


@dataclass(frozen=True, slots=True)
class Worst:
    """The domain on which a strategy is farthest behind other strategies.

    `ratio` is the L1 distance of the strategy, divided by the smallest L1 distance of the other strategies. Without
    other strategies, it is NaN, and `domain` is "".
    """

    ratio: float
    domain: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The results of one strategy with one budget, over the domains that count.

    means              geometric means of L1 over "all" domains and over the halves "A" and "B"; a half without
                       domains that count is absent
    wins               the number of domains on which no strategy is better
    published_wins     for a published strategy, the number of domains on which no published strategy is better;
                       otherwise None
    to_best            `means`, each divided by the smallest mean of a published strategy with this budget
    worst_to_best      the worst result, compared with the published strategy that has the smallest mean over
                       all domains
    worst_to_oracle    the same, compared with the best published strategy of each domain, which nobody knows
                       in advance
    """

    budget: float
    strategy: Strategy
    means: dict[str, float]
    wins: int
    published_wins: int | None
    to_best: dict[str, float]
    worst_to_best: Worst
    worst_to_oracle: Worst


def halves_of(domains: Iterable[str]) -> dict[str, str]:
    """Return the half, A or B, of each domain. The halves alternate in the order of the SHA-256 of the names."""
    ordered = sorted(domains, key=lambda name: sha256(name.encode()).digest())
    return {name: HALVES[place % 2] for place, name in enumerate(ordered)}


class Evaluation:
    """All trials of an experiment. They are complete: every strategy with every budget on every domain."""

    def __init__(self, trials: Sequence[Trial], published: Collection[Strategy], solved_below: float) -> None:
        """Take the trials, and the published strategies; some of these may have no trials.

        A domain is solved, and does not count, if the best published strategy with the budget nearest to 1 ends below
        `solved_below`: the choice of strategy then makes no difference.
        """
        self.trials = trials
        self.domains = list(dict.fromkeys(trial.domain for trial in trials))
        self.budgets = sorted({trial.budget for trial in trials})
        self.strategies = list(dict.fromkeys(trial.strategy for trial in trials))
        self.published = [each for each in self.strategies if each in published]
        self.halves = halves_of(self.domains)
        self._l1 = {(trial.domain, trial.budget, trial.strategy): trial.distance.l1 for trial in trials}
        self.solved: list[str] = []
        if self.published and self.budgets:
            judged = min(self.budgets, key=lambda budget: (abs(log(budget)), budget))
            self.solved = [name for name in self.domains if self.best_published(name, judged) < solved_below]
        self.counted = [name for name in self.domains if name not in self.solved]

    def l1(self, domain: str, budget: float, strategy: Strategy) -> float:
        """Return the mean L1 distance of a strategy on a domain."""
        return self._l1[domain, budget, strategy]

    def best_published(self, domain: str, budget: float) -> float:
        """Return the smallest L1 distance of a published strategy on a domain."""
        return min(self.l1(domain, budget, strategy) for strategy in self.published)

    def geometric_mean(self, budget: float, strategy: Strategy, part: str = ALL) -> float | None:
        """Return the geometric mean of L1 over the domains of a part that count; None if no domain does."""
        values = [self.l1(name, budget, strategy) for name in self.counted if part in (ALL, self.halves[name])]
        if not values:
            return None
        return exp(sum(log(max(value, LEAST_L1)) for value in values) / len(values))

    def wins(self, budget: float, strategy: Strategy, among: Sequence[Strategy]) -> int:
        """Return the number of domains on which none of the strategies `among` is better."""
        return sum(
            self.l1(name, budget, strategy) <= min(self.l1(name, budget, each) for each in among) + SAME_L1
            for name in self.counted
        )

    def summaries(self, budget: float) -> list[Summary]:
        """Return the summaries of all strategies, the smallest mean first."""
        if not self.counted:
            return []
        means = {each: self._means(budget, each) for each in self.strategies}
        best = {
            part: min((means[each][part] for each in self.published), default=float("nan"))
            for part in next(iter(means.values()))
        }
        best_of_all = min(self.published, key=lambda each: means[each][ALL], default=None)
        found = []
        for strategy in sorted(self.strategies, key=lambda each: means[each][ALL]):
            is_published = strategy in self.published
            found.append(
                Summary(
                    budget=budget,
                    strategy=strategy,
                    means=means[strategy],
                    wins=self.wins(budget, strategy, self.strategies),
                    published_wins=self.wins(budget, strategy, self.published) if is_published else None,
                    to_best={part: mean / best[part] for part, mean in means[strategy].items()},
                    worst_to_best=self._worst(budget, strategy, [] if best_of_all is None else [best_of_all]),
                    worst_to_oracle=self._worst(budget, strategy, self.published),
                )
            )
        return found

    def _means(self, budget: float, strategy: Strategy) -> dict[str, float]:
        means = {part: self.geometric_mean(budget, strategy, part) for part in (ALL, *HALVES)}
        return {part: mean for part, mean in means.items() if mean is not None}

    def _worst(self, budget: float, strategy: Strategy, others: Sequence[Strategy]) -> Worst:
        """Return the domain on which L1, divided by the smallest L1 of `others` on the same domain, is largest."""
        if not others:
            return Worst(float("nan"), "")
        ratios = {
            name: max(self.l1(name, budget, strategy), LEAST_L1)
            / max(min(self.l1(name, budget, each) for each in others), LEAST_L1)
            for name in self.counted
        }
        domain = max(ratios, key=lambda name: (ratios[name], name))
        return Worst(ratios[domain], domain)
