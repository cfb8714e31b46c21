"""Records that say which URLs a login opened. Other people may not be allowed to see their content. Pure."""

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
    """Says whether a URL needs a login. If a transaction has several marks of a URL, the last one counts."""

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
    """A URL that was requested with a login; `opened_by` names the kinds of logins, such as "basic+header".

    Submit this record before the records of what was found at the URL.
    """

    url: str
    opened_by: str


@dataclass(frozen=True, slots=True)
class OpenToAll(_Mark):
    """A URL that needs no login in the version that is being written, even if earlier versions did."""

    url: str
