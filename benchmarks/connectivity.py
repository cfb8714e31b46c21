"""What the links of a web take in memory, and how quickly they are read. Needs no network.

    python -m benchmarks.connectivity FILE ... [--rounds 3] [--json FILE]

FILE: link stores and graphs. Pages are numbered by their URLs; a graph without URLs keeps its numbers. Of each
direction: bits a link of the records alone (what NAME.graph takes) and with all that finds them; nanoseconds of CPU a
link to write them, to read all in order, and to read pages drawn at random, many in a call and each in a call of its
own: the least of the rounds. Where the package `webgraph` is installed it reads what was written: every link must be
the same.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hinterland.analysis.graph import Graph, IntArray
from hinterland.lab.connectivity.bv_files import write_bvgraph
from hinterland.lab.connectivity.bv_graph import BvGraph
from hinterland.lab.connectivity.server import Connectivity
from hinterland.library.graph_opening import open_graph

_CALLS = 100_000
_TIMES = ("write", "in_order", "at_random", "a_call_each")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    results = [_measured(file, arguments.rounds) for file in arguments.files]
    for result in results:
        print(_told(result))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=2), "utf-8")


def _measured(file: Path, rounds: int) -> dict[str, Any]:
    opened = open_graph(file)
    server = Connectivity.of(opened.crawled.links, opened.names)
    links = server.link_count
    numbered = server.forward.graph()
    return {
        "graph": opened.name,
        "pages": server.page_count,
        "links": links,
        "bits_both_ways": 8 * server.link_bytes / links,
        "url_bytes_a_page": None if server.urls is None else server.urls.byte_count / server.page_count,
        "url_microseconds": _url_microseconds(server),
        "forward": _direction(numbered, server.forward, rounds),
        "backward": _direction(numbered.transposed, server.backward, rounds),
    }


def _direction(graph: Graph, packed: BvGraph, rounds: int) -> dict[str, Any]:
    links = graph.link_count
    order = np.random.default_rng(1).permutation(graph.page_count).astype(np.int32)
    some = order[:_CALLS]
    of_some = int(graph.outdegrees[some].sum())
    return {
        "bits": 8 * packed.word_bytes / links,
        "bits_in_memory": 8 * packed.byte_count / links,
        "write": _least(rounds, lambda: BvGraph.of(graph)) / links,
        "in_order": _least(rounds, packed.graph) / links,
        "at_random": _least(rounds, lambda: packed.rows_of(order)) / links,
        "a_call_each": _least(rounds, lambda: _one_by_one(packed, some)) / of_some,
        "webgraph": _theirs(graph, packed, some),
    }


def _one_by_one(packed: BvGraph, pages: IntArray) -> None:
    for page in pages.tolist():
        packed.successors(page)


def _theirs(graph: Graph, packed: BvGraph, some: IntArray) -> dict[str, Any] | None:
    """Whether every link is read as it was written, and nanoseconds a link at random."""
    try:
        import webgraph
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        write_bvgraph(packed, Path(folder) / "web")
        theirs = webgraph.BvGraph(f"{folder}/web")
        degrees, targets = [], list[int]()
        for page in range(graph.page_count):
            row = list(theirs.successors(page))
            degrees.append(len(row))
            targets += row
        is_same = degrees == graph.outdegrees.tolist() and targets == graph.targets.tolist()
        pages = some.tolist()
        nanoseconds = _least(1, lambda: [list(theirs.successors(page)) for page in pages])
    return {"is_same": is_same, "a_call_each": nanoseconds / int(graph.outdegrees[some].sum())}


def _url_microseconds(server: Connectivity) -> float | None:
    """From URL to number and back, of pages at random."""
    if server.urls is None:
        return None
    urls = server.urls
    places = np.random.default_rng(1).integers(0, server.page_count, 2000).tolist()
    return _least(1, lambda: [urls.place_of(urls[place]) for place in places]) / 1000 / len(places)


def _least(rounds: int, work: Callable[[], object]) -> float:
    """Nanoseconds of CPU; compiled beforehand."""
    work()
    seconds = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds) * 1e9


def _told(result: dict[str, Any]) -> str:
    lines = [f"{result['graph']}: {result['pages']:,} pages, {result['links']:,} links;"]
    lines[0] += f" {result['bits_both_ways']:.2f} bits a link both ways in memory"
    if result["url_bytes_a_page"] is not None:
        lines[0] += f"; URLs {result['url_bytes_a_page']:.1f} bytes a page, {result['url_microseconds']:.0f} µs"
    for name in ("forward", "backward"):
        each = result[name]
        times = (f"{key.replace('_', ' ')} {each[key]:.0f}" for key in _TIMES)
        theirs = each["webgraph"]
        told = ""
        if theirs is not None:
            told = f"; webgraph: same {theirs['is_same']}, a call each {theirs['a_call_each']:.0f}"
        bits = f"{each['bits']:.2f} bits a link, {each['bits_in_memory']:.2f} in memory"
        lines.append(f"  {name:<9} {bits}; ns a link: {', '.join(times)}{told}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
