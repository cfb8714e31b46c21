"""How long trawling takes, and in how much memory beside the graph. Linux only; needs no network.

    python -m benchmarks.trawling FILE [--min-hosts 3] [--closed]

FILE: a link store or a graph. All tables of cores C(i, j), i of 3 to 6 and j of 3 to 9; --closed: the closed cores of
what is left after generation, too. The memory is the largest resident size while it works, less that before; links: 4
bytes each.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from pathlib import Path

import numpy as np

from hinterland.analysis.graph import Graph, IntArray
from hinterland.lab.commands.communities import CENTRES, FANS
from hinterland.lab.trawling.cores import cores
from hinterland.lab.trawling.fan_links import fan_links
from hinterland.library.graph_opening import open_graph


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--min-hosts", type=int, default=3, metavar="N")
    parser.add_argument("--closed", action="store_true")
    arguments = parser.parse_args()
    graph = open_graph(arguments.file, with_names=False)
    links, hosts = graph.crawled.links, graph.crawled.hosts
    steps = {} if arguments.closed else {"most_steps": 0}
    _trawl(Graph.from_links([0, 1, 0, 1], [2, 3, 3, 2], 4), np.arange(4, dtype=np.int32), 1, {})  # compiled
    ctypes.CDLL(None).malloc_trim(0)  # what is free already would be taken first, and not be counted
    Path("/proc/self/clear_refs").write_text("5", "ascii")
    before, began = _resident("VmRSS"), time.process_time()
    found = _trawl(links, hosts, arguments.min_hosts, steps)
    seconds, more = time.process_time() - began, _resident("VmHWM") - before
    size = links.targets.nbytes / 1e6
    print(f"{graph.name}: {links.link_count:,} links, {size:.1f} MB; {seconds:.1f} s of CPU, {more:.1f} MB more")
    print(f"{sum(found):,} of {len(found)} tables complete")


def _trawl(links: Graph, hosts: IntArray, min_hosts: int, steps: dict[str, int]) -> list[bool]:
    """Whether each table is complete."""
    found = fan_links(links, hosts, min_hosts=min_hosts)
    return [cores(found.links, i, j, **steps).is_complete for i in FANS for j in CENTRES]


def _resident(field: str) -> float:
    """Megabytes (10^6 bytes) as the kernel counts them."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) * 1024 / 1e6


if __name__ == "__main__":
    main()
