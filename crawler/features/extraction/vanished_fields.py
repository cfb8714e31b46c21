"""Detects rules that stop matching during a crawl because the site has changed. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.storage.values.extraction import ExtractedRecord
from hinterland.storage.values.records import Record

PATIENCE: Final = 100
"""How many consecutive pages must lack a value that earlier pages had before a warning is given."""
_RECORD: Final = ""


@dataclass(frozen=True, slots=True)
class VanishedField:
    """A field that a rule no longer finds.

    `field` is "" if the rule no longer finds any record. `page` is the number of the last page without the field.
    """

    table: str
    field: str
    page: int

    @property
    def reason(self) -> str:
        """The warning about this field, one sentence."""
        what = f"{self.table}.{self.field} has no value" if self.field else f"{self.table} has no record"
        return f"{what} on the last {PATIENCE} pages that its rules apply to, but had one before; check the rule"


class VanishedFields:
    """Counts, for each field, the consecutive pages that lack it. Mutable.

    Pass every batch of written records to `among`, in order.
    """

    def __init__(self) -> None:
        """Start before the first page."""
        self._never_seen: dict[str, set[str]] = {}
        self._missing: dict[str, dict[str, int]] = {}

    def among(self, records: Sequence[Record]) -> Iterator[VanishedField]:
        """Yield each field that has vanished. If it reappears and vanishes again, it is yielded again."""
        for record in records:
            if isinstance(record, ExtractedRecord):
                yield from self._of_page(record)

    def _of_page(self, record: ExtractedRecord) -> Iterator[VanishedField]:
        lacking = frozenset(record.missing) if record.records else frozenset((_RECORD,))
        before = self._missing.setdefault(record.table, {})
        if record.records:
            self._never_seen.setdefault(record.table, set(lacking)).intersection_update(lacking)
        self._missing[record.table] = now = {field: before.get(field, 0) + 1 for field in lacking}
        if not record.records:  # the fields are missing because there is no record
            now |= {field: count for field, count in before.items() if field != _RECORD}
        for field, count in now.items():
            never_seen = self._never_seen.get(record.table)
            if count == PATIENCE and field in lacking and never_seen is not None and field not in never_seen:
                yield VanishedField(record.table, field, record.page)
