"""Records for the tables of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

Statement = tuple[str, Sequence[Sequence[Any]]]
"""SQL, and the parameters of each of its executions."""


class FeatureRecord(ABC):
    """A record whose class defines its own SQL. It may refer to hosts and pages of records in the same transaction."""

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def statements(records: Sequence[Any]) -> Iterable[Statement]:
        """Return the SQL statements that write all records of a transaction that have this method.

        Kinds of records share the method if they must be written in a certain order. Statements without rows are left
        out later.
        """

    @property
    def weight(self) -> int:
        """Roughly the number of bytes of memory that the record holds, besides a few hundred."""
        return 0
