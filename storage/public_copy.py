"""Copies a store into another file, with or without some of its pages."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from hinterland.storage.extraction_tables import pages_with_records
from hinterland.storage.sorted_links.sorting import sort_again
from hinterland.storage.tables import TABLES

_OF_PAGES = """
SELECT name FROM sqlite_master AS made
WHERE type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_info(made.name) WHERE name = 'page')
"""
_URL_ONLY = frozenset({"rank", "handed_over"})
"""Tables of pages that hold nothing of what a page says."""
_MORE = (
    "DELETE FROM link WHERE source IN (SELECT page FROM hidden)",
    "UPDATE page SET state = 'known' WHERE id IN (SELECT page FROM hidden)",
    """DELETE FROM probed WHERE EXISTS (SELECT 1 FROM page JOIN host ON host.id = page.host
    WHERE page.id IN (SELECT page FROM hidden) AND probed.url LIKE host.url || '/%')""",
)
"""What else goes: links on the pages, and what their hosts say of pages that they do not have."""


def copy_store(connection: sqlite3.Connection, target: Path) -> int:
    """Copy an open store into a new file; return how many fetched pages it has.

    The store may be written meanwhile. Raises sqlite3.Error, also if there is no space for the copy.
    """
    connection.execute("VACUUM INTO ?", (str(target),))
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        return _fetched(copy)


def copy_in_public(connection: sqlite3.Connection, target: Path, *, hidden_by: str) -> tuple[int, int]:
    """Copy an open store into a new file, without what hidden pages say and what a login opened for pages.

    Pages with a record in the table `hidden_by` are hidden. Their URLs stay, since other pages lead to them; the copy
    knows these pages as if they were not to be fetched. What was deleted is in no free space of the file either. The
    store may be written meanwhile. Return how many fetched pages the copy has, and how many are hidden. Raises
    sqlite3.Error, also if there is no space for two copies.
    """
    connection.execute("VACUUM INTO ?", (str(target),))
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        pages = pages_with_records(copy, hidden_by)
        if pages or any(_has(copy, table, condition) for table, condition in _hidden_rows()):
            _empty(copy, pages)
        return _fetched(copy), len(pages)


def _fetched(copy: sqlite3.Connection) -> int:
    [(count,)] = copy.execute("SELECT count(*) FROM fetch WHERE outcome = 'fetched'")
    return int(count)


def _empty(copy: sqlite3.Connection, pages: set[int]) -> None:
    copy.execute("BEGIN")
    copy.execute("CREATE TEMP TABLE hidden (page INTEGER PRIMARY KEY)")
    copy.executemany("INSERT INTO hidden VALUES (?)", ((page,) for page in pages))
    for (table,) in copy.execute(_OF_PAGES).fetchall():
        if table not in _URL_ONLY:
            copy.execute(f"DELETE FROM {table} WHERE page IN (SELECT page FROM hidden)")
    for statement in _MORE:
        copy.execute(statement)
    for table, condition in _hidden_rows():
        copy.execute(f"DELETE FROM {table} WHERE {condition}")
    copy.execute("COMMIT")
    sort_again(copy)
    copy.execute("VACUUM")


def _hidden_rows() -> list[tuple[str, str]]:
    """Return tables with the condition for their hidden rows; a table comes before those that refer to it."""
    return [(name, condition) for name in reversed(tuple(TABLES)) if (condition := TABLES[name].hidden)]


def _has(copy: sqlite3.Connection, table: str, condition: str) -> bool:
    [(has,)] = copy.execute(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {condition})")
    return bool(has)
