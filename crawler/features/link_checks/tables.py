"""The table of checks, and the record that fills it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.storage.values.feature_records import FeatureRecord, Statement
from hinterland.storage.values.table_spec import Joining, TableSpec

_PUBLIC: Final = """each.url NOT IN (SELECT url FROM whole.opened)
AND coalesce(each.via, '') NOT IN (SELECT url FROM whole.opened) AND (
    each.url IN (SELECT url FROM page) OR each.url IN (
        SELECT one.value FROM record, json_each(record.fields) AS kinds, json_each(kinds.value) AS one
        WHERE record.name = 'page_references'))"""
"""Selects the rows of a public copy: addresses that its pages link to or load, and that no login opened."""
TABLES: Final = {"link_check": TableSpec(joining=Joining.ALIKE, public=_PUBLIC)}

_REPLACE: Final = (
    "REPLACE INTO link_check"
    " (url, kind, outcome, checked_at, via, detail, status, target, content_type, bytes, fields)"
    " VALUES (?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?, ?, ?, ?, ?)"
)


@dataclass(frozen=True, slots=True)
class LinkChecked(FeatureRecord):
    """The result of checking an address. It replaces the result of an earlier check.

    `size` is in bytes, as the server states it. `fields` are header fields of a file, as JSON.
    """

    url: str
    kind: str
    outcome: str
    at: float
    via: str = ""
    detail: str = ""
    status: int | None = None
    target: str | None = None
    content_type: str | None = None
    size: int | None = None
    fields: str | None = None

    @staticmethod
    def statements(records: Sequence[LinkChecked]) -> Sequence[Statement]:
        """Return the SQL statement that writes these records."""
        return [(_REPLACE, [each.row for each in records])]

    @property
    def row(self) -> tuple[object, ...]:
        """The parameters of the statement."""
        return (
            *(self.url, self.kind, self.outcome, self.at, self.via, self.detail),
            *(self.status, self.target, self.content_type, self.size, self.fields),
        )
