"""Upper bounds on stored graphs: how good the estimate, and the prediction of its error, could be with more knowledge.

    python -m benchmarks.error_bounds GRAPHS [--half A] [--budgets 1,2] [--draws 5] [--seed 30] [--processes 2]
        [--json FILE]

The domains and crawls are those of `estimate_error`, several draws of each. It shows what would be left of the L1
distance to the truth if the estimate knew one thing that no crawl tells:

    the better          which of the two estimators is nearer to the truth
    the best mean       the mean of both, with the best weights
    the best inflow     the best factor for all rank from outside, one for all local pages
    the known web       the links of all known pages, the waiting ones, too: what a perfect model of these would leave

It also shows how often L1 would be predicted within a factor: by a crawl, as it is; by a crawl that knows its factor of
error with the other of two budgets; by the best single number for all pairs of a domain and a budget; by the distance
from the estimate to that of the known web, times the best single number; and by the median of the other draws of the
same pair. Standard errors are over domains.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from math import exp, log
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.estimate_error import FACTORS, LEAST, LEAST_AT_FIRST, domains_of, ratio, refreshes, truth_of
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.graph import BoolArray, FloatArray
from hinterland.analysis.local_domain import LocalDomain
from hinterland.analysis.pagerank import DAMPING, pagerank
from hinterland.lab.evaluation import HALVES

ESTIMATE: Final = "outside-model"
PUBLISHED: Final = "crawled-graph"
BETTER: Final = "the better"
MEAN: Final = "the best mean"
INFLOW: Final = "the best inflow"
KNOWN: Final = "the known web"
LEAST_MEAN: Final = 1e-4
"""Smaller distances count as this one in geometric means."""
_CLICKS: Final = 120
_STEPS: Final = 60


@dataclass(frozen=True, slots=True)
class End:
    """The end of one crawl.

    `at_first` is L1 before any outside page was crawled. `l1` has, by name, that of the estimate and of the bounds.
    `predicted` is the prediction of the crawl, `to_known` the distance from the estimate to that of the known web.
    """

    domain: str
    budget: float
    seed: int
    at_first: float
    l1: dict[str, float]
    predicted: float
    to_known: float


def end(domain: LocalDomain, budget: float, seed: int) -> End:
    """Return the end of one simulated crawl."""
    steps = refreshes(domain, budget, seed)
    crawl, crawled, _, estimate = next(steps)
    at_first = distance(estimate.ranks, truth_of(domain, crawl, crawled))
    for last in steps:
        crawl, crawled, _, estimate = last
    truth = truth_of(domain, crawl, crawled)
    ranks, published = estimate.ranks, estimate.by_estimator[PUBLISHED]
    known = pagerank(crawl.known_web())[crawled.local]
    known /= known.sum()
    l1 = {ESTIMATE: distance(ranks, truth), PUBLISHED: distance(published, truth), KNOWN: distance(known, truth)}
    l1[BETTER] = min(l1[ESTIMATE], l1[PUBLISHED])
    l1[MEAN] = nearest(ranks, published, truth, 0.0)
    alone = without_inflow(crawled)
    kept = float(alone.sum() / outside_model(crawled).ranks[crawled.local].sum())
    l1[INFLOW] = nearest(ranks, alone / alone.sum(), truth, -kept / (1 - kept) if kept < 1 else 0.0)
    predicted = estimate.error.l1 if estimate.error is not None else float("nan")
    return End(domain.name, budget, seed, at_first, l1, predicted, distance(ranks, known))


def distance(ranks: FloatArray, truth: FloatArray) -> float:
    """Return the L1 distance."""
    return float(np.abs(ranks - truth).sum())


def without_inflow(crawled: CrawledGraph) -> FloatArray:
    """Return the PageRank that local pages would have if none came from outside, shape (n,).

    It is their part of the PageRank of all known pages.
    """
    links, local = crawled.links, crawled.local
    places = np.full(crawled.page_count, -1, np.int32)
    places[local] = np.arange(len(local), dtype=np.int32)
    sources, targets = places[links.sources], places[links.targets]
    is_inside = (sources >= 0) & (targets >= 0)
    sources, targets = sources[is_inside], targets[is_inside]
    handed = DAMPING / np.maximum(np.diff(links.offsets)[local], 1)
    ranks: FloatArray = np.ones(len(local))
    for _ in range(_CLICKS):
        ranks[:] = 1.0 + np.bincount(targets, (handed * ranks)[sources], len(local))
    ranks *= (1 - DAMPING) / crawled.page_count
    return ranks


def nearest(ranks: FloatArray, other: FloatArray, truth: FloatArray, least: float) -> float:
    """Return the smallest distance that a mean of both ranks has to the truth.

    The weight of `other` is from `least` to 1; ternary search finds it, since the distance is convex. A weight below 0
    exaggerates what these ranks have beyond the other.
    """
    most = 1.0
    for _ in range(_STEPS):
        third = (most - least) / 3
        low, high = (distance(ranks + weight * (other - ranks), truth) for weight in (least + third, most - third))
        least, most = (least, most - third) if low <= high else (least + third, most)
    return distance(ranks + (least + most) / 2 * (other - ranks), truth)


def by_domain(ends: Sequence[End], values: FloatArray | BoolArray) -> tuple[float, float]:
    """Return the mean over domains of their mean values, and its standard error."""
    of_each: dict[str, list[float]] = {}
    for one, value in zip(ends, values, strict=True):
        of_each.setdefault(one.domain, []).append(value)
    means = np.array([np.mean(found) for found in of_each.values()])
    return float(means.mean()), float(means.std() / np.sqrt(len(means)))


def predictions(ends: Sequence[End]) -> Iterator[tuple[str, FloatArray]]:
    """Yield the names of predictors, and the logarithms of predicted over true for each crawl."""
    ratios = {(one.domain, one.budget, one.seed): ratio(one.predicted, one.l1[ESTIMATE]) for one in ends}
    yield "a crawl", np.array(list(ratios.values()))
    budgets = sorted({one.budget for one in ends})
    if len(budgets) == 2:
        other = dict(zip(budgets, reversed(budgets), strict=True))
        told = [value - ratios[domain, other[budget], seed] for (domain, budget, seed), value in ratios.items()]
        yield "a crawl, and the other budget", np.array(told)
    true = np.log([max(one.l1[ESTIMATE], LEAST) for one in ends])
    yield "one number for all", shifted(-true)
    yield "the known web", shifted(np.array([ratio(one.to_known, one.l1[ESTIMATE]) for one in ends]))
    pairs = np.array([f"{one.domain} {one.budget}" for one in ends])
    others = [true[(pairs == pair) & (np.arange(len(ends)) != place)] for place, pair in enumerate(pairs)]
    if all(len(found) for found in others):
        yield "the other draws", np.array([np.median(found) for found in others]) - true


def shifted(ratios: FloatArray) -> FloatArray:
    """Return the logarithms shifted so that most of them are within the first of the factors."""
    reach = log(FACTORS[0])
    amounts = reach * (1 - 1e-9) - ratios  # the best leaves one of them at the edge
    within = [np.count_nonzero(np.abs(ratios + amount) <= reach) for amount in amounts]
    best: FloatArray = ratios + amounts[int(np.argmax(within))]
    return best


def told(ends: Sequence[End]) -> Iterator[str]:
    """Yield the tables as lines of Markdown."""
    budgets = sorted({one.budget for one in ends})
    yield "| L1 with | " + " | ".join(f"{budget:g} n | | median" for budget in budgets) + " |"
    yield "| --- |" + " ---: | ---: | ---: |" * len(budgets)
    for name in (ESTIMATE, PUBLISHED, BETTER, MEAN, INFLOW, KNOWN):
        cells = [_cells([one for one in ends if one.budget == budget], name) for budget in budgets]
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""
    yield "| predicted by | " + " | ".join(f"within {factor:g}" for factor in FACTORS) + " |"
    yield "| --- |" + " ---: |" * len(FACTORS)
    for name, ratios in predictions(ends):
        shares = [by_domain(ends, np.abs(ratios) <= log(factor)) for factor in FACTORS]
        yield f"| {name} | " + " | ".join(f"{share:.0%} ± {error:.0%}" for share, error in shares) + " |"


def _cells(ends: Sequence[End], name: str) -> str:
    """Return the geometric mean of L1, its excess over that of the estimate, and the excess of the median crawl."""
    logs = np.log([[max(one.l1[each], LEAST_MEAN) for each in (name, ESTIMATE)] for one in ends])
    mean, _ = by_domain(ends, logs[:, 0])
    more, error = by_domain(ends, logs[:, 0] - logs[:, 1])
    median = exp(float(np.median(logs[:, 0] - logs[:, 1]))) - 1
    return f"{exp(mean):.4f} | {exp(more) - 1:+.0%} ± {error:.0%} | {median:+.0%}"


def main() -> None:
    """Run the crawls and print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--half", choices=HALVES, default=HALVES[0])
    arguments.add_argument("--budgets", default="1,2")
    arguments.add_argument("--draws", type=int, default=5)
    arguments.add_argument("--seed", type=int, default=30, help="of the first draw")
    arguments.add_argument("--processes", type=int, default=2)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    budgets = [float(budget) for budget in options.budgets.split(",")]
    seeds = range(options.seed, options.seed + options.draws)
    domains = [domain for _, domain, half in domains_of(options.graphs) if half == options.half]
    tasks = [(domain, budget, seed) for domain in domains for budget in budgets for seed in seeds]
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("spawn")) as pool:
        ends = [one.result() for one in [pool.submit(end, *task) for task in tasks]]
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(one) for one in ends], indent=1), encoding="utf-8")
    print("\n".join(told([one for one in ends if one.at_first >= LEAST_AT_FIRST])))


if __name__ == "__main__":
    main()
