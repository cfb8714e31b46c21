"""Opens the links of a web graph, for queries about single pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.crawler.settings import Settings, from_json
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.distribution.extras import need
from hinterland.lab.connectivity.server import Connectivity
from hinterland.lab.graphs.bv_folder import is_bv_folder, read_bv_folder
from hinterland.library.graph_opening import graph_of, is_store, open_graph
from hinterland.library.stored_connectivity import StoredConnectivity
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader


@contextmanager
def asked_connectivity(path: Path) -> Iterator[tuple[Connectivity | StoredConnectivity, Canonicaliser]]:
    """Open the links for a few queries. A store is queried directly instead of being read as a whole.

    Also yields the canonicaliser for URLs in queries. Raises UnusableGraph, NoStore, MissingPackage.
    """
    if not is_store(path):
        if path.exists():
            need("rank", by="a graph outside a store")
        yield open_connectivity(path)
        return
    with reading(path) as store:
        store.connection.execute("BEGIN")  # all answers come from one snapshot
        try:
            yield StoredConnectivity(store), _canonicaliser(store)
        finally:
            store.connection.execute("ROLLBACK")


def _canonicaliser(store: StoreReader) -> Canonicaliser:
    settings = store.runs.last_settings()
    return Canonicaliser.under(Settings().urls if settings is None else from_json(settings).urls)


def open_connectivity(path: Path) -> tuple[Connectivity, Canonicaliser]:
    """Load the links of a link store, a graph or a folder of `export --format bvgraph`.

    Also returns the canonicaliser for URLs in queries. Raises UnusableGraph, NoStore.
    """
    if is_bv_folder(path):
        return read_bv_folder(path), Canonicaliser.under(Settings().urls)
    if is_store(path):
        with reading(path) as store:
            graph, canonicaliser = graph_of(store), _canonicaliser(store)
        return Connectivity.of(graph.crawled.links, graph.names), canonicaliser
    try:
        graph = open_graph(path)
    except UnusableGraph as error:
        raise UnusableGraph(f"{error}, or a folder of `export --format bvgraph`") from error
    return Connectivity.of(graph.crawled.links, graph.names), Canonicaliser.under(Settings().urls)
