"""A graph in WebGraph's format, opened by a program."""

from __future__ import annotations

from pathlib import Path

from hinterland.lab.connectivity.server import Connectivity
from hinterland.lab.graphs.bv_folder import read_bv_folder


def open_bvgraph(folder: str | Path) -> Connectivity:
    """The links of a folder that `hinterland export --format bvgraph` wrote, to be asked who links to whom: by its
    `page_count`, `link_count`, `node_of(url)`, `url_of(node)`, `outlinks(node)`, `inlinks(node)` and
    `neighbourhood(node, most)`. Raises UnusableGraph."""
    return read_bv_folder(Path(folder))
