"""A web graph kept in a file: its links, and the names of its pages."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from hinterland.analysis.graph import BoolArray, Graph, IntArray
from hinterland.analysis.npz_files import is_npz

_MOST_PAGES = np.iinfo(np.int32).max


class UnusableGraph(Exception):
    """Raised if a file holds no usable graph. The message says why, and what is expected."""


class NameKind(Enum):
    """The kind of identifier that names pages."""

    URL = "URL"
    SITE = "site name"


@dataclass(frozen=True, eq=False)
class StoredGraph:
    """A graph of n pages.

    The links of pages below `crawled_count` are known. These are all pages, unless the graph was loaded with its
    frontier. `names` and `labels` hold one entry per page, or are None. `blocks` is the block number of each page,
    shape (n,); -1 for pages without a block. `is_local` says which pages the store calls local; None if the graph does
    not come from a store. `visit_order` holds the crawled pages in the order of their visits, shape (crawled_count,),
    or None.
    """

    name: str
    graph: Graph
    names: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    blocks: IntArray | None = None
    is_local: BoolArray | None = None
    frontier_count: int = 0
    """How many pages were never crawled. They have the highest numbers, and their links are unknown."""
    visit_order: IntArray | None = None

    @property
    def crawled_count(self) -> int:
        """How many pages were crawled. These have the lowest numbers."""
        return self.graph.page_count - self.frontier_count

    @property
    def name_kind(self) -> NameKind | None:
        """The kind of the names. Names are URLs if most of them have a scheme, since a few may be damaged."""
        if not self.names:
            return None
        with_scheme = sum("://" in name for name in self.names)
        return NameKind.URL if 2 * with_scheme >= len(self.names) else NameKind.SITE


def load_stored_graph(path: Path, *, with_frontier: bool = False) -> StoredGraph:
    """Read a graph from an .npz file, or from the graph.npz of a folder.

    If urls.txt.gz and labels.txt.gz are in the same folder, names and labels are read from them. These text files are
    UTF-8, with one line per page.

    The .npz holds `src` and `dst`, integers of shape (links,), and `n`, the number of pages. Three arrays are optional:
    `block`, shape (n,); `visit_order`, the crawled pages in the order of their visits; and `n_crawled`, which says that
    only the links of pages below this number are known. Pages from this number on are dropped; with `with_frontier`,
    those with an inlink are kept. Raises UnusableGraph.
    """
    file = path / "graph.npz" if path.is_dir() else path
    if not file.is_file():
        raise UnusableGraph(f"there is no graph at {file}: an .npz with src, dst and n is expected")
    try:
        with file.open("rb") as opened:
            if not is_npz(opened):
                raise UnusableGraph(f"{file} is not a graph: an .npz with src, dst and n is expected")
            with np.load(opened) as arrays:
                return _from_arrays(file, arrays, with_frontier)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        raise UnusableGraph(f"{file} cannot be read as an .npz of arrays: {error}") from error


def _from_arrays(file: Path, arrays: np.lib.npyio.NpzFile, with_frontier: bool) -> StoredGraph:
    missing = [name for name in ("src", "dst", "n") if name not in arrays]
    if missing:
        raise UnusableGraph(f"{file} lacks {' and '.join(missing)}; an .npz with src, dst and n is expected")
    n = _page_count(file, "n", arrays["n"])
    known = _page_count(file, "n_crawled", arrays["n_crawled"]) if "n_crawled" in arrays else n
    if known > n:
        raise UnusableGraph(f"{file}: n_crawled is {known}, but must be between 0 and {n}, the number of pages")
    sources, targets = _integers(file, "src", arrays["src"]), _integers(file, "dst", arrays["dst"])
    count = n if with_frontier else known
    if known < n:
        # One mask instead of sorted copies: the rest of the graph is as large again.
        kept = (sources < known) & (targets < count)
        sources, targets = sources[kept], targets[kept]
    try:
        graph = Graph.from_links(sources, targets, count)
    except ValueError as error:
        raise UnusableGraph(f"{file}: {error}") from error
    blocks = None
    if "block" in arrays:
        blocks = _integers(file, "block", arrays["block"]).astype(np.int32)[:count]
        if len(blocks) != count:
            raise UnusableGraph(f"{file}: block has {len(blocks)} entries for {count} pages")
    name = file.parent.name if file.name == "graph.npz" else file.stem
    return StoredGraph(
        name,
        graph,
        _lines(file.with_name("urls.txt.gz"), n, count),
        _lines(file.with_name("labels.txt.gz"), n, count),
        blocks,
        frontier_count=count - known,
        visit_order=_visit_order(file, arrays["visit_order"], known) if "visit_order" in arrays else None,
    )


def save_graph(file: BinaryIO, graph: Graph, *, crawled: int | None, made_by: str) -> None:
    """Write an .npz as `load_stored_graph` reads it.

    Pages with numbers below `crawled` were crawled, in the order of their numbers; None means that no page was crawled.
    `made_by`, which the file keeps, says how to create it again.
    """
    of_crawl: dict[str, Any] = {}
    if crawled is not None:
        of_crawl = {"n_crawled": np.array(crawled), "visit_order": np.arange(crawled, dtype=np.int32)}
    count, words = np.array(graph.page_count), np.array(made_by)
    np.savez(file, n=count, src=graph.sources, dst=graph.targets, made_by=words, **of_crawl)


def _visit_order(file: Path, array: IntArray, known: int) -> IntArray:
    order = _integers(file, "visit_order", array)
    if not np.array_equal(np.sort(order), np.arange(known)):
        raise UnusableGraph(f"{file}: visit_order must hold each of the {known} crawled pages once")
    return order.astype(np.int32)


def _page_count(file: Path, name: str, array: IntArray) -> int:
    if array.size != 1 or not np.issubdtype(array.dtype, np.integer):
        raise UnusableGraph(f"{file}: {name} is {array.dtype} of shape {array.shape}, not one integer")
    count = int(array.reshape(-1)[0])
    if not 0 <= count <= _MOST_PAGES:
        raise UnusableGraph(f"{file}: {name} is {count}; a graph has 0 to {_MOST_PAGES} pages")
    return count


def _integers(file: Path, name: str, array: IntArray) -> IntArray:
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise UnusableGraph(
            f"{file}: {name} is {array.dtype} of shape {array.shape}, not a one-dimensional array of integers"
        )
    return array


def _lines(file: Path, count: int, kept: int) -> list[str] | None:
    if not file.exists():
        return None
    try:
        # Only a newline ends a line: names of pages may contain other separators.
        with gzip.open(file, "rt", encoding="utf-8", newline="\n") as text:
            lines = [line.removesuffix("\n") for line in text]
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise UnusableGraph(f"{file} cannot be read as gzipped UTF-8: {error}") from error
    if len(lines) != count:
        raise UnusableGraph(f"{file} has {len(lines)} lines for {count} pages")
    return lines[:kept]
