"""Finds the first failure of each kind as soon as it is written, without a search of the store. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import Record, VisitRecord

_FINE = frozenset({OutcomeKind.FETCHED, OutcomeKind.OTHER_TYPE, OutcomeKind.REDIRECTED})
_ORDINARY = frozenset({OutcomeKind.CLIENT_ERROR, OutcomeKind.ROBOTS})
"""Failures that occur in nearly every crawl. They are reported only while no page has been fetched."""
_ROBOTS = "robots.txt: "


@dataclass(frozen=True, slots=True)
class FirstFailure:
    """A failure of a page, or of the whole host if `page` is None.

    `reason` is for people: the kind of failure and its detail.
    """

    host: int
    page: int | None
    reason: str


class FirstFailures:
    """Finds the first failure of each kind. Mutable: it remembers which kinds it has seen.

    All records that are written must be passed to it, in order.
    """

    def __init__(self) -> None:
        """Begin with no kind of failure seen."""
        self._met: set[str] = set()
        self._has_fetched = False

    def among(self, records: Sequence[Record]) -> Iterator[FirstFailure]:
        """Yield, for each kind of failure that no earlier record had, its first occurrence in these records."""
        for record in records:
            if isinstance(record, VisitRecord):
                if record.outcome in _FINE:
                    self._has_fetched = self._has_fetched or record.outcome == OutcomeKind.FETCHED
                elif self._is_news(record.outcome):
                    reason = f"{record.outcome}: {record.detail}" if record.detail else record.outcome
                    yield FirstFailure(record.host_state.number, record.page, reason)
            elif isinstance(record, HostStateRecord) and record.last_error:
                kind = record.last_error.removeprefix(_ROBOTS).partition(":")[0]
                if self._is_news(kind):
                    yield FirstFailure(record.number, None, record.last_error)

    def _is_news(self, kind: str) -> bool:
        if kind in self._met or (self._has_fetched and kind in _ORDINARY):
            return False
        self._met.add(kind)
        return True
