"""The table of files, and the record that fills it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.storage.values.feature_records import FeatureRecord, Statement
from hinterland.storage.values.table_spec import Joining, TableSpec

_PUBLIC: Final = (
    "each.host IN (SELECT url FROM host)"
    " AND each.host || '/.well-known/tdmrep.json' NOT IN (SELECT url FROM whole.opened)"
)
TABLES: Final = {"tdm_file": TableSpec(joining=Joining.ALIKE, public=_PUBLIC)}

_REPLACE: Final = "REPLACE INTO tdm_file (host, outcome, fetched_at, text) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class TdmFileRead(FeatureRecord):
    """The result of requesting the file of a host. It replaces an earlier result."""

    host: str
    outcome: str
    at: float
    text: bytes | None = None

    @staticmethod
    def statements(records: Sequence[TdmFileRead]) -> Sequence[Statement]:
        """Return the SQL statement that writes these records."""
        return [(_REPLACE, [(each.host, each.outcome, each.at, each.text) for each in records])]

    @property
    def weight(self) -> int:
        """The size of the file in bytes."""
        return len(self.text or b"")
