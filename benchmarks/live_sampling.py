"""Samples by walks over a served web, beside the truth: what they cost, and whether they are uniform.

    python -m benchmarks.live_sampling [--pages N] [--walks K]
    python -m benchmarks.live_sampling --store FILE --start URL [--walks K]

The web is drawn by the model of Pennock et al. (6 links a page, γ = 0.58), the largest strong component of N pages on
ten hosts, served on loopback. Or it is a host of the webfarm, which has to be served, and FILE a crawl of it from end
to end, which is the truth. Each walk begins with an empty store, without rests. Ratios are the share of a part of the
pages in all samples over their true share; a page's links are counted both ways.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hinterland.analysis.graph import Graph, IntArray
from hinterland.crawler.features.live_walk.live_walk import LiveSample, WalkRequest
from hinterland.lab.models.pennock import PennockModel
from hinterland.lab.structure.components import components
from hinterland.lab.structure.density import undirected
from hinterland.lab.walks.sampling import METHODS, Plan
from hinterland.library.graph_opening import open_graph
from tests.support.crawling import crawl, rows
from tests.support.web import LoopbackWeb, graph_page, web_from_graph

_HOSTS = 10


@dataclass(frozen=True, eq=False)
class Truth:
    """The pages that a walk can come to: their links, and their numbers by URL."""

    graph: Graph
    numbers: Mapping[str, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--walks", type=int, default=5)
    parser.add_argument("--steps", type=int, nargs="+", default=[1000, 5000, 25_000])
    parser.add_argument("--store", type=Path)
    parser.add_argument("--start")
    arguments = parser.parse_args()
    asyncio.run(_measured(arguments))


async def _measured(arguments: argparse.Namespace) -> None:
    if arguments.store is not None:
        graph = open_graph(arguments.store)
        assert graph.names is not None
        pages = graph.crawled.crawled.tolist()
        truth = Truth(graph.crawled.inner, {graph.names[page]: number for number, page in enumerate(pages)})
        await _table(truth, {}, [arguments.start], arguments)
        return
    whole = PennockModel(6, 0.58).draw(arguments.pages, 1).graph
    drawn = whole.among(components(whole, "strong").largest)
    per_host = -(-drawn.page_count // _HOSTS)
    web = web_from_graph(drawn.sources, drawn.targets, drawn.page_count, per_host, LoopbackWeb())
    async with web:
        urls = [web.url(*graph_page(page, per_host)) for page in range(drawn.page_count)]
        await _table(Truth(drawn, {url: page for page, url in enumerate(urls)}), web.addresses, urls, arguments)


async def _table(
    truth: Truth, addresses: Mapping[str, str], starts: Sequence[str], arguments: argparse.Namespace
) -> None:
    """starts: pages to begin at, one of which is drawn for each walk."""
    degrees = undirected(truth.graph).outdegrees
    low, high = np.quantile(degrees, (1 / 3, 0.9))
    parts = {
        f"up to {low:.0f} links": degrees <= low,
        f"up to {high:.0f}": (degrees > low) & (degrees <= high),
        "more": degrees > high,
    }
    print(f"{truth.graph.page_count:,} pages, {truth.graph.link_count:,} links")
    head = ["method", "steps", "pages visited a walk", "visits accepted a walk", *parts]
    print(f"| {' | '.join(head)} |\n| --- |{' ---: |' * (len(head) - 1)}")
    for steps in arguments.steps:
        for method in METHODS:
            visited, samples = [], []
            for seed in range(arguments.walks):
                start = starts[int(np.random.default_rng(seed).integers(len(starts)))]
                count, pages = await _walked(truth, addresses, start, method, Plan(200, steps, 4 * steps), seed)
                visited.append(count)
                samples.append(pages)
            sample = np.concatenate(samples)
            ratios = [chosen[sample].mean() / chosen.mean() for chosen in parts.values()]
            accepted = len(sample) / arguments.walks
            cells = [method, f"{steps:,}", f"{np.mean(visited):,.0f}", f"{accepted:,.0f}"]
            print(f"| {' | '.join([*cells, *(f'{ratio:.2f}' for ratio in ratios)])} |", flush=True)


async def _walked(
    truth: Truth, addresses: Mapping[str, str], start: str, method: str, plan: Plan, seed: int
) -> tuple[int, IntArray]:
    """How many pages were visited, and the sample, as the truth numbers its pages."""
    delivered: list[LiveSample] = []
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "walk.db"
        chosen = METHODS[method]
        if chosen.rule.degree_bound:
            bound = int(undirected(truth.graph).outdegrees.max()) + 1
            chosen = replace(chosen, rule=replace(chosen.rule, degree_bound=bound))
        request = WalkRequest(chosen, plan, seed, start, delivered.append)
        await crawl(addresses, [start], store, walk=request, scope={"kind": "web" if addresses else "hosts"})
        urls = dict(rows(store, "SELECT id, url FROM page"))
        visits = rows(store, "SELECT count(*) FROM fetch")[0][0]
    live = delivered[0]
    found = [truth.numbers.get(urls[page], -1) for page in live.pages[live.sample.pages].tolist()]
    return visits, np.array([number for number in found if number >= 0], np.int32)


if __name__ == "__main__":
    main()
