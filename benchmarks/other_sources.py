"""How much of the error of an estimate a list of inlinks takes away, and how much a wrong list may add.

    python -m benchmarks.other_sources GRAPHS [--budget 1] [--seed 30] [--skip 1]

Each domain of `benchmarks.estimate_error`, up to 40 of a graph, is crawled by `return-flow` with n pages outside, in
ten rounds. Then the estimate is corrected by lists of true inlinks: a share of all links from outside to its pages,
drawn at random. A list is noisy: one row in six is false, a random page outside as referrer of a random page of the
domain. A list of another site has no row about the domain. A poisoned one names a thousand false referrers that nobody
knows, for one page, beside three in ten of the true rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.calibration.crawls import domains_in
from benchmarks.calibration.fitting import LEAST
from benchmarks.estimate_error import LEAST_AT_FIRST, truth_of
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.error_formula import MOST
from hinterland.analysis.estimates.estimation import Estimation
from hinterland.analysis.graph import FloatArray, IntArray
from hinterland.analysis.local_domain import LocalDomain
from hinterland.crawler.policies import make_policy
from hinterland.lab.commands.experiments.sources import graph_paths
from hinterland.lab.experiments.experiment import outside_pages
from hinterland.lab.experiments.simulation import SimulatedCrawl, SimulatedWeb, batch_sizes, most_urgent
from hinterland.library.other_sources.inlink_rows import InlinkRow
from hinterland.library.other_sources.inlinks import with_inlinks

ROUNDS: Final = 10
FALSE: Final = 0.2
"""False rows for each true one."""
FAKED: Final = 1000
SHARES: Final = {"10 %": 0.1, "30 %": 0.3, "all": 1.0}
LISTS: Final = (*SHARES, "another site", "poisoned")


def rows_of(domain: LocalDomain, share: float, random: np.random.Generator) -> list[InlinkRow]:
    """Return a noisy list of a share of the links into a domain; pages are named by their numbers in the graph."""
    links, is_local = domain.graph, domain.is_local
    comes_in = np.flatnonzero(is_local[links.targets] & ~is_local[links.sources])
    chosen = comes_in[random.random(len(comes_in)) < share]
    rows = [InlinkRow(str(links.sources[link]), str(links.targets[link])) for link in chosen.tolist()]
    count = round(FALSE * len(rows))
    sources, targets = np.flatnonzero(~is_local), np.flatnonzero(is_local)
    false = zip(random.choice(sources, count).tolist(), random.choice(targets, count).tolist(), strict=True)
    return rows + [InlinkRow(str(source), str(target)) for source, target in false]


def list_of(name: str, domain: LocalDomain, random: np.random.Generator) -> list[InlinkRow]:
    """Return one of LISTS."""
    if name == "another site":
        outside = np.flatnonzero(~domain.is_local)
        pairs = zip(random.choice(outside, FAKED).tolist(), random.choice(outside, FAKED).tolist(), strict=True)
        return [InlinkRow(str(source), str(target)) for source, target in pairs]
    if name == "poisoned":
        page = str(random.choice(np.flatnonzero(domain.is_local)))
        return rows_of(domain, SHARES["30 %"], random) + [InlinkRow(f"fake {each}", page) for each in range(FAKED)]
    return rows_of(domain, SHARES[name], random)


def distances(domain: LocalDomain, budget: float, seed: int) -> dict[str, float]:
    """Return the L1 distance from the truth, without a list ("") and with each; nothing if it was small at first."""
    policy = make_policy("return-flow", seed)
    crawl = SimulatedCrawl(SimulatedWeb.drawn(domain, seed), policy)
    crawl.crawl_local()
    crawled = crawl.snapshot()
    estimation, local = Estimation(), crawl.crawled_count
    estimate = estimation.estimate(crawled, 0)
    if _distance(estimate.ranks, truth_of(domain, crawl, crawled)) < LEAST_AT_FIRST:
        return {}
    for batch in batch_sizes(outside_pages(budget, local), ROUNDS):
        frontier = crawl.frontier()
        if len(frontier):
            for page in most_urgent(crawl, policy, crawled, frontier, batch).tolist():
                crawl.crawl(page)
            crawled = crawl.snapshot()
            estimate = estimation.estimate(crawled, crawl.crawled_count - local)
    ranks, truth = estimate.ranks, truth_of(domain, crawl, crawled)
    most_moved = MOST if estimate.error is None else estimate.error.l1
    numbers = _numbers(crawl, crawled)
    found = {"": _distance(ranks, truth)}
    for name in LISTS:
        rows = list_of(name, domain, np.random.default_rng(seed))
        corrected, _ = with_inlinks(rows, crawled, ranks, numbers.get, most_moved)
        found[name] = _distance(corrected, truth)
    return found


def _numbers(crawl: SimulatedCrawl, crawled: CrawledGraph) -> dict[str, int]:
    known: IntArray = np.arange(crawled.page_count, dtype=np.int32)
    return {str(place): number for number, place in enumerate(crawl.places_in_graph(known).tolist())}


def _distance(ranks: FloatArray, truth: FloatArray) -> float:
    return float(np.abs(ranks - truth).sum())


def told(of_graphs: dict[str, list[dict[str, float]]]) -> Iterator[str]:
    """Yield the table: geometric means of L1 by graph, and how many of the domains became worse by a tenth."""
    yield "| graph | domains | without | " + " | ".join(LISTS) + " | worse by 10 %: " + ", ".join(SHARES) + " |"
    yield "| --- |" + " ---: |" * (len(LISTS) + 3)
    means = list[FloatArray]()
    for graph, found in of_graphs.items():
        logs = np.log([[max(one[name], LEAST) for name in ("", *LISTS)] for one in found])
        means.append(logs.mean(axis=0))
        yield _row(graph, logs)
    everything = np.array(means)
    yield _row("**mean of graphs**", everything, with_worse=False)
    largest = max(one["poisoned"] - one[""] for found in of_graphs.values() for one in found)
    yield f"\nThe poisoned list added at most {largest:.2f}."


def _row(name: str, logs: FloatArray, *, with_worse: bool = True) -> str:
    shares = np.exp((logs - logs[:, :1]).mean(axis=0)) - 1
    cells = [f"{100 * share:+.0f} %" for share in shares[1:].tolist()]
    worse = [f"{np.count_nonzero(logs[:, 1 + place] - logs[:, 0] > np.log(1.1))}" for place in range(len(SHARES))]
    told_worse = ", ".join(worse) if with_worse else ""
    return f"| {name} | {len(logs)} | {np.exp(logs[:, 0].mean()):.4f} | {' | '.join(cells)} | {told_worse} |"


def main() -> None:
    """Run the crawls and print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--budget", type=float, default=1.0)
    arguments.add_argument("--seed", type=int, default=30)
    arguments.add_argument("--skip", type=int, default=1, help="take every k-th domain only")
    options = arguments.parse_args()
    of_graphs = dict[str, list[dict[str, float]]]()
    for path in [each for graph in options.graphs for each in graph_paths(Path(graph))]:
        name, domains = domains_in(path)
        found = [distances(domain, options.budget, options.seed) for domain in domains[:: options.skip]]
        if any(found):
            of_graphs[name] = [one for one in found if one]
            print(f"{name}: {len(of_graphs[name])} domains", flush=True)
    print("\n".join(told(of_graphs)))


if __name__ == "__main__":
    main()
