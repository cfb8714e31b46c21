"""Opens a read-only connection, even on a medium that nobody can write to."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hinterland.storage.store_name import has_log

IMMUTABLE: Final = "?immutable=1"
"""The end of a URI by which SQLite reads a file without locks. Later changes to the file are not noticed."""
_LOOK: Final = "SELECT 1 FROM sqlite_master LIMIT 1"

_NO_PLACE: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)
"""SQLite's errors when it cannot create its lock beside the file."""


def opened_to_read(name: Path, connect: Callable[[str], sqlite3.Connection]) -> tuple[str, sqlite3.Connection]:
    """Return the URI by which a database file can be read, and an open connection to it.

    `connect` opens a connection to a URI. Raises sqlite3.Error if the file cannot be read.
    """
    uri = f"{name.as_uri()}?mode=ro"
    try:
        return uri, _looked_at(connect(uri))
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", _NO_PLACE[0]) & 0xFF not in _NO_PLACE or has_log(name):
            raise
    # Nobody writes the file, and SQLite cannot create its lock beside it: the folder is not writable for us.
    uri = f"{name.as_uri()}{IMMUTABLE}"
    return uri, _looked_at(connect(uri))


def _looked_at(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Run a first query and return the connection.

    Only then does SQLite open the files. If the query fails, the connection is closed and the error is raised.
    """
    try:
        connection.execute(_LOOK).fetchall()
    except BaseException:
        connection.close()
        raise
    return connection
