from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from hinterland.storage import joining
from hinterland.storage.joining import join
from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.tables import TABLES
from hinterland.storage.values.table_spec import Joining
from tests.support.crawling import rows
from tests.support.shards import RUN
from tests.support.stored_pages import Page, write_store


async def test_every_table_of_a_store_is_known_with_its_columns_that_hold_numbers(tmp_path: Path) -> None:
    store = tmp_path / "new.db"
    async with LinkStore(store):
        pass
    assert {name for (name,) in rows(store, "SELECT name FROM sqlite_schema WHERE type = 'table'")} == set(TABLES)
    for name, table in TABLES.items():
        columns = {column[1] for column in rows(store, f"PRAGMA table_info({name})")}
        references = {(key[2], key[3]) for key in rows(store, f"PRAGMA foreign_key_list({name})")}
        told = {*(("page", column) for column in table.pages), *([("host", table.host)] if table.host else [])}
        assert {column for _, column in told} <= columns, name
        if table.joining is Joining.NUMBERED:
            assert {each for each in references if each[0] in ("page", "host")} <= told, name


async def test_tables_come_before_those_they_refer_to(tmp_path: Path) -> None:
    async with LinkStore(tmp_path / "new.db"):
        pass
    places = {name: place for place, name in enumerate(TABLES)}
    for name in TABLES:
        for key in rows(tmp_path / "new.db", f"PRAGMA foreign_key_list({name})"):
            assert key[2] in (name, "link_kind") or places[name] < places[str(key[2])], (name, key[2])


def test_readers_of_the_joined_store_see_the_old_one_until_the_new_one_is_complete(tmp_path: Path) -> None:
    part, joined = write_store(tmp_path / "0.db", [Page("One"), Page("Two")]), tmp_path / "joined.db"
    join([part], joined, lambda _: 0, RUN)
    with reading(joined) as old:
        assert old.pages.count() == 2
        more = write_store(tmp_path / "more.db", [Page("One"), Page("Two"), Page("Three")])
        join([more], joined, lambda _: 0, RUN)
        assert old.pages.count() == 3


@pytest.mark.parametrize("looks", [0, 3])
def test_a_join_that_is_given_up_leaves_what_was_joined_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    monkeypatch.setattr(joining, "_STEPS_AT_ONCE", 10)
    part, joined = write_store(tmp_path / "0.db", [Page("One"), Page("Two")]), tmp_path / "joined.db"
    join([part], joined, lambda _: 0, RUN)
    more = write_store(tmp_path / "1.db", [Page("One"), Page("Two"), Page("Three")])
    looked = count()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        join([part, more], joined, lambda _: 0, RUN, is_cut=lambda: next(looked) >= looks)
    assert rows(joined, "SELECT count(*) FROM page") == [(2,)]
    assert not joined.with_name("joined.db.joining").exists()


def test_a_shard_that_cannot_be_read_leaves_the_joined_store_unchanged(tmp_path: Path) -> None:
    part, joined = write_store(tmp_path / "0.db", [Page("One"), Page("Two")]), tmp_path / "joined.db"
    join([part], joined, lambda _: 0, RUN)
    (tmp_path / "1.db").write_bytes(b"no database" * 1000)
    with pytest.raises(sqlite3.DatabaseError):
        join([part, tmp_path / "1.db"], joined, lambda _: 0, RUN)
    with closing(sqlite3.connect(joined)) as connection:
        assert connection.execute("SELECT count(*) FROM page").fetchone() == (2,)
    assert not joined.with_name("joined.db.joining").exists()
