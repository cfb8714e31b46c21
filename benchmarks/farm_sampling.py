"""Live walks over all hosts of the webfarm, beside the farm's own truth: is a sample of the served web uniform?

    python -m benchmarks.farm_sampling small [--walks K] [--steps N] [--burn-in N] [--method NAME ...]

Serves the set (see benchmarks/README.md), crawls it whole for its links, and walks over it through the polite fetcher,
without rests, from entry pages drawn by lot: with an empty store each, and with one that a crawl has half filled. The
pages that a sample is to be uniform over are those of the farm's truth, made from its files, that the walk can come to:
over links forward, and over those backward that the store knows or the walk has come upon. Its buckets are hosts, links
both ways, and the order of the crawl. p is that of χ² with the effective size of the sample, which is what it is worth;
distance is the total variation distance over hosts, and noise that of as many uniform draws.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np

from benchmarks.farm import SETS, Farm, add_farm_options, farm_of
from benchmarks.reachability import default_canonicaliser
from benchmarks.truth import Truth
from hinterland.analysis.graph import BoolArray, FloatArray, Graph, IntArray
from hinterland.crawler.features.live_walk.live_walk import LiveSample, WalkRequest
from hinterland.lab.structure.components import components
from hinterland.lab.structure.density import undirected
from hinterland.lab.walks.diagnostics import Bucket, by_age, by_degree, chi_square, effective_size
from hinterland.lab.walks.mixing import eigenvalues
from hinterland.lab.walks.sampling import METHODS, Plan
from hinterland.lab.walks.walk import WalkRule
from hinterland.library.graph_opening import open_graph
from tests.support.crawling import crawl, rows

_DRAWS: Final = 200
_LARGE: Final = 10
"""Hosts, the largest, of which each says how many independent pages a sample is worth: the least counts."""


@dataclass(frozen=True, eq=False)
class Web:
    """The crawled pages of the farm, redirects among them. numbers: by URL; links: among them; is_page: whether the
    farm's truth has it; hosts, degrees, ages: shape (n,)."""

    urls: list[str]
    numbers: Mapping[str, int]
    links: Graph
    is_page: BoolArray
    hosts: IntArray
    degrees: IntArray
    ages: IntArray

    def within_reach(self, start: int, known: IntArray, rule: WalkRule) -> IntArray:
        """The pages of the truth that a walk can come to if it knows the links of those pages beforehand."""
        sources, targets = self.links.sources, self.links.targets
        if rule.both_ways:
            is_known = np.zeros(len(self.urls), np.bool_)
            is_known[known] = True
            back = is_known[sources]
            ends = np.append(sources, targets[back]), np.append(targets, sources[back])
        else:
            ends = sources, targets
        starts = [start, *known.tolist()] if rule.jumps_to_all else [start]
        reached = Graph.from_links(*ends, len(self.urls)).reachable_from(starts)
        return reached[self.is_page[reached]]


@dataclass(frozen=True, eq=False)
class Walked:
    """sample: pages by their numbers, -1 for what was not crawled; population: what it is to be uniform over."""

    live: LiveSample
    sample: IntArray
    population: IntArray
    fetched: int
    seconds: float
    cpu_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--walks", type=int, default=3, metavar="K")
    parser.add_argument("--burn-in", type=int, default=100_000, metavar="N")
    parser.add_argument("--steps", type=int, default=2_000_000, metavar="N")
    parser.add_argument("--estimate-steps", type=int, default=10_000_000, metavar="N")
    parser.add_argument("--method", nargs="+", choices=list(METHODS), default=["undirected"], metavar="NAME")
    add_farm_options(parser)
    arguments = parser.parse_args()
    farm = farm_of(arguments)
    with farm.serving(arguments.set), tempfile.TemporaryDirectory(prefix="farm-sampling-") as folder:
        for line in asyncio.run(_measured(farm, arguments, Path(folder))):
            print(line)


async def _measured(farm: Farm, arguments: argparse.Namespace, folder: Path) -> list[str]:
    whole, half = folder / "whole.db", folder / "half.db"
    truth = Truth(farm, arguments.set, default_canonicaliser().canonical)
    await _crawled(farm, arguments.set, whole, None)
    await _crawled(farm, arguments.set, half, len(truth.pages) // 2)
    web, lines = _web(truth, whole)
    plan = Plan(arguments.burn_in, arguments.steps, arguments.estimate_steps)
    for method in arguments.method:
        for filled in (None, half):
            walks = []
            for seed in range(arguments.walks):
                store = folder / f"{method}-{filled is None}-{seed}.db"
                if filled is not None:
                    shutil.copyfile(filled, store)
                known = [] if filled is None else _fetched(web, store)
                walks.append(await _walk(farm, arguments.set, web, method, plan, seed, store, known))
            lines += _told(f"{method}, {'half filled' if filled else 'empty store'}", web, walks)
    return lines


async def _crawled(farm: Farm, name: str, store: Path, max_pages: int | None) -> None:
    await crawl({}, farm.seeds(name), store, max_pages=max_pages, in_processes=True, **_settings(farm, name))


def _settings(farm: Farm, name: str) -> dict[str, Any]:
    hosts = {url.split("/")[2] for url in farm.seeds(name)}
    return {"scope": {"kind": "hosts", "hosts": (*hosts, *farm.aliases(name))}, "traps": {"enabled": False}}


def _web(truth: Truth, store: Path) -> tuple[Web, list[str]]:
    """From a crawl of it all: which pages hang together, and what is said of that."""
    graph = open_graph(store)
    assert graph.names is not None
    assert graph.visit_order is not None
    pages, links = graph.crawled.crawled, graph.crawled.inner
    urls = [graph.names[page] for page in pages.tolist()]
    ages = np.zeros(graph.crawled.page_count, np.int32)
    ages[graph.visit_order] = np.arange(len(graph.visit_order))
    both_ways, together = undirected(links), components(links, "weak").largest
    found = Web(
        urls,
        {url: number for number, url in enumerate(urls)},
        links,
        np.array([url in truth.pages for url in urls]),
        graph.crawled.hosts[pages],
        both_ways.outdegrees,
        ages[pages],
    )
    second = eigenvalues(both_ways.among(together)).second
    told = (
        f"truth: {len(truth.pages):,} pages; crawled: {int(found.is_page.sum()):,} of them; hanging together:"
        f" {int(found.is_page[together].sum()):,}; second eigenvalue {second:.6f}"
    )
    return found, [told]


async def _walk(
    farm: Farm, name: str, web: Web, method: str, plan: Plan, seed: int, store: Path, known: list[int]
) -> Walked:
    """known: the pages whose links the store has."""
    starts = sorted(web.numbers[url] for url in farm.seeds(name) if url in web.numbers)
    start = starts[int(np.random.default_rng(seed).integers(len(starts)))]
    population = web.within_reach(start, np.array(known, np.int32), METHODS[method].rule)
    delivered: list[LiveSample] = []
    request = WalkRequest(METHODS[method], plan, seed, web.urls[start], delivered.append)
    began, cpu = perf_counter(), process_time()
    await crawl({}, [web.urls[start]], store, walk=request, **_settings(farm, name))
    seconds, live = (perf_counter() - began, process_time() - cpu), delivered[0]
    urls = dict(rows(store, "SELECT id, url FROM page"))
    sample = [web.numbers.get(urls[page], -1) for page in live.pages[live.sample.pages].tolist()]
    return Walked(live, np.array(sample, np.int32), population, len(_fetched(web, store)), *seconds)


def _fetched(web: Web, store: Path) -> list[int]:
    """The pages of a store whose links are known."""
    urls = rows(store, "SELECT url FROM page WHERE state IN ('fetched', 'redirected')")
    return [web.numbers[url] for (url,) in urls if url in web.numbers]


def _told(title: str, web: Web, walks: list[Walked]) -> Iterator[str]:
    yield f"\n{title}:"
    head = ["walk", "within reach", "pages in the store", "visits accepted", "worth", "not in the truth"]
    head += ["tried again", "lost", "p: hosts", "links", "age", "distance", "noise", "s", "CPU s"]
    yield f"| {' | '.join(head)} |\n| --- |{' ---: |' * (len(head) - 1)}"
    sampled, true = np.zeros(32), np.zeros(32)
    for number, walk in enumerate(walks, 1):
        is_true = np.isin(walk.sample, walk.population)
        worth, *figures = _figures(web, walk.sample[is_true], walk.population)
        counts = len(walk.population), walk.fetched, len(walk.sample), worth, int((~is_true).sum())
        cells = [*(f"{each:,.0f}" for each in (*counts, walk.live.retried, walk.live.lost))]
        cells += [*(f"{each:.3f}" for each in figures), f"{walk.seconds:.0f}", f"{walk.cpu_seconds:.0f}"]
        yield f"| {' | '.join([str(number), *cells])} |"
        for each in by_degree(web.degrees, walk.sample[is_true], walk.population):
            sampled[each.low.bit_length()] += each.sampled
            true[each.low.bit_length()] += each.true
    shown = [size for size in range(32) if true[size]]
    ratios = (f"from {1 << size >> 1:,} links {sampled[size] / true[size]:.3f}" for size in shown)
    yield f"ratio of the shares, all walks together: {', '.join(ratios)}"


def _figures(web: Web, sample: IntArray, population: IntArray) -> list[float]:
    """What the sample is worth, p by hosts, links and age, distance over the hosts and its noise."""
    shares = np.bincount(web.hosts[population]) / len(population)
    drawn = np.bincount(web.hosts[sample], minlength=len(shares)) / max(len(sample), 1)
    largest_first = [host for host in np.argsort(-shares, kind="stable").tolist() if shares[host]]
    hosts = [Bucket(host, host, float(drawn[host]), float(shares[host])) for host in largest_first]
    large = [web.hosts[sample] == host for host in largest_first[:_LARGE]]
    worth = min(effective_size(here.astype(np.float64)) for here in large)
    tests = (
        (hosts, worth),
        (by_degree(web.degrees, sample, population), effective_size(np.log1p(web.degrees[sample]))),
        (by_age(web.ages, sample, population), effective_size(web.ages[sample].astype(np.float64))),
    )
    draws = np.random.default_rng(1).multinomial(round(worth), shares, _DRAWS) / round(worth)
    noise = float(np.mean([_distance(draw, shares) for draw in draws]))
    return [worth, *(chi_square(*test).p_value for test in tests), _distance(drawn, shares), noise]


def _distance(one: FloatArray, other: FloatArray) -> float:
    return float(np.abs(one - other).sum() / 2)


if __name__ == "__main__":
    main()
