"""The base class of the queries about all subjects: a connection, and rows by column name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

_MAX_CHARACTERS = 1_000
"""The most characters of a title, anchor, heading or error that are returned: a page can have a title of megabytes, and
a list contains many titles.
"""
_MAX_URL_CHARACTERS = 8_000


def cut(column: str, longest: int = _MAX_CHARACTERS) -> str:
    """Return SQL for the beginning of a text; a final "…" marks that it was truncated."""
    return f"iif(length({column}) > {longest}, substr({column}, 1, {longest}) || '…', {column})"


URL = f"{cut('url', _MAX_URL_CHARACTERS)} AS url"
TITLE = f"{cut('title')} AS title"
DETAIL = f"{cut('detail')} AS detail"


def select_list(fields: Iterable[str], **expressions: str) -> str:
    """Return the SQL for columns in the order of a tuple's fields, so that a plain row makes the tuple.

    This is faster than filling fields by name if there are many rows. `expressions` gives the SQL for fields that are
    not columns of the same name.
    """
    return ", ".join(f"{expressions.get(field, field)} AS {field}" for field in fields)


class SubjectQueries:
    """Base class of the queries about one subject, over a connection that the caller opened."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Take the connection; the caller closes it."""
        self._connection = connection

    def _rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        cursor = self._connection.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor.execute(sql, parameters).fetchall()

    def _row(self, sql: str, *parameters: object) -> sqlite3.Row | None:
        """Return the first row; None if there is none."""
        return next(iter(self._rows(sql, *parameters)), None)

    def _value(self, sql: str, *parameters: object) -> Any:
        """Return the value of the only column of the first row; None if there is no row."""
        row = self._row(sql, *parameters)
        return None if row is None else row[0]

    def _has_index(self, name: str) -> bool:
        return self._row("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", name) is not None
