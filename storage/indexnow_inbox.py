"""Notices of changes that wait to be taken up: a file of its own beside the store, FILE.notices for FILE.db.

`serve` writes here, so the store has one writer, the crawl, and a notice waits for no crawl. The crawl takes up what
waits; a notice is over when its page was looked at since, so a crawl that is killed takes it up again. Every call is a
connection and a transaction of its own, in any thread; all raise sqlite3.Error.
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
"""Pages of one key that wait: as many as one notice may name,"""
MOST_UNCHECKED: Final = 20_000
"""those of all keys that are not known to be good,"""
MOST_WAITING: Final = 200_000
"""and of all. A page takes some 200 bytes."""
MOST_KEYS_OF_A_HOST: Final = 5
"""Keys that wait to be checked: each costs the host a request."""
_GOOD_FOR: Final = 30 * DAY
_BAD_FOR: Final = DAY
_AGAIN_AFTER: Final = _HOUR
"""If a file could not be asked for."""
_KEPT: Final = 1_000
"""Notices that are over, for those who ask what came of them."""
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
    """No more are taken before some are over; the message says of what there are too many."""


class IndexNowInbox:
    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, store: Path) -> IndexNowInbox:
        return cls(store.with_suffix(".notices") if store.suffix == ".db" else store.with_name(f"{store.name}.notices"))

    # ---------------------------------------------------------------- by those who take notices

    def take(self, host: str, location: str, key: str, urls: Sequence[str], now: float) -> KeyState:
        """Keep a notice; what is known of its key, and nothing is kept if that is bad. Raises TooManyNotices."""
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
        """The last notices, and how many wait."""
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

    # ---------------------------------------------------------------- by the crawl

    def exists(self) -> bool:
        return self.path.exists()

    def keys_to_check(self, now: float) -> list[IndexNowKey]:
        """Those with notices that wait, of which nothing is known or which may not hold any more."""
        with self._open() as connection:
            rows = connection.execute(_STALE_KEYS, (now - _GOOD_FOR, now - _AGAIN_AFTER))
            return [IndexNowKey(*row) for row in rows]

    def checked(self, number: int, state: KeyState, detail: str, now: float) -> None:
        """A key was looked for. UNCHECKED: nobody could tell; it is tried again after an hour."""
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
        """Those with good keys and numbers above, by number."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT notice.id, url, said_at FROM notice JOIN key ON key.id = notice.key"
                " WHERE notice.id > ? AND ended_at IS NULL AND state = 'good' ORDER BY notice.id",
                (after,),
            )
            return [WaitingNotice(*row) for row in rows]

    def ended(self, numbers: Sequence[int], end: NoticeOutcome, now: float) -> None:
        """These are over. One that came again meanwhile has another number, and waits."""
        with self._writing() as connection:
            connection.executemany(
                "UPDATE notice SET ended_at = ?, outcome = ? WHERE id = ?", [(now, end, number) for number in numbers]
            )

    # ---------------------------------------------------------------- inside

    @staticmethod
    def _key(connection: sqlite3.Connection, host: str, location: str, key: str, now: float) -> tuple[int, KeyState]:
        """Its number and state; one that was bad a day ago may be good by now."""
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
            raise TooManyNotices(f"{MOST_KEYS_OF_A_HOST} keys of {host} wait to be checked")
        return int(added.lastrowid or 0), KeyState.UNCHECKED

    @staticmethod
    def _check_bounds(connection: sqlite3.Connection, number: int, state: KeyState) -> None:
        """Raises TooManyNotices."""
        of_key = f"{_WAITING} AND key = ?"
        if connection.execute(of_key, (number,)).fetchone()[0] > MOST_OF_A_KEY:
            raise TooManyNotices(f"{MOST_OF_A_KEY:,} pages of this key wait to be looked at")
        unchecked = f"{_WAITING} AND key IN (SELECT id FROM key WHERE state = 'unchecked')"
        if state is KeyState.UNCHECKED and connection.execute(unchecked).fetchone()[0] > MOST_UNCHECKED:
            raise TooManyNotices(f"{MOST_UNCHECKED:,} pages wait for their keys to be checked")
        if connection.execute(_WAITING).fetchone()[0] > MOST_WAITING:
            raise TooManyNotices(f"{MOST_WAITING:,} pages wait to be looked at")

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
