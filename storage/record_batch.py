"""The records of one transaction, grouped by kind in a single pass. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar, cast

from hinterland.storage.values.feature_records import FeatureRecord, Statement
from hinterland.storage.values.records import Record

Kind = TypeVar("Kind", bound=Record)


class RecordBatch:
    """The records of one transaction."""

    def __init__(self, records: Sequence[Record]) -> None:
        """Group the records by kind."""
        self.records = records
        self._by_kind = defaultdict[type, list[Record]](list)
        for record in records:
            self._by_kind[type(record)].append(record)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Return the records of one kind, in their order."""
        return cast(list[Kind], self._by_kind.get(kind, []))

    def statements_of_features(self) -> Iterator[Statement]:
        """Yield the SQL statements that write the records of features. The classes of these records define the SQL."""
        sharing = defaultdict[Callable[[Sequence[Record]], Iterable[Statement]], list[Record]](list)
        for kind, records in self._by_kind.items():
            if issubclass(kind, FeatureRecord):
                sharing[kind.statements] += records
        for statements, records in sharing.items():
            yield from statements(records)
