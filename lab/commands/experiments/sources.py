"""The strategies, graphs and result files of `simulate` and `evaluate`."""

from __future__ import annotations

import json
import platform
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from hinterland.analysis.estimates.estimators import ESTIMATORS
from hinterland.analysis.graph import Graph
from hinterland.analysis.stored_graph import StoredGraph, UnusableGraph, load_stored_graph
from hinterland.crawler import __version__
from hinterland.crawler.plugins.kinds import ESTIMATOR, POLICY, PluginKind
from hinterland.crawler.policies import GRAPH_POLICIES, TOPIC_POLICIES
from hinterland.library.errors import HinterlandError
from hinterland.library.graph_opening import is_store
from hinterland.library.plugin_tables import require
from hinterland.storage.reading.opening import reading


def chosen_policies(text: str | None) -> list[str]:
    """Return the policies named in `text`, separated by commas; None means all policies that need only the graph.

    Raises HinterlandError for a name that is unknown or a policy that needs a topic.
    """
    names = _chosen(text, GRAPH_POLICIES, POLICY)
    for name in names:
        if name in TOPIC_POLICIES:
            raise HinterlandError(
                f"the policy {name} needs the text of pages to judge their topic, and a graph has no text"
            )
    return names


def chosen_estimators(text: str | None) -> list[str]:
    """Return the estimators named in `text`, separated by commas; None means all estimators."""
    return _chosen(text, ESTIMATORS, ESTIMATOR)


def _chosen(text: str | None, table: Collection[str], kind: PluginKind) -> list[str]:
    names = list(table) if text is None else list(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))
    if not names:
        raise HinterlandError(f"no {kind.noun} is named; choose from {', '.join(table)}")
    for name in names:
        require(kind, name)
    return names


JSON_BEGINS = b"{"
MARKDOWN_BEGINS = b"# "


def check_result_file(name: str | None, begins: bytes) -> None:
    """Raise HinterlandError if a result could not be written to this file. Call this before hours of work.

    An existing file may be replaced only if it is an earlier result; `begins` are the first bytes of every result.
    """
    if name is None:
        return
    file = Path(name)
    if not file.absolute().parent.is_dir():
        raise HinterlandError(f"{name}: there is no folder {file.parent}")
    if file.is_dir():
        raise HinterlandError(f"{name} is a folder; name a file in it")
    try:
        with file.open("rb") as earlier:
            if earlier.read(len(begins)) not in (begins, b""):
                raise HinterlandError(f"{name} exists and is not an earlier result; choose another name")
    except FileNotFoundError:
        pass
    except OSError as error:
        raise HinterlandError(f"{name}: {error.strerror}") from None


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Raise HinterlandError if writing to the file `name` fails in the with block, although it was checked before."""
    try:
        yield
    except OSError as error:
        raise HinterlandError(f"{name} cannot be written: {error.strerror or error}") from error


def write_json(name: str, content: Mapping[str, Any]) -> None:
    """Write a result to a JSON file, together with the versions of the program and its packages.

    NaN, which JSON lacks, becomes null. Raises HinterlandError.
    """
    versions = {package: version(package) for package in ("numpy", "numba")}
    made_by = {"hinterland": __version__, "python": platform.python_version(), **versions}
    text = json.dumps(_without_nan({"made_by": made_by, **content}), ensure_ascii=False, indent=1, allow_nan=False)
    with writing(name):
        Path(name).write_text(f"{text}\n", encoding="utf-8")


def _without_nan(value: Any) -> Any:
    match value:
        case float():
            return None if value != value else value
        case dict():
            return {key: _without_nan(each) for key, each in value.items()}
        case list() | tuple():
            return [_without_nan(each) for each in value]
        case _:
            return value


def earlier_domains(file: str) -> frozenset[str]:
    """Return the names of the local domains in a file that an earlier `evaluate --json` wrote."""
    try:
        return frozenset(str(domain["name"]) for domain in json.loads(Path(file).read_text("utf-8"))["domains"])
    except OSError as error:
        raise HinterlandError(f"--except {file}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise HinterlandError(f"--except {file}: this is not a file that `evaluate --json` wrote") from None


def graph_from(path: Path) -> StoredGraph:
    """Return the graph in a file, a folder or a store.

    Raises HinterlandError for a file that holds no graph, NoStore for a store that cannot be read.
    """
    if is_store(path):
        return _from_store(path)
    try:
        return load_stored_graph(path)
    except UnusableGraph as error:
        raise HinterlandError(f"{error}, or a link store") from error


def graph_paths(path: Path) -> list[Path]:
    """Return the paths of the graphs in a folder of graphs. Any other path is returned as the only one.

    The graphs are folders with a graph.npz, and .npz files. Raises HinterlandError if the folder holds no graph.
    """
    if not path.is_dir() or (path / "graph.npz").exists():
        return [path]
    found = sorted(each for each in path.iterdir() if each.suffix == ".npz" or (each / "graph.npz").is_file())
    if not found:
        raise HinterlandError(f"{path} holds no graph: neither an .npz nor a folder with a graph.npz")
    return found


def _from_store(path: Path) -> StoredGraph:
    """Return the graph of the pages that were fetched or redirect, and of the links among them.

    All other pages are left out, since their links are unknown.
    """
    with reading(path) as store:
        links = store.links.all()
    is_visited = np.frombuffer(links.is_visited, np.bool_)
    chosen = np.flatnonzero(is_visited).astype(np.int32)
    graph = Graph.from_links(
        np.frombuffer(links.sources, np.int32), np.frombuffer(links.targets, np.int32), len(links.urls)
    ).among(chosen)
    urls = [links.urls[page] for page in chosen.tolist()]
    return StoredGraph(path.stem, graph, urls, is_local=np.frombuffer(links.is_local, np.bool_)[chosen])
