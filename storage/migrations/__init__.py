"""The tables of the link store, as named migrations that are each applied once.

A migration is an SQL file in this folder or, for the tables of a feature, in the feature's folder. It does not change
after the release of a version that contains it. Files are applied in the order of their names, wherever they are; a new
one gets the next number.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cache
from pathlib import Path
from typing import Final

CREATE_MIGRATION_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT"
)
_PATTERN: Final = "[0-9][0-9][0-9][0-9]-*.sql"
_FOLDER: Final = Path(__file__).parent


class SchemaTooNew(Exception):
    """The store was written by a later version of the program."""


@cache
def migration_names() -> tuple[str, ...]:
    """Return the names of all migrations in the order in which they are applied."""
    return tuple(sorted(_files()))


def pending_migrations(applied: Set[str]) -> list[str]:
    """Return the scripts that a store lacks, in order, given the names of the applied migrations.

    Each is one transaction, including the row that records it. Raises SchemaTooNew.
    """
    unknown = sorted(applied - set(migration_names()))
    if unknown:
        raise SchemaTooNew(f"it has schema {unknown[-1]!r}, which this version does not know; update the program")
    return [
        f"BEGIN IMMEDIATE;\n{_sql(name)}\n"
        f"INSERT INTO migration (name, applied_at) VALUES ('{name}', datetime('now'));\nCOMMIT;"
        for name in migration_names()
        if name not in applied
    ]


def _sql(name: str) -> str:
    """Return the text of a migration."""
    return _files()[name].read_text("utf-8")


@cache
def _files() -> dict[str, Path]:
    of_features = _FOLDER.parents[1].glob(f"crawler/features/*/{_PATTERN}")
    return {file.stem: file for file in (*_FOLDER.glob(_PATTERN), *of_features)}
