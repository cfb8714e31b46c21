"""Simulated crawls of stored graphs: what a crawler saw at each refresh, and how wrong its estimate was.

Each crawl has 25 rounds, and the domains are those of `benchmarks.estimate_error`. Everything but the truth is what a
live crawl has at that moment, from the same objects.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.estimate_error import LEAST_AT_FIRST, SETS, refreshes, truth_of
from hinterland.analysis.estimates.crawl_signs import CrawlSigns
from hinterland.analysis.estimates.estimate_error import EstimateError, place_intervals
from hinterland.analysis.graph import FloatArray
from hinterland.analysis.local_domain import LocalDomain, suitable_domains
from hinterland.lab.commands.experiments.sources import graph_from, graph_paths

QUANTILES: Final = (0.5, 0.8, 0.85, 0.9, 0.95)
WIDTHS: Final = (0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
TOP: Final = 20
MOST_DOMAINS: Final = 40
"""Of a graph with more domains every k-th is crawled, by size, so that none takes most of the time."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One refresh.

    `outside` pages outside were crawled; `true` is the L1 distance from the truth. `revealed` is e of `estimate_error`,
    `signs` those of `crawl_signs`. `pages` holds quantiles, over all pages, of how much the |log| of
    estimate over truth exceeds the largest correction of the page: the least exponent that covers that share. `places`
    holds the share of the first twenty pages that are in their intervals of places, for each of WIDTHS as exponent.
    """

    outside: int
    true: float
    revealed: float
    signs: CrawlSigns
    pages: Sequence[float]
    places: Sequence[float]


@dataclass(frozen=True, slots=True)
class Crawl:
    """All refreshes of the crawl of a domain of n pages."""

    graph: str
    domain: str
    policy: str
    budget: float
    seed: int
    n: int
    refreshes: Sequence[Seen]

    def near(self, outside: float) -> Seen:
        """Return the refresh with about this number of pages outside."""
        return min(self.refreshes, key=lambda one: abs(one.outside - outside))


def crawl_of(graph: str, domain: LocalDomain, policy: str, budget: float, seed: int) -> Crawl:
    """Return a simulated crawl with all its refreshes; the first, before any page outside, has nothing to compare."""
    found, local = list[Seen](), 0
    for crawl, crawled, outside, estimate in refreshes(domain, budget, seed, policy):
        local = local or crawl.crawled_count
        if estimate.error is not None:
            found.append(seen(estimate.ranks, estimate.error, truth_of(domain, crawl, crawled), outside))
    return Crawl(graph, domain.name, policy, budget, seed, local, found)


def seen(ranks: FloatArray, error: EstimateError, truth: FloatArray, outside: int) -> Seen:
    """Compare an estimate with the truth."""
    lacking = np.abs(np.log(np.maximum(ranks, 1e-300) / truth)) - error.moves
    places = [covered_places(ranks, truth, np.exp(error.moves + width)) for width in WIDTHS]
    return Seen(
        outside=outside,
        true=float(np.abs(ranks - truth).sum()),
        revealed=error.revealed,
        signs=error.signs,
        pages=[float(each) for each in np.quantile(lacking, QUANTILES)],
        places=places,
    )


def covered_places(ranks: FloatArray, truth: FloatArray, spreads: FloatArray) -> float:
    """Return the share of the first pages whose true place is in the interval; equal pages share all their places."""
    highest, lowest = place_intervals(ranks, spreads)
    top = np.argsort(-ranks, kind="stable")[:TOP]
    first = 1 + len(truth) - np.searchsorted(np.sort(truth), truth[top] * (1 + 1e-9), side="right")
    last = len(truth) - np.searchsorted(np.sort(truth), truth[top] * (1 - 1e-9), side="left")
    return float(((last >= highest[top]) & (first <= lowest[top])).mean())


def domains_in(path: Path) -> tuple[str, list[LocalDomain]]:
    """Return the name of a stored graph and its domains, the smallest first."""
    stored = graph_from(path)
    found = {one.domain.name: one.domain for rule in SETS.values() for one in suitable_domains(stored, rule)}
    domains = sorted(found.values(), key=lambda domain: domain.page_count)
    return stored.name, domains[:: -(-len(domains) // MOST_DOMAINS) or 1]


def crawled(graphs: Sequence[str], kinds: Sequence[tuple[str, float]], seed: int, file: Path) -> Iterator[str]:
    """Crawl all domains and append each crawl to the file, unless it is there; yield the names of finished graphs.

    `kinds` are pairs of a policy and a budget, in multiples of n.
    """
    done = {(one.domain, one.policy, one.budget, one.seed) for one in read(file)} if file.exists() else set()
    for path in [each for graph in graphs for each in graph_paths(Path(graph))]:
        name, domains = domains_in(path)
        for policy, budget in kinds:
            for domain in domains:
                if (domain.name, policy, budget, seed) not in done:
                    with file.open("a", encoding="utf-8") as lines:
                        lines.write(f"{json.dumps(asdict(crawl_of(name, domain, policy, budget, seed)))}\n")
        yield f"{name}: {len(domains)} domains"


def read(file: Path) -> Iterator[Crawl]:
    """Yield the crawls of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        yield _crawl(json.loads(line))


def countable(crawls: Sequence[Crawl]) -> list[Crawl]:
    """Return the crawls with an error to predict: before any page outside it was 0.01 or more."""
    return [one for one in crawls if one.refreshes and one.refreshes[0].true >= LEAST_AT_FIRST]


def _crawl(fields: dict[str, Any]) -> Crawl:
    found = [Seen(**{**one, "signs": CrawlSigns(*one["signs"])}) for one in fields.pop("refreshes")]
    return Crawl(**fields, refreshes=found)
