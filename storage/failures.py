"""How to tell a store that cannot be written from a bug."""

from __future__ import annotations

import sqlite3

SqliteError = sqlite3.Error
"""What the store raises when SQLite does."""


def store_failure(error: BaseException) -> sqlite3.Error | None:
    """The SQLite error that `error` is or, being a group, consists of; None if there is more to it."""
    if isinstance(error, sqlite3.Error):
        # A wrong statement or a broken constraint is a mistake of the program, not the failure of a disk.
        mistakes = (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.InterfaceError)
        return None if isinstance(error, mistakes) else error
    if isinstance(error, BaseExceptionGroup):
        found = [store_failure(each) for each in error.exceptions]
        return None if None in found else found[0]
    return None
