"""The records of one transaction by their kinds: a look at a page is one record, and there are twenty kinds. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar, cast

from hinterland.storage.values.records import Record

Kind = TypeVar("Kind", bound=Record)


class RecordBatch:
    def __init__(self, records: Sequence[Record]) -> None:
        self.records = records
        self._by_kind = defaultdict[type, list[Record]](list)
        for record in records:
            self._by_kind[type(record)].append(record)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """In their order."""
        return cast(list[Kind], self._by_kind.get(kind, []))
