"""Whether ranks of hosts, as Common Crawl publishes them, tell how much rank an estimate lacks from outside.

    python -m benchmarks.host_ranks GRAPHS [--seed 30]

Each domain of `benchmarks.estimate_error` is crawled by `return-flow` with n pages outside, in eight rounds. The host
ranks are the PageRank of the graph of all hosts of the stored graph. They say what share the domain has of the rank of
itself and of the hosts with three known pages or more, and so does the estimate. Does the ratio of the two shares tell
the best single factor for the inflow from outside, which only the truth knows? Domains whose error is below 0.01 are
left out, and so are those of 4,000 pages and more.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from benchmarks.calibration.crawls import domains_in
from benchmarks.error_bounds import distance, without_inflow
from benchmarks.estimate_error import LEAST_AT_FIRST, truth_of
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.graph import FloatArray, Graph
from hinterland.analysis.local_domain import LocalDomain
from hinterland.analysis.pagerank import pagerank
from hinterland.crawler.policies import make_policy
from hinterland.lab.commands.experiments.sources import graph_paths
from hinterland.lab.experiments.simulation import SimulatedCrawl, SimulatedWeb, batch_sizes, most_urgent

ROUNDS: Final = 8
MOST_PAGES: Final = 4000
KNOWN_WELL: Final = 3
FACTORS: Final = np.geomspace(0.1, 30, 40)


class Compared(NamedTuple):
    """Logarithms of the ratio of the shares and of the best factor; L1 as it is and with that factor."""

    told: float
    best: float
    l1: float
    l1_with_best: float


def host_ranks(domain: LocalDomain) -> FloatArray:
    """Return the PageRank of each host in the graph of all hosts."""
    sources, targets = domain.hosts[domain.graph.sources], domain.hosts[domain.graph.targets]
    is_between = sources != targets
    return pagerank(Graph.from_links(sources[is_between], targets[is_between], int(domain.hosts.max()) + 1))


def compared(domain: LocalDomain, seed: int) -> Compared | None:
    """Return what host ranks tell of a crawl; None if there is nothing to compare."""
    policy = make_policy("return-flow", seed)
    crawl = SimulatedCrawl(SimulatedWeb.drawn(domain, seed), policy)
    crawl.crawl_local()
    for batch in batch_sizes(crawl.crawled_count, ROUNDS):
        crawled, frontier = crawl.snapshot(), crawl.frontier()
        if len(frontier):
            for page in most_urgent(crawl, policy, crawled, frontier, batch).tolist():
                crawl.crawl(page)
    crawled = crawl.snapshot()
    ranks, truth = outside_model(crawled).ranks, truth_of(domain, crawl, crawled)
    held = ranks[crawled.local] / ranks[crawled.local].sum()
    l1 = distance(held, truth)
    hosts = domain.hosts[crawl.places_in_graph(np.arange(crawled.page_count, dtype=np.int32))]
    of_hosts, by_host = np.bincount(hosts, ranks), host_ranks(domain)
    own = np.unique(hosts[crawled.is_local])
    others = np.setdiff1d(np.flatnonzero(np.bincount(hosts) >= KNOWN_WELL), own)
    if l1 < LEAST_AT_FIRST or not len(others):
        return None
    estimated = ranks[crawled.is_local].sum() / (ranks[crawled.is_local].sum() + of_hosts[others].sum())
    ranked = by_host[own].sum() / (by_host[own].sum() + by_host[others].sum())
    alone = without_inflow(crawled) / ranks[crawled.local].sum()
    with_factor = [(alone + factor * (held - alone)) for factor in FACTORS]
    left = [distance(each / each.sum(), truth) for each in with_factor]
    best = int(np.argmin(left))
    return Compared(float(np.log(ranked / estimated)), float(np.log(FACTORS[best])), l1, left[best])


def main() -> None:
    """Run the crawls and print the correlations."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--seed", type=int, default=30)
    options = arguments.parse_args()
    everything = list[Compared]()
    for path in [each for graph in options.graphs for each in graph_paths(Path(graph))]:
        name, domains = domains_in(path)
        tried = [compared(domain, options.seed) for domain in domains if domain.page_count < MOST_PAGES]
        found = [one for one in tried if one is not None]
        everything += found
        if len(found) > 3:
            print(f"{name}: {len(found)} domains, correlation {_correlation(found):.2f}", flush=True)
    logs = np.log([[one.l1, one.l1_with_best] for one in everything]).mean(axis=0)
    print(f"all: {len(everything)} domains, correlation {_correlation(everything):.2f}")
    print(f"with the best factor {np.exp(logs[1] - logs[0]):.2f} of the error would be left")


def _correlation(found: list[Compared]) -> float:
    return float(np.corrcoef([one.told for one in found], [one.best for one in found])[0, 1])


if __name__ == "__main__":
    main()
