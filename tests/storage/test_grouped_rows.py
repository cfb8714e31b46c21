"""Rows that are written several at a time."""

from __future__ import annotations

import sqlite3

import pytest

from hinterland.storage.values.grouped_rows import grouped, values


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 24, 31])
def test_all_rows_are_written_in_their_order(count: int) -> None:
    rows = [(number, f"text {number}") for number in range(count)]
    store = sqlite3.connect(":memory:")
    store.execute("CREATE TABLE t (number, text)")
    executed = 0
    for sql, parameters in grouped(lambda n: f"INSERT INTO t VALUES {values(2, n)}", rows):
        store.executemany(sql, parameters)
        executed += len(parameters)
    assert store.execute("SELECT number, text FROM t ORDER BY rowid").fetchall() == rows
    assert executed == count // 8 + count % 8
