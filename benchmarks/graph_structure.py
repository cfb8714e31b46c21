"""What the structure of a graph is worth: against others, against the truth, and against the clock.

    python -m benchmarks.graph_structure identical|distances|size [--graphs FOLDER]

identical: components, bow tie, cores and clustering of all stored graphs, beside igraph's and networkx's. distances:
HyperBall beside a search from every page, on all stored graphs of at most 10⁵ crawled pages. size: the whole report of
a synthetic crawl of a million pages with ten million links, in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import igraph
import networkx as nx
import numpy as np

from benchmarks.graphs import synthetic_log
from benchmarks.papers.paper import GRAPHS, table
from hinterland.analysis.graph import Graph
from hinterland.analysis.measured_graph import MeasuredGraph
from hinterland.lab.structure.components import Region, bow_tie, components
from hinterland.lab.structure.density import clustering, coreness, undirected
from hinterland.lab.structure.distances import exact_distances, hyperball
from hinterland.lab.structure.report import structure_report
from hinterland.lab.structure_page import report_file
from hinterland.library.graph_opening import open_graph

SMALL: Final = 100_000
PAGES: Final = 1_080_000
"""Pages of the synthetic graph; with each link counted once, it has ten million links."""


def stored(folder: Path) -> Iterator[tuple[str, Graph]]:
    """Name and graph of the crawled pages of each."""
    for path in sorted(each.parent for each in folder.glob("*/graph.npz")):
        yield path.name, open_graph(path, with_names=False).crawled.inner


def identical(folder: Path) -> None:
    """Compare components, cores and clustering with igraph's, and print the table."""
    rows = []
    for name, graph in stored(folder):
        links = list(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
        theirs = igraph.Graph(graph.page_count, links, directed=True)
        both = igraph.Graph(graph.page_count, links).simplify()
        strong, weak = components(graph, "strong"), components(graph, "weak")
        tie = bow_tie(graph, strong, weak)
        neighbours = undirected(graph)
        ours = clustering(neighbours)
        same = {
            "strong": _same(strong.numbers, theirs.connected_components("strong").membership),
            "weak": _same(weak.numbers, theirs.connected_components("weak").membership),
            "bow tie": _is_bow_tie(links, graph, tie.regions.tolist(), strong.largest.tolist()),
            "cores": coreness(neighbours).tolist() == both.coreness(),
            "clustering": bool(np.allclose(ours.local, both.transitivity_local_undirected(mode="zero"), atol=1e-12)),
            "transitivity": abs(ours.transitivity - both.transitivity_undirected()) < 1e-12,
        }
        counts = f"{graph.page_count:,}", f"{graph.link_count:,}"
        rows.append([name, *counts, *("same" if each else "DIFFERENT" for each in same.values())])
        print(name, same, flush=True)
    print(table(["graph", "pages", "links", "strong", "weak", "bow tie", "cores", "clustering", "transitivity"], rows))


def _same(ours: np.typing.NDArray[np.int32], theirs: list[int]) -> bool:
    """Whether two partitions are one, whatever their numbers."""
    pairs = set(zip(ours.tolist(), theirs, strict=True))
    return len(pairs) == len(set(ours.tolist())) == len(set(theirs))


def _is_bow_tie(links: list[tuple[int, int]], graph: Graph, regions: list[int], core: list[int]) -> bool:
    """Check the bow tie by its definition, with networkx's searches."""
    theirs: nx.DiGraph[int] = nx.DiGraph()
    theirs.add_nodes_from(range(graph.page_count))
    theirs.add_edges_from(links)
    ahead = nx.descendants(theirs, core[0]) | {core[0]}
    behind = nx.ancestors(theirs, core[0]) | {core[0]}
    within = nx.node_connected_component(theirs.to_undirected(as_view=True), core[0])
    leads_in, led_out = behind - ahead, ahead - behind
    found = {page: Region.TENDRIL if page in within else Region.DISCONNECTED for page in theirs}
    for page in _reached(theirs, leads_in) & _reached(theirs.reverse(copy=False), led_out):
        found[page] = Region.TUBE
    for pages, region in ((leads_in, Region.IN), (led_out, Region.OUT), (ahead & behind, Region.CORE)):
        found.update(dict.fromkeys(pages, region))
    return regions == [int(found[page]) for page in range(graph.page_count)]


def _reached(graph: Any, pages: set[int]) -> set[int]:
    return set().union(*nx.bfs_layers(graph, list(pages))) if pages else set()


def distances(folder: Path) -> None:
    """Compare HyperBall with exact distances, and print the table."""
    rows = []
    for name, graph in stored(folder):
        if graph.page_count > SMALL:
            continue
        exact, counted = timed(exact_distances, graph)
        found, estimated = timed(hyperball, graph, np.random.default_rng(1))
        true, ours = exact.figures.average.value, found.figures.average
        off = ours.value - true
        counts = f"{graph.page_count:,}", f"{graph.link_count:,}"
        rows.append([
            name, *counts, f"{true:.4f}", f"{ours.value:.4f} ± {ours.error:.4f}",
            f"{100 * off / true:+.2f} %", f"{abs(off) / ours.error:.2f}", f"{counted:.2f}", f"{estimated:.2f}",
        ])  # fmt: skip
    head = ["graph", "pages", "links", "exact", "HyperBall", "off by", "error bars", "exact, CPU s", "HyperBall, CPU s"]
    print(table(head, rows))


def timed(work: Callable[..., Any], *arguments: object) -> tuple[Any, float]:
    """Return a result, and the CPU seconds that it took."""
    started = time.process_time()
    found = work(*arguments)
    return found, time.process_time() - started


def size() -> None:
    """Measure the report on a large synthetic graph, step by step."""
    log = synthetic_log(PAGES, PAGES)
    crawled = log.snapshot(np.ones(PAGES, np.bool_), (np.arange(PAGES) // 20).astype(np.int32))
    hosts = [f"http://h{host}.test" for host in range(PAGES // 20)]
    graph = MeasuredGraph("synthetic", crawled, crawled.order, None, hosts)
    print(f"{PAGES:,} pages, {crawled.links.link_count:,} links; the graph: {_memory():.2f} GB", flush=True)
    small = synthetic_log(1_000, 1_000).snapshot(np.ones(1_000, np.bool_), np.zeros(1_000, np.int32))
    structure_report(replace(graph, crawled=small, visit_order=None))  # compiles
    hyperball(small.links, np.random.default_rng(1))
    started = last = _clocks()
    before = ""

    def told(step: str) -> None:
        nonlocal last, before
        now = _clocks()
        if before:
            print(f"{before:30} {now[0] - last[0]:7.1f} s, CPU {now[1] - last[1]:7.1f} s", flush=True)
        last, before = now, step

    report = structure_report(graph, told=told)
    told("the page")
    text = report_file(report, time.time())
    told("")
    distances_found = report.distances
    print(f"HyperBall: {distances_found.runs} runs, {distances_found.registers} registers a page")
    wall, cpu = (now - then for now, then in zip(_clocks(), started, strict=True))
    print(f"{wall:.0f} s, CPU {cpu:.0f} s, {_memory():.2f} GB at most, page of {len(text) / 1e3:.0f} KB")


def _clocks() -> tuple[float, float]:
    """Wall and CPU time, seconds."""
    return time.monotonic(), time.process_time()


def _memory() -> float:
    """Return the largest memory so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Run one of the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("identical", "distances", "size"))
    parser.add_argument("--graphs", type=Path, default=GRAPHS)
    arguments = parser.parse_args()
    match arguments.what:
        case "identical":
            identical(arguments.graphs)
        case "distances":
            distances(arguments.graphs)
        case _:
            size()


if __name__ == "__main__":
    main()
