"""A graph whose links lie in files, so that the memory is left to what is computed of it."""

from __future__ import annotations

import mmap
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from analysis.graph import Graph

_Array = TypeVar("_Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False)
class FiledGraph(Graph):
    """A graph with its arrays in files in `folder`, and those of `transposed` once it is used: 4 bytes a link and 8 a
    page there, each. So are those that are `kept` with it.

    The files have no names and are gone with the arrays, whatever becomes of the process. As long as memory is free
    the system keeps them in it, and reading costs the same.
    """

    folder: Path

    @classmethod
    def of(cls, graph: Graph, folder: Path) -> FiledGraph:
        """The same graph. Raises OSError if there is no room for it, as `transposed` does."""
        return cls(_filed(graph.offsets, folder), _filed(graph.targets, folder), folder)

    @cached_property
    def transposed(self) -> Graph:
        return FiledGraph.of(Graph(self.offsets, self.targets).transposed, self.folder)

    def kept(self, array: _Array) -> _Array:
        """In a file. Raises OSError if there is no room for it."""
        return cast(_Array, _filed(array, self.folder))


def _filed(array: NDArray[Any], folder: Path) -> NDArray[Any]:
    if not array.size:  # nothing to map
        return array
    with tempfile.TemporaryFile(dir=folder) as file:
        array.tofile(file)
        file.flush()
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(mapped, array.dtype).reshape(array.shape)
