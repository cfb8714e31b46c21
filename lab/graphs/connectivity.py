"""One way to open the links of a web for questions about single pages."""

from __future__ import annotations

from pathlib import Path

from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.crawler.settings import Settings, from_json
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.lab.connectivity.server import Connectivity
from hinterland.lab.graphs.bv_folder import is_bv_folder, read_bv_folder
from hinterland.library.graph_opening import graph_of, is_store, open_graph
from hinterland.storage.reading.opening import reading


def open_connectivity(path: Path) -> tuple[Connectivity, Canonicaliser]:
    """From a link store, a graph or a folder of `export --format bvgraph`; and how URLs get the form they have there.

    Raises UnusableGraph, NoStore.
    """
    if is_bv_folder(path):
        return read_bv_folder(path), Canonicaliser.under(Settings().urls)
    if is_store(path):
        with reading(path) as store:
            graph = graph_of(store)
            settings = store.runs.last_settings()
        urls = Settings().urls if settings is None else from_json(settings).urls
        return Connectivity.of(graph.crawled.links, graph.names), Canonicaliser.under(urls)
    try:
        graph = open_graph(path)
    except UnusableGraph as error:
        raise UnusableGraph(f"{error}, or a folder of `export --format bvgraph`") from error
    return Connectivity.of(graph.crawled.links, graph.names), Canonicaliser.under(Settings().urls)
