"""How far the predicted error of the estimate is from the true one, on local domains of stored graphs.

    python -m benchmarks.estimate_error GRAPHS [--budgets 0.25,1,2] [--seed 30] [--processes 2] [--json FILE]

Each domain is crawled by `return-flow` in the simulator, in 25 rounds, with the very object that predicts in a live
crawl (`Estimation`). The domains are those of docs/policies.md: the 28 that keep the rule, and the second and the third
set, which are smaller. Each set is in two halves (`halves_of`: alternately by the SHA-256 of the names). The constants
were learnt from these same graphs; how they do on graphs left out is what `benchmarks.calibration` says. Domains whose
L1 is below 0.01 before any page outside is crawled are left out: there is nothing to predict.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from math import exp, log
from pathlib import Path
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimate_error import EstimateError
from hinterland.analysis.estimates.estimation import Estimate, Estimation
from hinterland.analysis.graph import FloatArray
from hinterland.analysis.local_domain import DomainRule, LocalDomain, suitable_domains
from hinterland.crawler.policies import make_policy
from hinterland.lab.commands.experiments.sources import graph_from, graph_paths
from hinterland.lab.evaluation import HALVES, halves_of
from hinterland.lab.experiments.experiment import outside_pages
from hinterland.lab.experiments.simulation import SimulatedCrawl, SimulatedWeb, batch_sizes, most_urgent

ROUNDS: Final = 25
LIMITS: Final = (0.05, 0.1, 0.2)
TOP: Final = 20
FACTORS: Final = (1.5, 2.0, 3.0)
LEAST_AT_FIRST: Final = 0.01
LEAST: Final = 1e-3
"""Smaller errors, predicted or true, count as this one: nobody asks which of them it is."""
FIRST: Final = DomainRule()
SECOND: Final = replace(FIRST, min_pages=40, min_block_pages=200, min_block_frontier=40)
SECOND_SET: Final = replace(SECOND, largest_blocks=130, largest_groups=16)
THIRD: Final = replace(FIRST, min_pages=25, min_frontier=15, min_block_pages=100, min_block_frontier=25)
SETS: Final = {"28": FIRST, "second": SECOND_SET, "third": replace(THIRD, largest_blocks=300, largest_groups=40)}


@dataclass(frozen=True, slots=True)
class Refresh:
    """One refresh of a crawl.

    `predicted` and `at_most` are about the L1 distance `true`. `pages` is the share of all pages that are within their
    intervals, `places` that of the first twenty places. `after` was predicted for n more pages.
    """

    outside: int
    true: float
    predicted: float
    at_most: float
    pages: float
    places: float
    after: float


@dataclass(frozen=True, slots=True)
class Course:
    """All refreshes of one crawl of a domain of n pages, the first before any page outside."""

    domains: str
    domain: str
    half: str
    n: int
    budget: float
    refreshes: Sequence[Refresh]

    @property
    def last(self) -> Refresh:
        """The last refresh."""
        return self.refreshes[-1]


def refreshes(
    domain: LocalDomain, budget: float, seed: int, policy_name: str = "return-flow"
) -> Iterator[tuple[SimulatedCrawl, CrawledGraph, int, Estimate]]:
    """Yield a crawl of a domain before any outside page and after each round.

    With it come the graph it knows, how many outside pages it has crawled, and its estimate.
    """
    policy = make_policy(policy_name, seed)
    crawl, estimation = SimulatedCrawl(SimulatedWeb.drawn(domain, seed), policy), Estimation()
    crawl.crawl_local()
    local = crawl.crawled_count
    for batch in [*batch_sizes(outside_pages(budget, local), ROUNDS), 0]:
        crawled, frontier = crawl.snapshot(), crawl.frontier()
        outside = crawl.crawled_count - local
        yield crawl, crawled, outside, estimation.estimate(crawled, outside)
        if not batch or not len(frontier):
            return
        for page in most_urgent(crawl, policy, crawled, frontier, batch).tolist():
            crawl.crawl(page)


def truth_of(domain: LocalDomain, crawl: SimulatedCrawl, crawled: CrawledGraph) -> FloatArray:
    """Return the global PageRank of crawled.local, shape (n,), scaled to sum to 1."""
    truth: FloatArray = domain.truth[crawl.places_in_graph(crawled.local)]
    truth /= truth.sum()
    return truth


def course(domains: str, domain: LocalDomain, half: str, budget: float, seed: int) -> Course:
    """Return all refreshes of one simulated crawl."""
    found, local = list[Refresh](), 0
    for crawl, crawled, outside, estimate in refreshes(domain, budget, seed):
        local = local or crawl.crawled_count
        if estimate.error is not None:
            found.append(compared(estimate.ranks, estimate.error, truth_of(domain, crawl, crawled), outside))
    return Course(domains, domain.name, half, local, budget, found)


def compared(ranks: FloatArray, error: EstimateError, truth: FloatArray, outside: int) -> Refresh:
    """Compare an estimate and its predicted error with the truth."""
    is_in = (truth * error.spreads >= ranks) & (truth <= ranks * error.spreads)
    highest, lowest = error.place_intervals(ranks)
    top = np.argsort(-ranks, kind="stable")[:TOP]
    # Equal pages share all their places.
    first = 1 + len(truth) - np.searchsorted(np.sort(truth), truth[top] * (1 + 1e-9), side="right")
    last = len(truth) - np.searchsorted(np.sort(truth), truth[top] * (1 - 1e-9), side="left")
    places = (last >= highest[top]) & (first <= lowest[top])
    true = float(np.abs(ranks - truth).sum())
    after = error.after(len(ranks))
    return Refresh(outside, true, error.l1, error.at_most, float(is_in.mean()), float(places.mean()), after)


def ratio(predicted: float, true: float) -> float:
    """Return the logarithm of predicted over true."""
    return log(max(predicted, LEAST) / max(true, LEAST))


def accuracy(courses: Sequence[Course]) -> str:
    """Return all but the first columns of a row of the first table."""
    ratios = [ratio(each.last.predicted, each.last.true) for each in courses]
    within = [np.mean([abs(value) <= log(factor) for value in ratios]) for factor in FACTORS]
    below = np.mean([each.last.true <= each.last.at_most for each in courses])
    pages, places = (np.mean([getattr(each.last, name) for each in courses]) for name in ("pages", "places"))
    shares = (*within, below, pages, places)
    return " | ".join([f"{len(courses)}", f"{exp(np.median(ratios)):.2f}", *(f"{share:.0%}" for share in shares)])


def stops(courses: Sequence[Course], limit: float) -> list[tuple[float, float, bool]]:
    """Return where each crawl would stop if it went by its prediction.

    It covers the crawls whose true error falls below the limit after the first refresh. The values are the pages at
    which the prediction falls below it, over those at which the truth does; how far apart they are as a share of the
    budget; and whether the true error is below the limit at the stop.
    """
    found = []
    for each in courses:
        crossing = next((place for place, one in enumerate(each.refreshes) if one.true < limit), None)
        if not crossing:
            continue
        later = (one for one in each.refreshes if one.outside and one.predicted < limit)
        stop, crossed = next(later, each.last), each.refreshes[crossing]
        apart = abs(stop.outside - crossed.outside) / each.last.outside
        found.append((stop.outside / crossed.outside, apart, stop.true < limit))
    return found


def told(courses: Sequence[Course]) -> Iterator[str]:
    """Yield the tables as lines of Markdown."""
    yield "| domains | half | budget | pairs | median ratio | within 1.5 | 2 | 3 | below the bound | pages | places |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    budgets = sorted({each.budget for each in courses})
    for half in HALVES:
        for name in (*SETS, "all"):
            for budget in (*budgets, None):
                rows = [each for each in courses if each.half == half and name in (each.domains, "all")]
                rows = [each for each in rows if budget in (each.budget, None)]
                if rows:
                    yield f"| {name} | {half} | {'all' if budget is None else f'{budget:g} n'} | {accuracy(rows)} |"
    yield ""
    yield "| limit | half | crossings | 20 % of those pages | 20 % of the budget | truth below at the stop |"
    yield "| ---: | --- | ---: | ---: | ---: | ---: |"
    for limit in LIMITS:
        for half in HALVES:
            longest = [each for each in courses if each.half == half and each.budget == budgets[-1]]
            if found := stops(longest, limit):
                near = np.mean([abs(pages - 1) <= 0.2 for pages, _, _ in found])
                close = np.mean([apart <= 0.2 for _, apart, _ in found])
                is_below = np.mean([below for _, _, below in found])
                yield f"| {limit:g} | {half} | {len(found)} | {near:.0%} | {close:.0%} | {is_below:.0%} |"
    yield ""
    yield "| asked at | half | crawls | median ratio of predicted to true after n more | within 1.5 | 2 |"
    yield "| --- | --- | ---: | ---: | ---: | ---: |"
    for begun in (0, 1):
        for half in HALVES:
            ratios = list(_forecasts([each for each in courses if each.half == half], begun))
            if ratios:
                within = [np.mean([abs(value) <= log(factor) for value in ratios]) for factor in FACTORS[:2]]
                shares = " | ".join(f"{share:.0%}" for share in within)
                yield f"| {begun} n | {half} | {len(ratios)} | {exp(np.median(ratios)):.2f} | {shares} |"


def _forecasts(courses: Sequence[Course], begun: int) -> Iterator[float]:
    """Yield the ratio of what was predicted for n more pages, after begun · n pages, to what happened."""
    for each in courses:
        if each.budget == 2:
            now, then = (
                min(each.refreshes, key=lambda one: abs(one.outside - multiple * each.n))
                for multiple in (begun, begun + 1)
            )
            yield ratio(now.after, then.true)


def domains_of(graphs: Sequence[str]) -> Iterator[tuple[str, LocalDomain, str]]:
    """Each domain once: the name of its set, itself, and the half of that set it is in."""
    stored = [graph_from(path) for graph in graphs for path in graph_paths(Path(graph))]
    seen = set[str]()
    for name, rule in SETS.items():
        domains = [one.domain for graph in stored for one in suitable_domains(graph, rule)]
        domains = [domain for domain in domains if domain.name not in seen]
        halves = halves_of(domain.name for domain in domains)
        seen |= set(halves)
        yield from ((name, domain, halves[domain.name]) for domain in domains)


def main() -> None:
    """Run the crawls and print how good their predictions were."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--budgets", default="0.25,1,2")
    arguments.add_argument("--seed", type=int, default=30)
    arguments.add_argument("--processes", type=int, default=2)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    budgets = [float(budget) for budget in options.budgets.split(",")]
    tasks = [(*each, budget, options.seed) for each in domains_of(options.graphs) for budget in budgets]
    with ProcessPoolExecutor(options.processes, multiprocessing.get_context("spawn")) as pool:
        courses = [one.result() for one in [pool.submit(course, *task) for task in tasks]]
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(one) for one in courses], indent=1), encoding="utf-8")
    counted = [one for one in courses if one.refreshes and one.refreshes[0].true >= LEAST_AT_FIRST]
    print("\n".join(told(counted)))


if __name__ == "__main__":
    main()
