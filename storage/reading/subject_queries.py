"""What the parts of a reader have in common: a connection, and rows by the names of their columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

_MAX_CHARACTERS = 1_000
"""Of one title, anchor, heading, error or the like: a page can have a title of megabytes, and one list holds many."""
_MAX_URL_CHARACTERS = 8_000


def cut(column: str, longest: int = _MAX_CHARACTERS) -> str:
    """SQL for the beginning of a text; "…" at its end says that it is one."""
    return f"iif(length({column}) > {longest}, substr({column}, 1, {longest}) || '…', {column})"


URL = f"{cut('url', _MAX_URL_CHARACTERS)} AS url"
TITLE = f"{cut('title')} AS title"
DETAIL = f"{cut('detail')} AS detail"


def select_list(fields: Iterable[str], **expressions: str) -> str:
    """Columns in the order of the fields of a value, so that it can be made of a row as it comes: quicker than by name
    where there are very many. expressions: of those fields that are not columns of the same name.
    """
    return ", ".join(f"{expressions.get(field, field)} AS {field}" for field in fields)


class SubjectQueries:
    """Questions of one subject to one store, over a connection of the caller's."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _rows(self, sql: str, *parameters: object) -> list[sqlite3.Row]:
        cursor = self._connection.cursor()
        cursor.row_factory = sqlite3.Row
        return cursor.execute(sql, parameters).fetchall()

    def _row(self, sql: str, *parameters: object) -> sqlite3.Row | None:
        """The first one."""
        return next(iter(self._rows(sql, *parameters)), None)

    def _value(self, sql: str, *parameters: object) -> Any:
        """What the only column of the first row holds; None if there is no row."""
        row = self._row(sql, *parameters)
        return None if row is None else row[0]

    def _has_index(self, name: str) -> bool:
        return self._row("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?", name) is not None
