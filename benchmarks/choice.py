"""Choose by what `return-flow` orders pages, and say what the choice is worth on graphs left out.

    python -m benchmarks.choice GRAPHS [--rounds 25] [--draws 2] [--most 10] [--largest 800] [--seed 50] [--json FILE]

Each variant of the policy crawls the same local domains and draws as breadth-first order, and the same estimator, the
outside model, ranks the pages after n and 2 n pages outside. A result is the logarithm of the ratio of both L1
distances, averaged over the draws of a domain, then over the domains of a graph. So each graph weighs the same, however
many domains it has, and whatever their errors are. The score of a variant is the mean over graphs and both budgets.

For each graph the variant with the lowest score on all *other* graphs is chosen, and reported on this one.

The domains of a graph are the hosts, labels, endings or blocks of at least 25 pages that keep the other limits of RULE.
Where pages have URLs and fewer than `--most` hosts satisfy it, directories of 40 pages or more are added. Domains of
more than `--largest` pages are left out; of the others, `--most` are drawn by the SHA-256 of their names.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import exp, log
from pathlib import Path
from typing import Final

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.descending import descending
from hinterland.analysis.estimates.estimators import OutsideModelEstimator
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.analysis.local_domain import (
    DomainRule,
    LocalDomain,
    described,
    frontier_size,
    hosts_of,
    suitable_domains,
    true_ranks,
    url_hosts_of,
)
from hinterland.analysis.local_inlinks import local_inlink_counts
from hinterland.analysis.stored_graph import StoredGraph
from hinterland.crawler.features.topics.links.sample_urgencies import urgencies_with_sample
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.policies import make_policy
from hinterland.crawler.policies.return_flow import EXPLORING, ReturnFlow, return_values
from hinterland.lab.commands.experiments.sources import graph_from, graph_paths
from hinterland.lab.experiments.simulation import SimulatedCrawl, SimulatedWeb, batch_sizes, most_urgent

BUDGETS: Final = (1, 2)
LEAST_L1: Final = 0.003
"""Smaller distances count as this one: nobody asks which of them it is, and one would outweigh ten domains."""
TOLERANCE: Final = 1e-3
RULE: Final = DomainRule(
    min_pages=25, min_frontier=15, min_block_pages=100, min_block_frontier=25, largest_blocks=300, largest_groups=40
)
DIRECTORY_PAGES: Final = 40


@dataclass(frozen=True, slots=True)
class Variant:
    """The orders that take turns in choosing pages, named as in `VariedReturnFlow`, and the share drawn at random."""

    orders: tuple[str, ...]
    sampled: float = EXPLORING

    def __str__(self) -> str:
        """Return what a table says."""
        return f"{' + '.join(self.orders)}, {self.sampled:.0%} at random"


BREADTH_FIRST: Final = "bfs"
VARIANTS: Final = (
    Variant(("rank × return",)),
    Variant(("return",)),
    Variant(("return", "local links")),
    Variant(("return", "local links"), sampled=0.0),
    Variant(("return", "breadth first")),
    Variant(("rank × return", "local links")),
)
"""The first is what `return-flow` was before the estimated rank was left out, the second what it is."""


class VariedReturnFlow(ReturnFlow):
    """`return-flow` with other orders and another share of random pages."""

    def __init__(self, variant: Variant) -> None:
        """Take a variant."""
        super().__init__(0)
        self._variant = variant
        self._ranks: FloatArray | None = None
        self._depths = np.empty(0, np.int32)

    def discovered(self, pages: IntArray, depths: IntArray) -> FloatArray:
        """Also keep the depth of each page."""
        self._depths = np.concatenate(
            [self._depths, np.zeros(max(0, int(pages.max()) + 1 - len(self._depths)), np.int32)]
        )
        self._depths[pages] = depths
        return super().discovered(pages, depths)

    def begin_refresh(self, crawled: CrawledGraph, waiting: IntArray, batch: int) -> Callable[[], FloatArray]:
        """Begin to compute the urgencies of waiting pages, shape (k,)."""

        def urgencies() -> FloatArray:
            model = outside_model(crawled, start=self._ranks, tolerance=TOLERANCE, of_local_shares=False)
            self._ranks = model.ranks
            probabilities, inlinks = model.return_probabilities[waiting], local_inlink_counts(crawled)[waiting]
            by_return = return_values(probabilities.astype(np.float64), inlinks)
            values = {
                "rank × return": model.ranks[waiting] * by_return,
                "return": by_return,
                "local links": link_values(inlinks, crawled.indegrees[waiting]),
                "breadth first": -self._depths[waiting].astype(np.float64),
            }
            in_turn = in_turns([values[name] for name in self._variant.orders])
            return urgencies_with_sample(in_turn, waiting, self._variant.sampled)

        return self.remembering(waiting, urgencies)


def link_values(local_inlinks: IntArray, inlinks: IntArray) -> FloatArray:
    """Return a value of each waiting page, shape (k,), that orders pages by local inlinks, then by all inlinks."""
    values: FloatArray = local_inlinks.astype(np.float64) + inlinks / (1.0 + inlinks)
    return values


def in_turns(orders: Sequence[FloatArray]) -> FloatArray:
    """Return urgencies, shape (k,), by which several orders choose a page each in turn.

    `orders` has the values of all pages under each order, shape (k,) each. The j-th page of an order gets 1/j, or more
    if it comes earlier in another.
    """
    if len(orders) == 1:
        return orders[0]
    urgencies = np.zeros(len(orders[0]))
    for values in orders:
        by_place = descending(values)
        urgencies[by_place] = np.maximum(urgencies[by_place], 1.0 / np.arange(1, len(values) + 1))
    return urgencies


@dataclass(frozen=True, slots=True)
class Result:
    """The mean over the draws of log(L1 of a variant / L1 of breadth-first order) on one domain."""

    graph: str
    domain: str
    budget: int
    variant: Variant
    ratio: float


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean."""
    return sum(values) / len(values)


def by_graph(results: Sequence[Result], variant: Variant, budget: int) -> dict[str, float]:
    """Return the mean over the domains of each graph."""
    found: dict[str, list[float]] = {}
    for each in results:
        if each.variant == variant and each.budget == budget:
            found.setdefault(each.graph, []).append(each.ratio)
    return {graph: mean(ratios) for graph, ratios in found.items()}


def score(results: Sequence[Result], variant: Variant, without: str | None = None) -> float:
    """Return the mean over graphs and budgets; lower is better."""
    return mean(
        [
            ratio
            for budget in sorted({each.budget for each in results})
            for graph, ratio in by_graph(results, variant, budget).items()
            if graph != without
        ]
    )


def chosen(results: Sequence[Result], without: str | None = None) -> Variant:
    """Return the variant with the lowest score on all graphs but `without`."""
    return min(dict.fromkeys(each.variant for each in results), key=lambda one: score(results, one, without))


def told(results: Sequence[Result]) -> Iterator[str]:
    """Yield the tables as lines of Markdown: all variants, then each graph left out in turn."""
    graphs = list(dict.fromkeys(each.graph for each in results))
    yield f"| L1 relative to {BREADTH_FIRST} | pages | {' | '.join(graphs)} | mean |"
    yield f"| --- | --- |{' ---: |' * (len(graphs) + 1)}"
    for budget in BUDGETS:
        for variant in dict.fromkeys(each.variant for each in results):
            yield _row(f"{variant}", budget, graphs, by_graph(results, variant, budget))
    for budget in BUDGETS:
        left_out = {graph: by_graph(results, chosen(results, graph), budget)[graph] for graph in graphs}
        yield _row("chosen on the other graphs", budget, graphs, left_out)
    yield ""
    yield "| graph left out | chosen on the others |"
    yield "| --- | --- |"
    for graph in graphs:
        yield f"| {graph} | {chosen(results, graph)} |"


def _row(name: str, budget: int, graphs: Sequence[str], ratios: Mapping[str, float]) -> str:
    shown = " | ".join(f"{exp(ratios[graph]):.2f}" for graph in graphs)
    return f"| {name} | {budget} n | {shown} | {exp(mean(list(ratios.values()))):.3f} |"


def directories_of(stored: StoredGraph) -> Iterator[LocalDomain]:
    """Yield the first directories of hosts that keep the rule and have DIRECTORY_PAGES or more, the largest first."""
    if stored.names is None or url_hosts_of(stored) is None:
        return
    parts = [name.split("/") for name in stored.names]
    names = ["/".join(part[:4]) if len(part) > 4 else "" for part in parts]
    directories, places, sizes = np.unique(names, return_inverse=True, return_counts=True)
    hosts, truth = hosts_of(stored), true_ranks(stored.graph)
    for place in np.argsort(-sizes, kind="stable").tolist():
        is_local = places == place
        if not directories[place] or sizes[place] < DIRECTORY_PAGES:
            continue
        if frontier_size(stored.graph, is_local) < RULE.min_frontier:
            continue
        domain = LocalDomain(f"{stored.name} {directories[place]}", stored.graph, is_local, hosts, truth)
        found = described(domain)
        if found.l1_alone >= RULE.min_l1 and found.reachable >= RULE.min_reach * sizes[place]:
            yield domain


def domains_of(stored: StoredGraph, most: int, largest: int) -> list[LocalDomain]:
    """Return up to `most` local domains of a graph."""

    def drawn(domains: Iterator[LocalDomain]) -> list[LocalDomain]:
        fitting = [each for each in domains if each.page_count <= largest]
        return sorted(fitting, key=lambda each: sha256(each.name.encode()).digest())

    found = drawn(each.domain for each in suitable_domains(stored, RULE))[:most]
    return found if len(found) >= most else [*found, *drawn(directories_of(stored))][:most]


def distances(web: SimulatedWeb, policy: FrontierPolicy, rounds: int) -> list[float]:
    """Return the L1 distances after n and 2 n pages outside, each n in this many rounds."""
    crawl, estimators, found = SimulatedCrawl(web, policy), {"": OutsideModelEstimator()}, list[float]()
    crawl.crawl_local()
    crawled, frontier = crawl.snapshot(), crawl.frontier()
    for _ in BUDGETS:
        for batch in batch_sizes(web.local_count, rounds):
            for page in most_urgent(crawl, policy, crawled, frontier, batch).tolist():
                crawl.crawl(page)
            crawled, frontier = crawl.snapshot(), crawl.frontier()
        found.append(max(crawl.distances(crawled, estimators)[""].l1, LEAST_L1))
    return found


def results_on(graph: str, domain: LocalDomain, seeds: Sequence[int], rounds: int) -> list[Result]:
    """Return the results of all variants on a domain."""
    ratios: dict[tuple[Variant, int], list[float]] = {}
    for seed in seeds:
        web = SimulatedWeb.drawn(domain, seed)
        plain = distances(web, make_policy(BREADTH_FIRST, seed), rounds)
        for variant in VARIANTS:
            varied = distances(web, VariedReturnFlow(variant), rounds)
            for budget, own, other in zip(BUDGETS, varied, plain, strict=True):
                ratios.setdefault((variant, budget), []).append(log(own / other))
    return [Result(graph, domain.name, budget, variant, mean(each)) for (variant, budget), each in ratios.items()]


def main() -> None:
    """Run the crawls and print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--rounds", type=int, default=25, help="for each n pages outside")
    arguments.add_argument("--draws", type=int, default=2)
    arguments.add_argument("--most", type=int, default=10, help="local domains of a graph")
    arguments.add_argument("--largest", type=int, default=800, help="local domains of at most this many pages")
    arguments.add_argument("--seed", type=int, default=50, help="of the first draw")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    results = list[Result]()
    for path in [each for graph in options.graphs for each in graph_paths(Path(graph))]:
        stored = graph_from(path)
        for domain in domains_of(stored, options.most, options.largest):
            seeds = range(options.seed, options.seed + options.draws)
            results += results_on(stored.name, domain, seeds, options.rounds)
            if options.json is not None:
                options.json.write_text(json.dumps([asdict(each) for each in results], indent=1), encoding="utf-8")
    print("\n".join(told(results)))


if __name__ == "__main__":
    main()
