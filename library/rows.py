"""Rows of a store, for a loop or as a data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

from hinterland.library.packages import require
from hinterland.storage.exports.arrow import require_pyarrow

T = TypeVar("T")


class Rows(Generic[T]):
    """Read anew each time that they are asked for; nothing is kept. Values are None where nothing is known."""

    def __init__(self, rows: Callable[[], Iterator[T]], batches: Callable[[], tuple[Any, Iterator[Any]]]) -> None:
        """batches: a pyarrow Schema, and RecordBatches of it."""
        self._rows = rows
        self._batches = batches

    def __iter__(self) -> Iterator[T]:
        return self._rows()

    def first(self, count: int) -> list[T]:
        """The first rows, fewer if there are not so many."""
        return list(islice(self, count))

    def to_arrow(self) -> Any:
        """A pyarrow Table, in one chunk a batch. Raises MissingPackage."""
        require_pyarrow("that", "loop over the rows, which needs nothing")
        import pyarrow as pa

        schema, batches = self._batches()
        return pa.Table.from_batches(batches, schema)

    def to_pandas(self) -> Any:
        """A pandas DataFrame. Raises MissingPackage, as `to_polars` does."""
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        return require("polars").from_arrow(self.to_arrow())
