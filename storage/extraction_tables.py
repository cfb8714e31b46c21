"""The tables that rules fill, as SQL sees them: one view each, its columns named and typed as the rules have it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from hinterland.storage.values.extraction import Column, ExtractionTable

PREFIX = "x_"
"""Of the views: so no rule can be named like a table of ours, of this version or a later one."""


def set_tables(connection: sqlite3.Connection, tables: Sequence[ExtractionTable]) -> None:
    """In one transaction. The names are checked by whoever read the rules: letters, digits and _."""
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
    """Drop the views of all tables, in the transaction that is open."""
    for (name,) in connection.execute("SELECT name FROM extraction").fetchall():
        connection.execute(f'DROP VIEW IF EXISTS "{PREFIX}{name}"')


def _view(table: ExtractionTable) -> str:
    columns = ", ".join(f'{_value(column)} AS "{column.name}"' for column in table.columns)
    return (
        f"CREATE VIEW {PREFIX}{table.name} AS SELECT record.page, page.url, record.number AS record, {columns}"
        f" FROM record JOIN page ON page.id = record.page WHERE record.name = '{table.name}'"
    )


def _value(column: Column) -> str:
    """Lists stay JSON, for json_each; truth values are 1 and 0."""
    return f"json_extract(record.fields, '$.{column.name}')"
