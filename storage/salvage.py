"""Writes a batch that contains a record that cannot be written: the record is cut down or left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final

from hinterland.storage.statements import statements_of
from hinterland.storage.values.extraction import ExtractedRecord
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import DiscoveriesRecord, Record, VisitRecord
from hinterland.storage.values.shards import AcknowledgedRecord, UnacknowledgedRecord
from hinterland.storage.values.topics import TopicRecord

UNWRITABLE: Final = (
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    OverflowError,
    TypeError,
    ValueError,
)
"""Errors caused by a record that the store cannot hold: text with half a surrogate pair, a number that is too large or
not a number, a row that exists already. A failing disk raises none of them."""
_ALL_OR_NOTHING: Final = (DiscoveriesRecord, AcknowledgedRecord, UnacknowledgedRecord, TopicRecord)
"""Records that are written whole or not at all, because later records refer to their contents."""
_MAX_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class LostRecord:
    """A record that was not written in full, and why."""

    record: Record
    error: Exception


def write_each(connection: sqlite3.Connection, records: Sequence[Record]) -> list[LostRecord]:
    """Write records one by one within a transaction, and return those that were not written in full.

    If an unwritable record is one on which later records depend, its error is raised.
    """
    lost: list[LostRecord] = []
    for record in records:
        error = _written(connection, record)
        if error is None:
            continue
        less = cut_down(record, error)
        if isinstance(record, _ALL_OR_NOTHING) or (less is not None and _written(connection, less) is not None):
            raise error
        lost.append(LostRecord(record, error))
    return lost


def _written(connection: sqlite3.Connection, record: Record) -> Exception | None:
    """Write a record completely and return None, or write nothing of it and return the error."""
    connection.execute("SAVEPOINT record")
    try:
        for sql, rows in statements_of([record]):
            connection.executemany(sql, rows)
    except UNWRITABLE as error:
        connection.execute("ROLLBACK TO record")
        return error
    finally:
        connection.execute("RELEASE record")
    return None


def cut_down(record: Record, error: Exception) -> Record | None:
    """Return what can be written of an unwritable record; None if nothing can.

    Of a visit, this is the fact that it happened, and its discoveries.
    """
    reason = f"{type(error).__name__}: {error}"[:_MAX_CHARACTERS].encode("utf-8", "backslashreplace").decode()
    if isinstance(record, ExtractedRecord):
        return ExtractedRecord(record.page, record.table, [], [], f"internal_error: {reason}")
    if not isinstance(record, VisitRecord):
        return None
    return VisitRecord(
        visit=record.visit,
        page=record.page,
        state=record.state if record.retry_at is not None else "failed",
        outcome="internal_error",
        detail=f"the content of the page could not be stored ({reason})",
        attempt=record.attempt,
        started_at=record.started_at,
        seconds=_finite(record.seconds),
        host_state=_cut_down(record.host_state),
        retry_at=record.retry_at,
        new_hosts=record.new_hosts,
        new_pages=record.new_pages,
        admitted=record.admitted,
        localised=record.localised,
        nearer=record.nearer,
        handed_over=record.handed_over,
    )


def _cut_down(state: HostStateRecord) -> HostStateRecord:
    next_fetch, rest_seconds = _finite(state.next_fetch), _finite(state.rest_seconds)
    return replace(state, address=None, last_error=None, next_fetch=next_fetch, rest_seconds=rest_seconds)


def _finite(number: float) -> float:
    return number if isfinite(number) else 0.0
