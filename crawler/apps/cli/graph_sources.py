"""Stored graphs from where they are: .npz files, folders that hold one, link stores."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from analysis.graph import Graph
from analysis.stored_graph import StoredGraph, UnusableGraph, load_stored_graph
from crawler.apps.cli.exit_codes import CommandError
from storage.reports import reading

_SQLITE = b"SQLite format 3\0"


def graph_from(path: Path) -> StoredGraph:
    """Raises CommandError for a file that holds no graph, NoStore for a store that cannot be read."""
    if path.is_file():
        with path.open("rb") as file:
            is_store = file.read(len(_SQLITE)) == _SQLITE
        if is_store:
            return _from_store(path)
    try:
        return load_stored_graph(path)
    except UnusableGraph as error:
        raise CommandError(f"{error}, or a link store") from error


def graph_paths(path: Path) -> list[Path]:
    """The path itself, or the graphs in a folder of graphs: folders with a graph.npz, and .npz files."""
    if not path.is_dir() or (path / "graph.npz").exists():
        return [path]
    found = sorted(each for each in path.iterdir() if each.suffix == ".npz" or (each / "graph.npz").is_file())
    if not found:
        raise CommandError(f"{path} holds no graph: neither an .npz nor a folder with a graph.npz")
    return found


def _from_store(path: Path) -> StoredGraph:
    """The pages that were fetched or redirect, and the links among them; those of the others are unknown."""
    with reading(path) as store:
        links = store.links()
    is_visited = np.frombuffer(links.is_visited, np.bool_)
    chosen = np.flatnonzero(is_visited).astype(np.int32)
    graph = Graph.from_links(
        np.frombuffer(links.sources, np.int32), np.frombuffer(links.targets, np.int32), len(links.urls)
    ).among(chosen)
    urls = [links.urls[page] for page in chosen.tolist()]
    return StoredGraph(path.stem, graph, urls, is_local=np.frombuffer(links.is_local, np.bool_)[chosen])
