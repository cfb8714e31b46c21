"""The export format `bvgraph`: the links of a store or a graph, for WebGraph's tools and `links`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from hinterland.distribution.extras import need
from hinterland.storage.exports.format import GraphFormat, Written

_NAMES: Final = r"graph(-t)?\.(graph|properties|offsets|ef)|urls\.txt\.gz"
"""A pattern that every file of such a folder matches."""


def _write(path: Path, folder: Path) -> tuple[Written, Sequence[str]]:
    from hinterland.lab.graphs.bv_folder import write_bv_folder  # imports numpy, which would slow down --help
    from hinterland.lab.graphs.connectivity import open_connectivity

    connectivity, _ = open_connectivity(path)
    write_bv_folder(connectivity, folder)
    links = connectivity.link_count
    bits = [8 * graph.word_bytes / max(links, 1) for graph in (connectivity.forward, connectivity.backward)]
    return Written(links, "links", {}), [f"{bits[0]:.2f} bits a link, and {bits[1]:.2f} for the reversed links"]


BVGRAPH: Final = GraphFormat(".bvgraph", _write, _NAMES, needs=partial(need, "rank", by="--format bvgraph"))
