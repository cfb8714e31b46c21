"""Records that rules took out of pages: as tables of the store, and what is missing in them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading import extractions
from hinterland.storage.reading.opening import reading
from hinterland.storage.values.extraction import Column, ExtractedRecord, ExtractionTable, Shortfall, TableReport
from tests.support.crawling import rows
from tests.support.stored_pages import Page, write_store

SHOP = ExtractionTable(
    "shop", [Column("name", "text", False), Column("price", "number", False), Column("tags", "text", True)], "{}"
)


def store_of(path: Path, pages: int, *steps: Sequence[ExtractionTable] | Sequence[ExtractedRecord]) -> Path:
    """A store of pages, with tables and records given one after the other."""
    write_store(path, [Page(body="<p>")] * pages)
    change(path, *steps)
    return path


def change(path: Path, *steps: Sequence[ExtractionTable] | Sequence[ExtractedRecord]) -> None:
    async def write() -> None:
        async with LinkStore(path) as store:
            for step in steps:
                tables = [each for each in step if isinstance(each, ExtractionTable)]
                if tables:
                    await store.set_extraction(tables)
                await store.write([each for each in step if isinstance(each, ExtractedRecord)])

    asyncio.run(write())


def found(page: int, *records: object, missing: Sequence[str] = (), problem: str = "") -> ExtractedRecord:
    return ExtractedRecord(page, "shop", [json.dumps(each) for each in records], missing, problem)


def report(path: Path) -> TableReport:
    with reading(path) as store:
        [table] = store.extractions.reports()
    return table


def test_a_table_is_a_view_with_a_column_for_each_field(tmp_path: Path) -> None:
    record = found(1, {"name": "Lamp", "price": 9.5, "tags": ["a", "b"]}, {"name": "Chair"})
    path = store_of(tmp_path / "s.db", 2, [SHOP], [record])
    assert rows(path, "SELECT * FROM x_shop") == [
        (1, "http://a.test/1", 1, "Lamp", 9.5, '["a","b"]'),
        (1, "http://a.test/1", 2, "Chair", None, None),
    ]
    assert rows(path, "SELECT sum(price), typeof(price) FROM x_shop WHERE price > 9") == [(9.5, "real")]
    assert rows(path, "SELECT value FROM x_shop, json_each(tags)") == [("a",), ("b",)]


def test_a_page_that_is_read_again_has_only_its_new_records(tmp_path: Path) -> None:
    path = store_of(tmp_path / "s.db", 1, [SHOP], [found(0, {"name": "a"}, {"name": "b"})], [found(0, {"name": "c"})])
    assert rows(path, "SELECT name FROM x_shop") == [("c",)]
    assert report(path).records == 1


def test_other_rules_of_a_table_change_its_columns_and_make_what_is_there_outdated(tmp_path: Path) -> None:
    path = store_of(tmp_path / "s.db", 2, [SHOP], [found(0, {"name": "a"}), found(1, {"name": "b"})], [SHOP])
    assert report(path).outdated == 0
    other = ExtractionTable("shop", [Column("title", "text", False)], '{"other": 1}')
    change(path, [other], [found(1, {"title": "B"})])
    assert rows(path, "SELECT title FROM x_shop ORDER BY page") == [(None,), ("B",)]
    assert report(path).outdated == 1


def test_missing_fields_are_counted_for_all_pages_and_for_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extractions, "RECENT", 2)
    records = [
        found(0, {"name": "a", "price": 1}),
        found(1, missing=["name", "price"]),
        found(2, {"name": "b"}, missing=["price"]),
        found(3, {"name": "c"}, missing=["price"], problem="too much"),
    ]
    told = report(store_of(tmp_path / "s.db", 4, [SHOP], records))
    assert (told.pages, told.records, told.recent) == (4, 3, 2)
    assert told.empty == Shortfall(1, 0, "http://a.test/1")
    assert told.missing == {"price": Shortfall(2, 2, "http://a.test/3")}
    assert told.problems == {"too much": Shortfall(1, 1, "http://a.test/3")}


def test_fields_may_be_called_like_words_of_sql(tmp_path: Path) -> None:
    table = ExtractionTable("shop", [Column("order", "text", False), Column("select", "integer", False)], "{}")
    path = store_of(tmp_path / "s.db", 1, [table], [found(0, {"order": "a", "select": 1})])
    assert rows(path, 'SELECT "order", "select" FROM x_shop') == [("a", 1)]


def test_a_table_can_be_forgotten(tmp_path: Path) -> None:
    path = store_of(tmp_path / "s.db", 1, [SHOP], [found(0, {"name": "a"})])

    async def forget() -> None:
        async with LinkStore(path) as store:
            await store.forget_extraction("shop")

    asyncio.run(forget())
    assert rows(path, "SELECT count(*) FROM record") == [(0,)]
    assert rows(path, "SELECT name FROM sqlite_master WHERE name = 'x_shop'") == []
