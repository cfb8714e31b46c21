"""Links by target and bodies by hash: whatever was sorted and merged when, what is found is what the store has."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinterland.storage.migrations import CREATE_MIGRATION_TABLE, pending_migrations
from hinterland.storage.sorted_links import entries as entries_module
from hinterland.storage.sorted_links import sorting
from hinterland.storage.sorted_links.entries import Entries, packed, unpacked
from hinterland.storage.sorted_links.reading import all_bodies, all_links, is_sorted, links_to, pages_with_body
from hinterland.storage.sorted_links.sorting import REDIRECT, merge_some, sort_all, sort_some
from hinterland.storage.statements import statements_of
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import LinkColumns, VisitRecord

PAGES = 30
VISIT = VisitRecord(1, 0, "fetched", "fetched", "", 1, 900.0, 0.25, HostStateRecord(0, None, 0.0, 0.0, 0, 1, False))

links = st.lists(st.tuples(st.integers(0, PAGES - 1), st.sampled_from((0, 4, REDIRECT))), max_size=8, unique=True).map(
    sorted
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("visit"), st.integers(0, PAGES - 1), links, st.integers(0, 3)),
        st.sampled_from(("sort", "merge", "all")),
    ),
    max_size=25,
)


@cache
def _empty() -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.executescript(CREATE_MIGRATION_TABLE + ";\n" + "\n".join(pending_migrations(set())))
        connection.execute("INSERT INTO host (id, url, site) VALUES (0, 'http://a.test', 'a.test')")
        pages = [(number, f"http://a.test/{number}", 0, "known", 1, 0) for number in range(PAGES)]
        sql = "INSERT INTO page (id, url, host, state, is_local, depth) VALUES (?, ?, ?, ?, ?, ?)"
        connection.executemany(sql, pages)
        return connection.serialize()


def _new_store() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(_empty())
    return connection


@pytest.fixture
def store() -> Iterator[sqlite3.Connection]:
    with closing(_new_store()) as connection:
        yield connection


def _write(
    store: sqlite3.Connection, page: int, visit: int, attempt: int, found: list[tuple[int, int]], body: int
) -> None:
    targets, kinds = [target for target, _ in found], bytes(kind for _, kind in found)
    columns = LinkColumns(targets, kinds, bytes(len(found)), [""] * len(found))
    record = replace(VISIT, page=page, visit=visit, attempt=attempt, links=columns, body_hash=bytes([body] * 16))
    for sql, rows in statements_of([record]):
        store.executemany(sql, rows)


def _expected(store: sqlite3.Connection, targets: list[int]) -> list[tuple[int, int, int]]:
    sql = f"SELECT target, source, min(kind = {REDIRECT}) FROM link GROUP BY target, source ORDER BY target, source"
    return [row for row in store.execute(sql) if row[0] in targets]


def _found(found: Entries) -> list[tuple[int, int, int]]:
    return [(key, value >> 1, value & 1) for key, value in zip(found.keys.tolist(), found.values.tolist(), strict=True)]


@pytest.mark.slow
@settings(max_examples=40)
@given(steps, st.integers(1, 5), st.integers(2, 4), st.integers(1, 9), st.lists(st.integers(0, PAGES), max_size=12))
def test_what_links_to_a_page_is_found_at_every_moment(
    steps: list[tuple[str, int, list[tuple[int, int]], int] | str],
    block: int,
    merged: int,
    at_once: int,
    asked: list[int],
) -> None:
    attempts: dict[int, int] = {}
    with (
        patch.object(entries_module, "BLOCK", block),
        patch.multiple(sorting, _MERGED=merged, ENTRIES_AT_ONCE=at_once, _PAGES_AT_ONCE=3),
        closing(_new_store()) as store,
    ):
        for number, step in enumerate(steps, 1):
            if isinstance(step, tuple):
                _, page, found, body = step
                attempts[page] = attempts.get(page, 0) + 1
                _write(store, page, number, attempts[page], found, body)
            elif step == "all":
                sort_all(store)
            else:
                {"sort": sort_some, "merge": merge_some}[step](store)
            assert _found(all_links(store)) == _expected(store, list(range(PAGES)))
        assert _found(links_to(store, np.array(asked, np.int64))) == _expected(store, asked)
        for body in range(4):
            wanted = bytes([body] * 16)
            its_pages = [page for (page,) in store.execute("SELECT page FROM fetch WHERE body_hash = ?", (wanted,))]
            assert set(its_pages) <= set(pages_with_body(store, wanted))
            assert set(its_pages) <= set(all_bodies(store).values_of(int.from_bytes(wanted[:8], "big")).tolist())
        sort_all(store)
        assert store.execute("SELECT count(*) FROM unsorted").fetchone() == (0,)
        levels = list(store.execute("SELECT kind, level, count(*) FROM sorted_run GROUP BY kind, level"))
        assert all(count < merged for _, _, count in levels)


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**32)), min_size=1, max_size=50))
def test_a_block_is_unpacked_as_it_was(rows: list[tuple[int, int]]) -> None:
    keys, values = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    block = Entries.of(keys, values)
    again = unpacked(packed(block))
    assert again.keys.tolist() == block.keys.tolist()
    assert again.values.tolist() == block.values.tolist()


def test_a_reader_sees_one_moment_while_runs_are_merged(store: sqlite3.Connection) -> None:
    _write(store, 0, 1, 1, [(1, 0)], 0)
    store.execute("BEGIN")
    assert _found(links_to(store, np.array([1]))) == [(1, 0, 0)]
    assert store.in_transaction
    store.execute("ROLLBACK")


def test_a_store_with_very_many_unsorted_pages_says_so(store: sqlite3.Connection) -> None:
    assert is_sorted(store)
    store.execute(
        "INSERT INTO unsorted (page) WITH RECURSIVE counted (page) AS"
        " (SELECT 0 UNION ALL SELECT page + 1 FROM counted LIMIT 60001) SELECT page FROM counted"
    )
    assert not is_sorted(store)
