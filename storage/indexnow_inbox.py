"""IndexNow notices of changes that wait for the crawl, in a file beside the store: FILE.notices for FILE.db.

`serve` writes to this file. So the store keeps a single writer, the crawl, and notices arrive even while no crawl runs.
A notice is done when its page has been visited after the notice arrived. So a notice that a killed crawl had begun to
process is processed again. Every call uses a connection and a transaction of its own, works in any thread, and may
raise sqlite3.Error.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from hinterland.storage.values.indexnow import IndexNowKey, KeyState, NoticeOutcome, ShownNotice, WaitingNotice
from hinterland.storage.values.times import DAY

_HOUR: Final = 3_600.0
_PATIENCE_SECONDS: Final = 10.0

MOST_OF_A_KEY: Final = 10_000
"""The most waiting pages of one key. A single notice may name as many."""
MOST_UNCHECKED: Final = 20_000
"""The most waiting pages of all keys that are not known to be good."""
MOST_WAITING: Final = 200_000
"""The most waiting pages in all; a page takes about 200 bytes."""
MOST_KEYS_OF_A_HOST: Final = 5
"""The most unchecked keys of one host; each check costs the host a request."""
_GOOD_FOR: Final = 30 * DAY
_BAD_FOR: Final = DAY
_AGAIN_AFTER: Final = _HOUR
"""How long to wait before a key file that could not be fetched is requested again, in seconds."""
_KEPT: Final = 1_000
"""How many notices that are done are kept, for people who ask what became of them."""
_LONGEST_WAIT: Final = 90 * DAY

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS key (
    id         INTEGER PRIMARY KEY,
    host       TEXT NOT NULL,                    -- scheme and authority
    location   TEXT NOT NULL,                    -- URL of the file that is to hold it
    key        TEXT NOT NULL,
    state      TEXT NOT NULL,                    -- unchecked, good, bad
    checked_at REAL,                             -- epoch seconds, also of a try that told nothing
    detail     TEXT NOT NULL DEFAULT '',         -- why it is not good
    UNIQUE (location, key)
) STRICT;
CREATE TABLE IF NOT EXISTS notice (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,  -- grows with every notice, also when one comes again
    url      TEXT    NOT NULL,
    key      INTEGER NOT NULL REFERENCES key (id),
    said_at  REAL    NOT NULL,                   -- epoch seconds
    ended_at REAL,                               -- NULL while it waits
    outcome  TEXT,                               -- visited, outside, refused
    UNIQUE (key, url)
) STRICT;
CREATE INDEX IF NOT EXISTS notice_waiting ON notice (key) WHERE ended_at IS NULL;
"""
_WAITING: Final = "SELECT count(*) FROM notice WHERE ended_at IS NULL"
_STALE_KEYS: Final = (
    "SELECT id, host, location, key FROM key WHERE state <> 'bad'"
    " AND (checked_at IS NULL OR checked_at <= iif(state = 'good', ?, ?))"
    " AND EXISTS (SELECT 1 FROM notice WHERE notice.key = key.id AND ended_at IS NULL) ORDER BY id"
)
_FORGET: Final = (
    "DELETE FROM notice WHERE (ended_at IS NULL AND said_at < ?)"
    " OR (ended_at IS NOT NULL AND id < (SELECT min(id) FROM"
    " (SELECT id FROM notice WHERE ended_at IS NOT NULL ORDER BY id DESC LIMIT ?)))"
)


class TooManyNotices(Exception):
    """No more notices are accepted until some are done; the message says which limit is reached."""


class IndexNowInbox:
    """The notices of one store, and the keys that authenticate them."""

    def __init__(self, path: Path) -> None:
        """Take the path of the file; it is created when it is first used."""
        self.path = path

    @classmethod
    def of(cls, store: Path) -> IndexNowInbox:
        """Return the inbox of a store."""
        return cls(store.with_suffix(".notices") if store.suffix == ".db" else store.with_name(f"{store.name}.notices"))

    # ---------------------------------------------------------------- for the server

    def take(self, host: str, location: str, key: str, urls: Sequence[str], now: float) -> KeyState:
        """Add a notice unless its key is known to be bad, and return the state of the key.

        Raises TooManyNotices.
        """
        with self._writing() as connection:
            number, state = self._key(connection, host, location, key, now)
            if state is KeyState.BAD:
                return state
            connection.executemany(
                "INSERT OR REPLACE INTO notice (url, key, said_at) VALUES (?, ?, ?)",
                [(url, number, now) for url in urls],
            )
            self._check_bounds(connection, number, state)
            connection.execute(_FORGET, (now - _LONGEST_WAIT, _KEPT))
            return state

    def latest(self, limit: int) -> tuple[list[ShownNotice], int]:
        """Return the latest `limit` notices, and the number of all notices that are waiting."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT url, said_at, state, detail, ended_at, outcome FROM notice JOIN key ON key.id = notice.key"
                " ORDER BY notice.id DESC LIMIT ?",
                (limit,),
            )
            shown = [
                ShownNotice(url, said_at, KeyState(state), detail, ended_at, NoticeOutcome(end) if end else None)
                for url, said_at, state, detail, ended_at, end in rows
            ]
            [(waiting,)] = connection.execute(_WAITING)
        return shown, waiting

    # ---------------------------------------------------------------- for the crawl

    def exists(self) -> bool:
        """Return whether the file exists."""
        return self.path.exists()

    def keys_to_check(self, now: float) -> list[IndexNowKey]:
        """Return the keys with waiting notices that were never checked or whose last check is outdated."""
        with self._open() as connection:
            rows = connection.execute(_STALE_KEYS, (now - _GOOD_FOR, now - _AGAIN_AFTER))
            return [IndexNowKey(*row) for row in rows]

    def checked(self, number: int, state: KeyState, detail: str, now: float) -> None:
        """Store the result of checking a key.

        The state UNCHECKED means that the check failed; the key is checked again after an hour.
        """
        with self._writing() as connection:
            if state is KeyState.UNCHECKED:
                connection.execute("UPDATE key SET checked_at = ?, detail = ? WHERE id = ?", (now, detail, number))
                return
            connection.execute(
                "UPDATE key SET state = ?, checked_at = ?, detail = ? WHERE id = ?", (state, now, detail, number)
            )
            if state is KeyState.BAD:
                connection.execute(
                    "UPDATE notice SET ended_at = ?, outcome = ? WHERE key = ? AND ended_at IS NULL",
                    (now, NoticeOutcome.REFUSED, number),
                )

    def waiting(self, after: int) -> list[WaitingNotice]:
        """Return the waiting notices with good keys and numbers above `after`, by number."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT notice.id, url, said_at FROM notice JOIN key ON key.id = notice.key"
                " WHERE notice.id > ? AND ended_at IS NULL AND state = 'good' ORDER BY notice.id",
                (after,),
            )
            return [WaitingNotice(*row) for row in rows]

    def ended(self, numbers: Sequence[int], end: NoticeOutcome, now: float) -> None:
        """Mark notices as done, with their outcome.

        A page that was announced again in the meantime has a new notice, which still waits.
        """
        with self._writing() as connection:
            connection.executemany(
                "UPDATE notice SET ended_at = ?, outcome = ? WHERE id = ?", [(now, end, number) for number in numbers]
            )

    # ---------------------------------------------------------------- inside

    @staticmethod
    def _key(connection: sqlite3.Connection, host: str, location: str, key: str, now: float) -> tuple[int, KeyState]:
        """Return the number and state of a key, adding it if necessary.

        A key that was found bad more than a day ago becomes unchecked again.
        """
        known = connection.execute(
            "SELECT id, state, checked_at FROM key WHERE location = ? AND key = ?", (location, key)
        ).fetchone()
        if known is not None:
            number, state, checked_at = int(known[0]), KeyState(known[1]), known[2]
            if state is not KeyState.BAD or now - checked_at < _BAD_FOR:
                return number, state
            connection.execute("UPDATE key SET state = 'unchecked', checked_at = NULL WHERE id = ?", (number,))
            return number, KeyState.UNCHECKED
        connection.execute(
            "DELETE FROM key WHERE checked_at < ? AND NOT EXISTS (SELECT 1 FROM notice WHERE notice.key = key.id)",
            (now - _GOOD_FOR,),
        )
        added = connection.execute(
            "INSERT INTO key (host, location, key, state) VALUES (?, ?, ?, 'unchecked')", (host, location, key)
        )
        of_host = "SELECT count(*) FROM key WHERE host = ? AND state = 'unchecked'"
        if connection.execute(of_host, (host,)).fetchone()[0] > MOST_KEYS_OF_A_HOST:
            raise TooManyNotices(f"{MOST_KEYS_OF_A_HOST} keys of {host} are waiting to be checked")
        return int(added.lastrowid or 0), KeyState.UNCHECKED

    @staticmethod
    def _check_bounds(connection: sqlite3.Connection, number: int, state: KeyState) -> None:
        """Raise TooManyNotices if a limit is exceeded."""
        of_key = f"{_WAITING} AND key = ?"
        if connection.execute(of_key, (number,)).fetchone()[0] > MOST_OF_A_KEY:
            raise TooManyNotices(f"{MOST_OF_A_KEY:,} pages announced with this key are waiting to be visited")
        unchecked = f"{_WAITING} AND key IN (SELECT id FROM key WHERE state = 'unchecked')"
        if state is KeyState.UNCHECKED and connection.execute(unchecked).fetchone()[0] > MOST_UNCHECKED:
            raise TooManyNotices(f"{MOST_UNCHECKED:,} pages are waiting for their keys to be checked")
        if connection.execute(_WAITING).fetchone()[0] > MOST_WAITING:
            raise TooManyNotices(f"{MOST_WAITING:,} pages are waiting to be visited")

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, isolation_level=None, timeout=_PATIENCE_SECONDS)) as connection:
            connection.executescript(_TABLES)
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
