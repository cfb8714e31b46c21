"""Opens a graph that is in a link store or in a graph file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hinterland.analysis.measured_graph import MeasuredGraph, measured
from hinterland.analysis.stored_graph import UnusableGraph, load_stored_graph
from hinterland.crawler.features.outside.stored_crawl import crawled_graph
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.stored_crawl import stored_crawl

_SQLITE = b"SQLite format 3\0"


def is_store(path: Path) -> bool:
    """Return whether the file is an SQLite database."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def open_graph(path: Path, *, with_names: bool = True) -> MeasuredGraph:
    """Return the graph in a link store, an .npz file or a folder with a graph.npz; see `load_stored_graph`.

    The pages of a store keep their numbers. `with_names` loads URLs into memory, 100 bytes per page.

    Raises UnusableGraph for a file that holds no graph, and NoStore for a store that cannot be read.
    """
    if is_store(path):
        with reading(path) as store:
            return graph_of(store, with_names=with_names)
    try:
        return measured(load_stored_graph(path, with_frontier=True))
    except UnusableGraph as error:
        raise UnusableGraph(f"{error}, or a link store") from error


def graph_of(store: StoreReader, *, with_names: bool = True) -> MeasuredGraph:
    """Return the graph of a store as it is now. Pages that a running crawl finds later are left out."""
    stored = stored_crawl(store.connection)
    crawled, _ = crawled_graph(stored)
    return MeasuredGraph(
        store.path.stem,
        crawled,
        crawled.order[np.argsort(stored.visits[crawled.order], kind="stable")],
        store.pages.urls()[: crawled.page_count] if with_names else None,
        store.hosts.urls(),
        stored.is_dead,
        has_domain=True,
        is_redirect=stored.is_crawled & ~stored.is_fetched,
    )
