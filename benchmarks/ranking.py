"""What a refresh of each policy costs, and PageRank compared with other implementations. Needs no network.

    python -m benchmarks.ranking [--sizes 10000,100000,1000000] [--repeats 3] [--policies return-flow] [--json FILE]

Crawls are synthetic (`graphs.py`): as many crawled pages as the size says, two frontier pages for each, about ten links
a crawled page. Refreshes and passes are measured in CPU time of their thread, the iterations of others in wall time;
the best of the repeats counts, with contestants taking turns.

For comparison there is a plain pass over the links, which reads a number of the source of each: this work is linear by
construction, and also slower per link once the numbers outgrow the caches.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import igraph
import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sknetwork.ranking import PageRank

from benchmarks.graphs import snapshot_of, synthetic_log
from hinterland.analysis.compiled import compiled
from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimate_error import PastEstimate
from hinterland.analysis.estimates.estimation import Estimation
from hinterland.analysis.graph import Graph, IntArray, OffsetArray
from hinterland.analysis.pagerank import DAMPING, pagerank, swept
from hinterland.crawler.assembly.warm_up import warm_up_estimates
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.policies import POLICIES, make_policy
from hinterland.crawler.policies.warm_up import warm_up

FloatArray = NDArray[np.float64]
_KNOWN_PER_CRAWLED = 3
_TELLING = 14
"""Refreshes since half of the pages outside were crawled, each with 5 % more than the one before."""
_ROUND = "with estimates"
"""What a round in the hinterland costs, beside the policies."""
_ERROR = 1e-6
"""L1 error at which the times of the iterations are compared."""
_TIGHT = 1e-9
"""Our bound where igraph is compared, which goes on until its own, fixed tolerance is reached."""
_FEW, _MORE = 3, 10
"""Numbers of iterations that are timed."""


def timed(work: Callable[[], Any]) -> float:
    """Return the wall time of some work, in seconds."""
    started = perf_counter()
    work()
    return perf_counter() - started


def cpu_seconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of some work in this thread, in seconds."""
    started = thread_time()
    work()
    return thread_time() - started


# --- refreshes ----------------------------------------------------------------------------------


class Load:
    """A crawl whose every page that was not crawled waits."""

    def __init__(self, crawled_pages: int) -> None:
        """Build a crawl of this many pages."""
        self._known = _KNOWN_PER_CRAWLED * crawled_pages
        self._log = synthetic_log(crawled_pages, self._known)
        self._waiting = np.flatnonzero(~self.crawled().is_crawled).astype(np.int32)

    def crawled(self) -> CrawledGraph:
        """Return a snapshot for which nothing is built yet."""
        return snapshot_of(self._log, self._known)

    def refresh_seconds(self, name: str, repeats: int) -> dict[str, float]:
        """Measure the first refresh, and a second one that starts from its result with nothing changed."""

        def begin() -> Callable[[CrawledGraph], object]:
            return partial(self._refresh, self._policy(name))

        return self._seconds(begin, repeats)

    def round_seconds(self, repeats: int) -> dict[str, float]:
        """Measure a round of the hinterland.

        It computes both estimates, their predicted errors, and the order of `return-flow`, which shares the model of
        the first.
        """
        local, outside = self.crawled().local, len(self.crawled().order) - len(self.crawled().local)

        def begin() -> Callable[[CrawledGraph], object]:
            policy, estimation = self._policy("return-flow"), Estimation(past=earlier_estimates(local, outside))

            def work(crawled: CrawledGraph) -> None:
                estimation.estimate(crawled, outside)
                self._refresh(policy, crawled)

            return work

        return self._seconds(begin, repeats)

    def _seconds(self, begin: Callable[[], Callable[[CrawledGraph], object]], repeats: int) -> dict[str, float]:
        times: dict[str, list[float]] = {"first": [], "warm": []}
        for _ in range(repeats):
            work = begin()
            for kind_times in times.values():
                kind_times.append(cpu_seconds(partial(work, self.crawled())))
        return {kind: min(each) for kind, each in times.items()}

    def _policy(self, name: str) -> FrontierPolicy:
        policy = make_policy(name, 0)
        policy.discovered(np.arange(self._known, dtype=np.int32), np.zeros(self._known, np.int32))
        return policy

    def _refresh(self, policy: FrontierPolicy, crawled: CrawledGraph) -> FloatArray:
        return policy.begin_refresh(crawled, self._waiting, 1000)()

    def pass_seconds(self, repeats: int) -> float:
        """One plain pass over the links of all known pages."""
        inlinks = self.crawled().links.transposed
        values = np.ones(self._known)
        _sums_over_links(inlinks.offsets, inlinks.targets, values)  # compiles
        one = partial(_sums_over_links, inlinks.offsets, inlinks.targets, values)
        return min(cpu_seconds(one) for _ in range(repeats))


def earlier_estimates(local: IntArray, outside: int) -> list[PastEstimate]:
    """Return random earlier estimates, as many as an error is ever predicted from."""
    rng = np.random.default_rng(4)
    past = []
    for pages in np.geomspace(outside / 2, outside, _TELLING + 1)[:-1].astype(int).tolist():
        ranks = rng.random(len(local))
        past.append(PastEstimate(pages, local, ranks / ranks.sum()))
    return past


@compiled
def _sums_over_links(offsets: OffsetArray, targets: IntArray, values: FloatArray) -> FloatArray:
    sums = np.empty(len(values))
    for page in range(len(values)):
        total = 0.0
        for link in range(offsets[page], offsets[page + 1]):
            total += values[targets[link]]
        sums[page] = total
    return sums


# --- PageRank -----------------------------------------------------------------------------------


class Contest:
    """PageRank of one graph by several programs, each of which has the graph in its own form already."""

    def __init__(self, graph: Graph) -> None:
        """Build the graph for all contestants."""
        self.graph, self.n = graph, graph.page_count
        self.truth = pagerank(graph, tolerance=1e-12)
        weights = 1.0 / np.maximum(graph.outdegrees, 1)[graph.sources]
        shape = (self.n, self.n)
        self._matrix = scipy.sparse.csr_matrix((weights, (graph.targets, graph.sources)), shape=shape)
        ones = np.ones(graph.link_count)
        self._adjacency = scipy.sparse.csr_matrix((ones, (graph.sources, graph.targets)), shape=shape)
        self._igraph = igraph.Graph(self.n, np.column_stack([graph.sources, graph.targets]), directed=True)

    @cached_property
    def iterative(self) -> dict[str, Callable[[int], FloatArray]]:
        """Name -> function that returns the ranks after a number of iterations from the uniform distribution."""
        return {"ours": self._ours, "scipy": self._scipy, "scikit-network": self._scikit_network}

    def error(self, ranks: FloatArray) -> float:
        """Return the L1 distance from the true ranks."""
        return float(np.abs(ranks - self.truth).sum())

    def igraph(self) -> FloatArray:
        """Return the ranks by igraph."""
        return np.array(self._igraph.pagerank(damping=DAMPING))

    def iterations(self, name: str) -> int:
        """Return the fewest iterations after which the error is at most _ERROR; 0 if 32 do not reach it."""
        run, low, high = self.iterative[name], 0, 1
        while self.error(run(high)) > _ERROR:
            low, high = high, 2 * high
            if low == 32:
                return 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.error(run(middle)) <= _ERROR else (middle, high)
        return high

    def _ours(self, iterations: int) -> FloatArray:
        n = self.n
        x, v = np.full(n, 1 / n), np.array([1 / n])
        swept(self.graph, x, v, DAMPING, 0.0, iterations)
        return x

    def _scipy(self, iterations: int) -> FloatArray:
        x = np.full(self.n, 1 / self.n)
        is_dangling = self.graph.outdegrees == 0
        for _ in range(iterations):
            x = DAMPING * (self._matrix @ x) + (DAMPING * x[is_dangling].sum() + 1 - DAMPING) / self.n
        return x

    def _scikit_network(self, iterations: int) -> FloatArray:
        ranker = PageRank(damping_factor=DAMPING, solver="piteration", n_iter=iterations, tol=0)
        return np.asarray(ranker.fit_predict(self._adjacency), np.float64)


def contest_figures(graph: Graph, repeats: int) -> dict[str, Any]:
    """Measure all contestants on a graph."""
    contest = Contest(graph)
    iterations = {name: contest.iterations(name) for name in contest.iterative}
    works: dict[tuple[str, str], Callable[[], Any]] = {
        ("ours", "tight"): lambda: pagerank(graph, tolerance=_TIGHT),
        ("igraph", "tight"): contest.igraph,
    }
    for name, run in contest.iterative.items():
        # Two numbers of iterations: the difference is free of what is done once a call.
        works[name, "few"] = partial(run, _FEW)
        works[name, "many"] = partial(run, _FEW + _MORE)
        if iterations[name]:
            works[name, "whole"] = partial(run, iterations[name])
    times: dict[tuple[str, str], list[float]] = {key: [] for key in works}
    for _ in range(repeats):
        for key, work in works.items():
            times[key].append(timed(work))
    best = {key: min(each) for key, each in times.items()}
    return {
        "pages": graph.page_count,
        "links": graph.link_count,
        "per_iteration": {name: (best[name, "many"] - best[name, "few"]) / _MORE for name in contest.iterative},
        "iterations": iterations,
        "whole": {name: best[name, "whole"] for name in contest.iterative if iterations[name]},
        "tight": {name: best[name, "tight"] for name in ("ours", "igraph")},
        "tight_error": {
            "ours": contest.error(pagerank(graph, tolerance=_TIGHT)),
            "igraph": contest.error(contest.igraph()),
        },
    }


# --- memory -------------------------------------------------------------------------------------


def memory_figures(size: int) -> dict[str, float]:
    """Return the bytes per link of the log and the graphs."""
    log = synthetic_log(size, _KNOWN_PER_CRAWLED * size)
    crawled = snapshot_of(log, _KNOWN_PER_CRAWLED * size)
    links = log.link_count
    graphs = (crawled.links, crawled.links.transposed)
    return {
        "log": log.memory_bytes() / links,
        "log_used": (4 * links + 12 * log.page_count) / links,
        "graph": sum(graph.offsets.nbytes + graph.targets.nbytes for graph in graphs) / links,
    }


# --- the report ---------------------------------------------------------------------------------


def report(figures: dict[str, Any]) -> str:
    """Return the tables."""
    sizes = list(figures["refresh"])
    lines = [
        "refresh, ms of CPU: first, then from the last result",
        f"  {'':<16}" + "".join(f"{s:>12,}" for s in map(int, sizes)),
    ]
    for name in figures["refresh"][sizes[0]]:
        for kind in ("first", "warm"):
            cells = [figures["refresh"][size][name][kind] for size in sizes]
            growth = "  x ".join(f"{b / a:.1f}" for a, b in pairwise(cells))
            label = name if kind == "first" else ""
            lines.append(f"  {label:<16}" + "".join(f"{1e3 * cell:>12,.1f}" for cell in cells) + f"   x {growth}")
    passes = figures["pass"]
    growth = "  x ".join(f"{b / a:.1f}" for a, b in pairwise(passes.values()))
    lines.append("  a plain pass    " + "".join(f"{1e3 * each:>12,.2f}" for each in passes.values()) + f"   x {growth}")
    lines += ["", "in plain passes over the links: first refresh / from the last result"]
    for name in figures["refresh"][sizes[0]]:
        cells = [
            " / ".join(f"{figures['refresh'][size][name][kind] / passes[size]:.1f}" for kind in ("first", "warm"))
            for size in sizes
        ]
        lines.append(f"  {name:<16}" + "".join(f"{cell:>16}" for cell in cells))
    lines.append("")
    for size, contest in figures["pagerank"].items():
        ours = contest["per_iteration"]["ours"]
        lines.append(
            f"PageRank of {contest['pages']:,} known pages ({int(size):,} crawled) and {contest['links']:,} links"
        )
        for name, each in contest["per_iteration"].items():
            whole = contest["whole"].get(name)
            told = f"{contest['iterations'][name]} iterations, {1e3 * whole:,.1f} ms" if whole else "not reached"
            lines.append(
                f"  {name:<16}{1e3 * each:>10,.2f} ms an iteration, x {each / ours:.2f}   to an error of 1e-6: {told}"
            )
        for name, seconds in contest["tight"].items():
            lines.append(f"  {name:<16}{1e3 * seconds:>10,.1f} ms in all, error {contest['tight_error'][name]:.1e}")
    memory = figures["memory"]
    logged = f"log {memory['log_used']:.1f} (with room to grow {memory['log']:.1f})"
    lines += ["", f"memory, bytes a link: {logged}, graph both ways {memory['graph']:.1f}"]
    return "\n".join(lines)


def main() -> None:
    """Measure everything and print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--sizes", default="10000,100000,1000000", help="numbers of crawled pages")
    arguments.add_argument("--repeats", type=int, default=3)
    refreshing = [name for name in POLICIES if make_policy(name, 0).needs_refresh]
    arguments.add_argument("--policies", help="these alone, and no PageRank of others")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    names = options.policies.split(",") if options.policies else refreshing
    for name in names:
        warm_up(name)
    warm_up_estimates("")
    figures: dict[str, Any] = {"refresh": {}, "pass": {}, "pagerank": {}, "memory": memory_figures(max(sizes))}
    for size in sizes:
        load = Load(size)
        a_pass = load.pass_seconds(10 * options.repeats)
        refreshes = {name: load.refresh_seconds(name, options.repeats) for name in names}
        refreshes[_ROUND] = load.round_seconds(options.repeats)
        figures["refresh"][str(size)] = refreshes
        figures["pass"][str(size)] = min(a_pass, load.pass_seconds(10 * options.repeats))
        if not options.policies:
            figures["pagerank"][str(size)] = contest_figures(load.crawled().links, options.repeats)
    print(report(figures))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
