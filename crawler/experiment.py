"""The experiment of Davis & Dhillon (KDD 2006) on one local domain: every policy, every estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.estimators import ESTIMATORS
from analysis.evaluation import Strategy, Trial
from analysis.local_domain import LocalDomain
from crawler.policies import make_policy
from crawler.simulation import StoredWeb, find_global_pagerank


@dataclass(frozen=True, slots=True)
class Experiment:
    """What to try on a domain. budget: outside pages, as a multiple of the local ones."""

    policies: Sequence[str]
    estimators: Sequence[str]
    budget: float
    iterations: int
    seed: int


def trials(domain: LocalDomain, experiment: Experiment) -> list[Trial]:
    """The distances at the end of each crawl; all crawls meet the same web, drawn by the seed."""
    web = StoredWeb.drawn(domain, experiment.seed)
    found = []
    for policy in experiment.policies:
        result = find_global_pagerank(
            web,
            make_policy(policy, experiment.seed),
            {name: ESTIMATORS[name]() for name in experiment.estimators},
            budget=outside_pages(experiment.budget, web.local_count),
            iterations=experiment.iterations,
            is_measured_throughout=False,
        )
        found += [
            Trial(domain.name, experiment.budget, Strategy(policy, name), distance, result.last.outside)
            for name, distance in result.last.distances.items()
        ]
    return found


def outside_pages(budget: float, local: int) -> int:
    """A budget as a number of pages, at least one."""
    return max(1, round(budget * local))
