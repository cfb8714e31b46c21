"""The tables and views, and how a store of another version is met."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from hinterland.crawler.parsing.html.parsed_page import LinkKind
from hinterland.storage.migrations import CREATE_MIGRATION_TABLE, SchemaTooNew, migration_names, pending_migrations
from hinterland.storage.schema import LINK_KINDS

ALL = set(migration_names())


@pytest.fixture
def fresh() -> Iterator[sqlite3.Connection]:
    """A database in memory with every migration applied."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(CREATE_MIGRATION_TABLE)
        for script in pending_migrations(set()):
            connection.executescript(script)
        yield connection


def test_a_new_store_gets_every_migration_in_order(fresh: sqlite3.Connection) -> None:
    applied = [name for (name,) in fresh.execute("SELECT name FROM migration ORDER BY rowid")]
    assert applied == list(migration_names())


def test_migrations_are_applied_once() -> None:
    assert pending_migrations(ALL) == []
    assert len(pending_migrations(set())) == len(migration_names())


def test_a_migration_that_fails_leaves_nothing_behind() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(CREATE_MIGRATION_TABLE)
        connection.execute("CREATE VIEW errors AS SELECT 1")  # in the way of the last statement
        with pytest.raises(sqlite3.OperationalError, match="errors"):
            connection.executescript(pending_migrations(set())[0])
        connection.rollback()
        assert connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall() == [("migration",)]


def test_a_store_of_a_later_version_is_refused_by_name() -> None:
    with pytest.raises(SchemaTooNew, match="9999-from-the-future"):
        pending_migrations(ALL | {"9999-from-the-future"})


def test_link_kinds_are_those_of_the_parser(fresh: sqlite3.Connection) -> None:
    assert tuple(kind.name.lower() for kind in sorted(LinkKind)) == LINK_KINDS
    assert dict(fresh.execute("SELECT id, name FROM link_kind")) == dict(enumerate(LINK_KINDS))


def test_migrations_are_numbered_without_a_gap_and_without_two_of_one_number() -> None:
    assert [name.partition("-")[0] for name in migration_names()] == [f"{n:04}" for n in range(1, len(ALL) + 1)]


@pytest.mark.parametrize("view", ["pages", "links", "hosts", "errors", "cuts"])
def test_every_view_answers_on_an_empty_store(view: str, fresh: sqlite3.Connection) -> None:
    assert fresh.execute(f"SELECT * FROM {view}").fetchall() == []
