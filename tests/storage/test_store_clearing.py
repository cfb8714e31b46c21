"""A store that is cleared is as one that was never used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.extraction import Column, ExtractionTable
from tests.support.crawling import rows

OF_THE_SCHEMA = {"migration", "link_kind"}
"""Tables that say something of the store, and nothing of a crawl."""


def tables(store: Path) -> list[str]:
    """The names of all tables that a crawl may fill, read from the schema of a store."""
    found = rows(store, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return sorted({str(name) for (name,) in found} - OF_THE_SCHEMA)


def filler(column: tuple[object, ...]) -> object:
    """Return a value that fits a column, as PRAGMA table_info describes it."""
    return {"INTEGER": 1, "REAL": 1.0, "TEXT": "{}", "BLOB": b"x"}[str(column[2])]


def fill(store: Path) -> None:
    """Write one row into every table that is empty."""
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        for table in tables(store):
            if connection.execute(f"SELECT 1 FROM {table}").fetchone() is None:
                columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
                names = ", ".join(f'"{column[1]}"' for column in columns)
                marks = ", ".join("?" * len(columns))
                connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", [*map(filler, columns)])


async def test_clearing_empties_every_table_of_the_schema_and_leaves_the_others(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LinkStore(store):
        pass
    as_new = {name: rows(store, f"SELECT * FROM {name}") for name in OF_THE_SCHEMA}
    fill(store)
    assert all(rows(store, f"SELECT count(*) FROM {table}") != [(0,)] for table in tables(store))
    async with LinkStore(store) as opened:
        await opened.clear()
    assert [table for table in tables(store) if rows(store, f"SELECT count(*) FROM {table}") != [(0,)]] == []
    assert {name: rows(store, f"SELECT * FROM {name}") for name in OF_THE_SCHEMA} == as_new


async def test_clearing_drops_the_views_of_tables_that_rules_filled(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LinkStore(store) as opened:
        await opened.set_extraction([ExtractionTable("prices", [Column("price", "number", is_list=False)], "{}")])
        views = "SELECT name FROM sqlite_master WHERE name LIKE 'x!_%' ESCAPE '!'"
        assert rows(store, views) == [("x_prices",)]
        await opened.clear()
        assert rows(store, views) == []
