"""Statements that take several rows at a time.

SQLite's thread gives the interpreter's lock away for every execution of a statement. While the crawl itself is busy,
taking it back costs more than writing a short row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from hinterland.storage.values.feature_records import Statement


def grouped(sql: Callable[[int], str], rows: Sequence[Sequence[Any]], at_once: int = 8) -> tuple[Statement, Statement]:
    """Return statements for groups of `at_once` rows, and for each of the remaining ones.

    `sql(n)` returns the statement for n rows, whose parameters are those of the rows, one after another.
    """
    whole = len(rows) - len(rows) % at_once
    groups = [tuple(chain.from_iterable(rows[start : start + at_once])) for start in range(0, whole, at_once)]
    return (sql(at_once), groups), (sql(1), rows[whole:])


def values(columns: int, rows: int) -> str:
    """Return "(?, ?), (?, ?)" for two rows of two columns."""
    return ", ".join([f"({', '.join('?' * columns)})"] * rows)
