"""What a login opened, as records for the store: the one mark of all that others may not get to see. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.storage.values.feature_records import FeatureRecord, Statement

_OPEN: Final = (
    "INSERT INTO opened (url, opened_by) VALUES (?, ?)"
    " ON CONFLICT (url) DO UPDATE SET opened_by = excluded.opened_by, is_past = 0"
)
_OPEN_TO_ALL: Final = "UPDATE opened SET is_past = 1 WHERE url = ?"


class _Mark(FeatureRecord):
    """Of several marks of a URL in one transaction, the last one counts."""

    __slots__ = ()

    @staticmethod
    def statements(records: Sequence[Opened | OpenToAll]) -> Sequence[Statement]:
        """Return the SQL statements that write these records."""
        last = {each.url: each for each in records}.values()
        return [
            (_OPEN, [(each.url, each.opened_by) for each in last if isinstance(each, Opened)]),
            (_OPEN_TO_ALL, [(each.url,) for each in last if isinstance(each, OpenToAll)]),
        ]


@dataclass(frozen=True, slots=True)
class Opened(_Mark):
    """A URL was requested with a login; `opened_by` names the kinds of logins, such as "basic+header".

    It must be submitted before what was found there.
    """

    url: str
    opened_by: str


@dataclass(frozen=True, slots=True)
class OpenToAll(_Mark):
    """The version of a page that is written now needs no login; earlier ones may have."""

    url: str
