"""A graph that keeps its links and all values computed from it in files, which saves memory."""

from __future__ import annotations

import mmap
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator
from hinterland.analysis.graph import Graph, IntArray, OffsetArray, Rows, frozen, sort_rows

_BLOCK = 1 << 20
LARGE_BYTES: Final = 16 << 20
"""Smaller arrays stay in memory."""


@dataclass(frozen=True, eq=False)
class MmapGraph(Graph):
    """A graph with its arrays in files in `folder`: 4 bytes per link and 8 per page.

    Graphs made from it, such as `transposed`, and the arrays that its `zeros` returns are in files as well. The files
    have no names, and disappear with the arrays even if the process is killed. While memory is free, the system keeps
    the content of the files in memory. Reading them then takes no longer than reading memory.
    """

    folder: Path

    @classmethod
    def of(cls, graph: Graph, folder: Path) -> MmapGraph:
        """Return the same graph in files.

        Raises OSError if there is no space for it. Everything that is computed from the graph may raise it, too.
        """
        offsets = zeros_in(folder, len(graph.offsets), np.int64)
        targets = zeros_in(folder, len(graph.targets), np.int32)
        offsets[:], targets[:] = graph.offsets, graph.targets
        return cls(frozen(offsets), frozen(targets), folder)

    @classmethod
    def of_rows(cls, pages: IntArray, ends: OffsetArray, targets: IntArray, page_count: int, folder: Path) -> MmapGraph:
        """Build a graph as `Graph.from_rows` does.

        Raises OSError as `of` does.
        """
        rows = zeros_in(folder, page_count + 1, np.int64), zeros_in(folder, len(targets), np.int32)
        sort_rows(pages, ends, targets, *rows)
        return cls(frozen(rows[0]), frozen(rows[1]), folder)

    def zeros(self, size: int, kind: type[np.generic]) -> NDArray[Any]:
        """Return a zeroed array in a file.

        Raises OSError if there is no space for it.
        """
        return zeros_in(self.folder, size, kind)

    def _of(self, rows: Rows) -> MmapGraph:
        return MmapGraph(frozen(rows[0]), frozen(rows[1]), self.folder)


def zeros_in(folder: Path, size: int, kind: type[np.generic]) -> NDArray[Any]:
    """Return a zeroed array in an unnamed file in `folder`.

    Raises OSError if there is no space for it.
    """
    count = size * np.dtype(kind).itemsize
    if not count:  # nothing to map
        return np.zeros(size, kind)
    with tempfile.TemporaryFile(dir=folder) as file:
        _allocate(file, count)
        return np.frombuffer(mmap.mmap(file.fileno(), count), kind)


def large_in(folder: Path) -> Allocator:
    """Return an allocator that puts large arrays into files and others into memory.

    The allocator may raise OSError.
    """

    def zeros(size: int, kind: type[np.generic]) -> NDArray[Any]:
        is_large = size * np.dtype(kind).itemsize >= LARGE_BYTES
        return zeros_in(folder, size, kind) if is_large else np.zeros(size, kind)

    return zeros


def _allocate(file: IO[bytes], size: int) -> None:
    """Reserve disk space for the file. If space ran out later, a write to the mapping would kill the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    for written in range(0, size, _BLOCK):
        file.write(bytes(min(_BLOCK, size - written)))
    file.flush()
