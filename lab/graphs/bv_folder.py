"""A folder with the links of a web graph in WebGraph's BvGraph format, in both directions, and its URLs.

`graph.graph`, `graph.properties`, `graph.offsets` and `graph.ef` hold the links; files called `graph-t` hold the links
reversed. Line i (from 0) of `urls.txt.gz` is the URL of node i, if the graph has URLs.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Final

from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.lab.connectivity.bv_files import read_bvgraph, write_bvgraph
from hinterland.lab.connectivity.front_coding import FrontCoded
from hinterland.lab.connectivity.server import Connectivity, Hosts

_FORWARD: Final = "graph"
_BACKWARD: Final = "graph-t"
_URLS: Final = "urls.txt.gz"


def is_bv_folder(path: Path) -> bool:
    """Return whether the path is a folder with links in this format."""
    return (path / f"{_FORWARD}.properties").is_file()


def write_bv_folder(connectivity: Connectivity, folder: Path) -> None:
    """Write the links and URLs into an existing folder."""
    write_bvgraph(connectivity.forward, folder / _FORWARD)
    write_bvgraph(connectivity.backward, folder / _BACKWARD)
    if connectivity.urls is not None:
        # The same graph gives the same file, so neither the time nor a file name is written.
        with (folder / _URLS).open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            packed.writelines(f"{url}\n".encode("utf-8", "surrogatepass") for url in connectivity.urls)


def read_bv_folder(folder: Path) -> Connectivity:
    """Read the links and URLs of a folder. Raises UnusableGraph."""
    forward, backward = read_bvgraph(folder / _FORWARD), read_bvgraph(folder / _BACKWARD)
    if (forward.page_count, forward.link_count) != (backward.page_count, backward.link_count):
        raise UnusableGraph(f"{folder}: {_BACKWARD} is not {_FORWARD} reversed: they differ in pages or links")
    if not (folder / _URLS).exists():
        return Connectivity(forward, backward)
    try:
        with gzip.open(folder / _URLS, "rt", encoding="utf-8", errors="surrogatepass", newline="\n") as lines:
            urls = FrontCoded.of(line.removesuffix("\n") for line in lines)
    except (OSError, EOFError, ValueError) as error:
        raise UnusableGraph(f"{folder / _URLS} cannot be used: {error}") from error
    if len(urls) != forward.page_count:
        raise UnusableGraph(f"{folder / _URLS} has {len(urls)} lines for {forward.page_count} pages")
    return Connectivity(forward, backward, urls, Hosts.of(urls))


def open_bvgraph(folder: str | Path) -> Connectivity:
    """Open the links of a folder that `hinterland export --format bvgraph` wrote.

    The result answers questions about links: `page_count`, `link_count`, `node_of(url)`, `url_of(node)`,
    `outlinks(node)`, `inlinks(node)` and `neighbourhood(node, depth, inlinks=...)`. Raises UnusableGraph.
    """
    return read_bv_folder(Path(folder))
