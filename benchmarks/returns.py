"""Measures how often the pages that a policy chooses lead back, and how well the ranks of these pages are known.

    python -m benchmarks.returns GRAPHS [--rounds 25] [--most 10] [--largest 800] [--seed 60]

Each policy crawls n pages outside the local domains of n pages that `choice` uses, with one draw. Printed are, as means
over the domains of a graph:

    back    the share of the pages crawled outside that link into the domain
    seen    the share of the rank that truly flows into the domain from outside which comes from crawled pages
    known   how much flows in from them by the outside model, relative to what the domain's pages have, over the same in
            truth (geometric mean)
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import exp, log, nan
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from benchmarks.choice import VARIANTS, VariedReturnFlow, domains_of
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.policies import make_policy
from hinterland.lab.commands.experiments.sources import graph_from, graph_paths
from hinterland.lab.experiments.simulation import SimulatedCrawl, SimulatedWeb, batch_sizes, most_urgent

POLICIES: Final[dict[str, Callable[[], FrontierPolicy]]] = {
    "bfs": partial(make_policy, "bfs", 0),
    "outlink-count": partial(make_policy, "outlink-count", 0),
    str(VARIANTS[0]): partial(VariedReturnFlow, VARIANTS[0]),
    "return-flow": partial(make_policy, "return-flow", 0),
}


class Returns(NamedTuple):
    """What a crawl found out about the pages that lead back; see the text above. `known` is NaN if it found none."""

    back: float
    seen: float
    known: float


def returns_of(web: SimulatedWeb, policy: FrontierPolicy, rounds: int) -> Returns:
    """Crawl the domain, n pages, and then n pages outside."""
    crawl = SimulatedCrawl(web, policy)
    crawl.crawl_local()
    for batch in batch_sizes(web.local_count, rounds):
        for page in most_urgent(crawl, policy, crawl.snapshot(), crawl.frontier(), batch).tolist():
            crawl.crawl(page)
    crawled = crawl.snapshot()
    shares = shares_into_domain(web)
    numbered = np.full(web.graph.page_count, -1, np.int32)
    numbered[web.names] = np.arange(web.graph.page_count, dtype=np.int32)
    places = numbered[crawl.places_in_graph(np.arange(crawled.page_count, dtype=np.int32))]
    outside = crawled.crawled[~crawled.is_local[crawled.crawled]]
    inflow = web.truth * shares
    seen = float(inflow[places[outside]].sum())
    ranks = outside_model(crawled).ranks
    by_model = float((ranks * shares[places])[outside].sum() / ranks[crawled.local].sum())
    in_truth = seen / float(web.truth[web.is_local].sum())
    known = by_model / in_truth if in_truth and by_model else nan
    return Returns(float((shares[places[outside]] > 0).mean()), seen / float(inflow.sum() or 1.0), known)


def shares_into_domain(web: SimulatedWeb) -> np.typing.NDArray[np.float64]:
    """Return which share of the links of each page outside leads into the domain, shape (N,); 0 for local pages."""
    count = web.graph.page_count
    into = np.bincount(web.graph.sources[web.is_local[web.graph.targets]], minlength=count)
    shares = into / np.maximum(np.bincount(web.graph.sources, minlength=count), 1)
    shares[web.is_local] = 0
    return shares


def told(found: Mapping[tuple[str, str], Sequence[Returns]]) -> Iterator[str]:
    """Yield a table as lines of Markdown."""
    graphs, policies = (list(dict.fromkeys(key[place] for key in found)) for place in (0, 1))
    yield f"| | order | {' | '.join(graphs)} |"
    yield f"| --- | --- |{' ---: |' * len(graphs)}"
    for place, name in enumerate(Returns._fields):
        for policy in policies:
            cells = [[each[place] for each in found[graph, policy] if each[place] == each[place]] for graph in graphs]
            mean = _geometric_mean if name == "known" else np.mean
            yield f"| {name} | {policy} | {' | '.join(f'{mean(cell):.2f}' for cell in cells)} |"


def _geometric_mean(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values)) if values else nan


def main() -> None:
    """Run the crawls and print the table."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("graphs", nargs="+")
    arguments.add_argument("--rounds", type=int, default=25)
    arguments.add_argument("--most", type=int, default=10)
    arguments.add_argument("--largest", type=int, default=800)
    arguments.add_argument("--seed", type=int, default=60)
    options = arguments.parse_args()
    found: dict[tuple[str, str], list[Returns]] = {}
    for path in [each for graph in options.graphs for each in graph_paths(Path(graph))]:
        stored = graph_from(path)
        for domain in domains_of(stored, options.most, options.largest):
            web = SimulatedWeb.drawn(domain, options.seed)
            for name, make in POLICIES.items():
                found.setdefault((stored.name, name), []).append(returns_of(web, make(), options.rounds))
    print("\n".join(told(found)))


if __name__ == "__main__":
    main()
