"""Rows of a store, for a loop or as a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from hinterland.library.packages import require
from hinterland.storage.exports.arrow import require_pyarrow

T = TypeVar("T")


class Rows(Generic[T]):
    """Rows of a store. They are read again at each iteration, and not kept in memory. Unknown values are None."""

    def __init__(self, rows: Callable[[], Iterator[T]], batches: Callable[[], tuple[Any, Iterator[Any]]]) -> None:
        """Take a function that reads the rows, and one that returns a pyarrow Schema and its RecordBatches."""
        self._rows = rows
        self._batches = batches

    def __iter__(self) -> Iterator[T]:
        """Read the rows from the store."""
        return self._rows()

    def first(self, count: int) -> list[T]:
        """Return the first `count` rows, or all if there are fewer."""
        return list(islice(self, count))

    def to_arrow(self) -> Any:
        """Return a pyarrow Table, one chunk per batch. Raises MissingPackage."""
        require_pyarrow("that", "loop over the rows in plain Python, which needs no package")
        import pyarrow as pa

        schema, batches = self._batches()
        return pa.Table.from_batches(batches, schema)

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame. Raises MissingPackage."""
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return a polars DataFrame. Raises MissingPackage."""
        return require("polars").from_arrow(self.to_arrow())
