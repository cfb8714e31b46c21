"""The experiment of Davis & Dhillon (KDD 2006) on one local domain: every policy with every estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.analysis.estimates.estimators import ESTIMATORS
from hinterland.analysis.local_domain import LocalDomain
from hinterland.crawler.policies import make_policy
from hinterland.lab.evaluation import Strategy, Trial
from hinterland.lab.experiments.simulation import Measurement, SimulatedWeb, find_global_pagerank

_MOST_PAGES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Experiment:
    """The strategies to try on a domain, and how to try them.

    `budget` is the number of outside pages as a multiple of the local pages; `seeds` has one seed for each draw.
    """

    policies: Sequence[str]
    estimators: Sequence[str]
    budget: float
    iterations: int
    seeds: Sequence[int]


def trials(domain: LocalDomain, experiment: Experiment) -> list[Trial]:
    """Return the distances at the end of each crawl. For each seed, all policies crawl the same web."""
    ends: dict[Strategy, list[Measurement]] = {}
    for seed in experiment.seeds:
        web = SimulatedWeb.drawn(domain, seed)
        for policy in experiment.policies:
            result = find_global_pagerank(
                web,
                make_policy(policy, seed),
                {name: ESTIMATORS[name]() for name in experiment.estimators},
                budget=outside_pages(experiment.budget, web.local_count),
                iterations=experiment.iterations,
                is_measured_throughout=False,
            )
            for name in experiment.estimators:
                ends.setdefault(Strategy(policy, name), []).append(result.last)
    return [
        Trial(
            domain.name,
            experiment.budget,
            strategy,
            tuple(end.distances[strategy.estimator] for end in found),
            min(end.outside for end in found),
        )
        for strategy, found in ends.items()
    ]


def outside_pages(budget: float, local: int) -> int:
    """Return a budget as a number of outside pages, at least 1 and at most the largest possible number."""
    return max(1, round(min(budget * local, _MOST_PAGES)))
