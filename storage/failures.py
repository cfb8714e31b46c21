"""Distinguishes a store that cannot be written from a bug."""

from __future__ import annotations

import sqlite3

SqliteError = sqlite3.Error
"""The exception that the store raises when SQLite fails."""


def store_failure(error: BaseException) -> sqlite3.Error | None:
    """Return the SQLite error behind `error`, or None if it has another cause.

    An exception group counts only if every exception in it is an SQLite error.
    """
    if isinstance(error, sqlite3.Error):
        # A wrong statement or a broken constraint is a bug in the program, not a failing disk.
        mistakes = (sqlite3.ProgrammingError, sqlite3.IntegrityError, sqlite3.InterfaceError)
        return None if isinstance(error, mistakes) else error
    if isinstance(error, BaseExceptionGroup):
        found = [store_failure(each) for each in error.exceptions]
        return None if None in found else found[0]
    return None
