"""The tables that extraction rules fill, as SQL shows them.

Each table is a view whose columns have the names and types that its rules give them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from hinterland.storage.values.extraction import Column, ExtractionTable

PREFIX = "x_"
"""The prefix of all views, so no rule's table can clash with a table of the store, now or in a later version."""


def set_tables(connection: sqlite3.Connection, tables: Sequence[ExtractionTable]) -> None:
    """Store the rules of tables and create a view for each, in one transaction.

    Names must consist of letters, digits and _, as the reader of the rules has checked.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table in tables:
            connection.execute(
                "INSERT INTO extraction (name, version, rules) VALUES (?1, 1, ?2) ON CONFLICT DO UPDATE"
                " SET version = version + (rules <> ?2), rules = ?2",
                (table.name, table.rules),
            )
            connection.execute(f"DROP VIEW IF EXISTS {PREFIX}{table.name}")
            connection.execute(_view(table))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def remove_table(connection: sqlite3.Connection, name: str) -> None:
    """Remove a table with its view, rules and records, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(f"DROP VIEW IF EXISTS {PREFIX}{name}")
        for table in ("record", "extracted", "extraction"):
            connection.execute(f"DELETE FROM {table} WHERE name = ?", (name,))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def drop_views(connection: sqlite3.Connection) -> None:
    """Drop the views of all tables, inside the open transaction."""
    for (name,) in connection.execute("SELECT name FROM extraction").fetchall():
        connection.execute(f'DROP VIEW IF EXISTS "{PREFIX}{name}"')


def _view(table: ExtractionTable) -> str:
    columns = ", ".join(f'{_value(column)} AS "{column.name}"' for column in table.columns)
    return (
        f"CREATE VIEW {PREFIX}{table.name} AS SELECT record.page, page.url, record.number AS record, {columns}"
        f" FROM record JOIN page ON page.id = record.page WHERE record.name = '{table.name}'"
    )


def _value(column: Column) -> str:
    """Return the SQL for a column: lists remain JSON, for json_each; booleans are 1 and 0."""
    return f"json_extract(record.fields, '$.{column.name}')"
