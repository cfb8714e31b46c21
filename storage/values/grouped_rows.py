"""SQL statements that write several rows at a time.

SQLite's thread releases the interpreter's lock for every execution of a statement. While the crawl itself is busy,
getting the lock back takes longer than writing a short row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from hinterland.storage.values.feature_records import Statement


def grouped(sql: Callable[[int], str], rows: Sequence[Sequence[Any]], at_once: int = 8) -> tuple[Statement, Statement]:
    """Return two statements: one for groups of `at_once` rows, and one for each of the remaining rows.

    `sql(n)` returns the SQL for n rows; its parameters are the values of these rows, one row after another.
    """
    whole = len(rows) - len(rows) % at_once
    groups = [tuple(chain.from_iterable(rows[start : start + at_once])) for start in range(0, whole, at_once)]
    return (sql(at_once), groups), (sql(1), rows[whole:])


def values(columns: int, rows: int) -> str:
    """Return the SQL for the given numbers of rows and columns: "(?, ?), (?, ?)" for two rows of two columns."""
    return ", ".join([f"({', '.join('?' * columns)})"] * rows)
