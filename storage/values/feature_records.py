"""Records for the tables of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

Statement = tuple[str, Sequence[Sequence[Any]]]
"""SQL, and the parameters of each of its executions."""


class FeatureRecord(ABC):
    """A record whose class defines its own SQL.

    It may refer to hosts and pages of other records in the same transaction.
    """

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def statements(records: Sequence[Any]) -> Iterable[Statement]:
        """Return the SQL statements that write `records`: all records of a transaction whose classes share this method.

        Classes share the method if their records must be written in a certain order. Statements without rows are left
        out later.
        """

    @property
    def weight(self) -> int:
        """Roughly how many bytes of memory the record holds in addition to the few hundred that every record takes."""
        return 0
