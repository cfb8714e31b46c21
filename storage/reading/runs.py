"""Queries about the runs of the crawler."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from hinterland.storage.lock import holder_of
from hinterland.storage.reading.subject_queries import SubjectQueries
from hinterland.storage.values.runs import RunReport, RunState, StoredRun


class RunQueries(SubjectQueries):
    """Queries about runs; see StoreReader."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Take a connection, and the path of the store: its lock tells whether the last run is still going on."""
        super().__init__(connection)
        self._path = path

    def last(self) -> RunReport | None:
        """Return the last run; None if there was none."""
        return next(iter(self.newest(1)), None)

    def newest(self, limit: int = 10) -> list[RunReport]:
        """Return the latest runs, the newest first."""
        rows = self._rows(
            "SELECT id, ended_at, started_at, updated_at, reason, command, progress FROM run ORDER BY id DESC LIMIT ?",
            limit,
        )
        return [self._report(row, is_newest=place == 0) for place, row in enumerate(rows)]

    def last_that_visited(self) -> RunReport | None:
        """Return the last run that visited a page; None if no run did."""
        rows = self._rows(
            "SELECT id, ended_at, started_at, updated_at, reason, command, progress FROM run"
            " WHERE json_extract(progress, '$.visits') > 0 ORDER BY id DESC LIMIT 1"
        )
        newest = self._value("SELECT max(id) FROM run")
        return next((self._report(row, is_newest=row["id"] == newest) for row in rows), None)

    def all(self) -> list[StoredRun]:
        """Return all runs, the oldest first."""
        return [StoredRun(**row) for row in self._rows("SELECT started_at, settings FROM run ORDER BY id")]

    def count(self) -> int:
        """Return the number of runs."""
        return int(self._value("SELECT count(*) FROM run"))

    def last_settings(self) -> str | None:
        """Return the settings of the last run, as they are stored; None if there was no run."""
        settings: str | None = self._value("SELECT settings FROM run ORDER BY id DESC LIMIT 1")
        return settings

    def last_reason(self) -> str | None:
        """Return why the last run ended; None if it was killed, or if there was no run."""
        reason: str | None = self._value("SELECT reason FROM run ORDER BY id DESC LIMIT 1")
        return reason

    def _report(self, row: sqlite3.Row, *, is_newest: bool) -> RunReport:
        if row["ended_at"] is not None:
            state = RunState.KILLED if row["reason"] is None else RunState.ENDED
        else:
            is_running = is_newest and holder_of(self._path) is not None
            state = RunState.RUNNING if is_running else RunState.KILLED
        return RunReport(
            number=row["id"],
            state=state,
            started_at=row["started_at"],
            updated_at=row["updated_at"],
            reason=row["reason"],
            command=json.loads(row["command"]),
            progress=json.loads(row["progress"]),
        )
