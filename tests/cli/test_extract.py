"""`extract`, crawl --extract and the export of records: from rules to tables of a store."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

from hinterland.cli import main
from hinterland.crawler.parsing.extraction.rule_file import read_rules
from hinterland.crawler.parsing.extraction.tables import as_stored
from hinterland.storage.link_store import LinkStore
from tests.support.crawling import crawl, rows
from tests.support.in_process import complaint, said
from tests.support.web import Answer, LoopbackWeb

pytestmark = pytest.mark.slow

RULES = """
[item]
pages = "http://**/item/*"
each = "li"
[item.fields]
name = { css = "b", required = true }
price = { css = "i", type = "number" }
day = { css = "time", type = "date" }
tags = { css = "u", list = true }
[page]
pages = "**"
[page.fields]
title = "title"
"""

PAGES = {
    "/": "<title>All</title><a href=/item/1>1</a><a href=/item/2>2</a><a href=/item/3>3</a>",
    "/item/1": "<title>1</title><li><b>Lamp</b><i>$9.50</i><time>2024-02-29</time><u>a</u><u>b</u><li><b>=Chair</b>",
    "/item/2": "<title>2</title><li><b>Desk</b>",
    "/item/3": "<title>3</title><p>nothing",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that kept bodies, and extracted nothing."""
    path = tmp_path_factory.mktemp("extract") / "shop.db"
    return crawled(path, keep_bodies=True)


def crawled(path: Path, *, keep_bodies: bool, rules: str = "") -> Path:
    async def make() -> None:
        given = read_rules(rules, "") if rules else None
        if given is not None:
            async with LinkStore(path) as link_store:
                await link_store.set_extraction(as_stored(given))
        async with LoopbackWeb() as web:
            for place, html in PAGES.items():
                web.answer("shop.test", place, Answer(html.encode()))
            encoded = b"" if given is None else given.encoded()
            seeds = [web.url("shop.test")]
            storage = {"keep_bodies": keep_bodies, "keep_bodies_mb": 0}
            await crawl(web.addresses, seeds, path, rules=encoded, storage=storage)

    asyncio.run(make())
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.toml").write_text(RULES)
    return tmp_path


def test_rules_fill_tables_from_kept_bodies(store: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "extract", store, "--rules", "shop.toml")
    assert "4 pages read, 7 records found" in told
    assert "item: 3 records from 3 pages" in told
    assert "no record on 1 of 3 pages" in told
    assert "export" in told
    assert rows(store, "SELECT name, price, day, tags FROM x_item ORDER BY url, record") == [
        ("Lamp", 9.5, "2024-02-29", '["a","b"]'),
        ("=Chair", None, None, None),
        ("Desk", None, None, None),
    ]
    assert "item: 3 records" in said(capsys, "status", store)
    tables = json.loads(said(capsys, "status", store, "--json"))["extracted"]
    assert [table["name"] for table in tables] == ["item", "page"]

    again = json.loads(said(capsys, "extract", store, "--json"))  # by the rules in the store
    assert (again["pages"], again["records"]) == (4, 7)


def test_records_are_exported_typed_and_whole(store: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "extract", store, "--rules", "shop.toml")
    said(capsys, "export", store, "--table", "item", "--format", "csv", "--output", "item.csv")
    with Path("item.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert lines[0] == ["url", "record", "name", "price", "day", "tags"]
    assert lines[1][1:] == ["1", "Lamp", "9.5", "2024-02-29", '["a","b"]']
    said(capsys, "export", store, "--table", "item", "--format", "jsonl", "--output", "item.jsonl")
    found = [json.loads(line) for line in Path("item.jsonl").read_text().splitlines()]
    assert [each["tags"] for each in found] == [["a", "b"], None, None]
    said(capsys, "export", store, "--table", "item", "--format", "parquet", "--output", "item.parquet")
    schema = read_table("item.parquet").schema
    assert {name: str(schema.field(name).type) for name in ("price", "day", "tags")} == {
        "price": "double",
        "day": "date32[day]",
        "tags": "list<element: string>",
    }
    assert "item, page" in complaint(capsys, "export", store, "--what", "records", "--format", "csv")
    assert 'the nearest is "item"' in complaint(capsys, "export", store, "--table", "itm", "--format", "csv")
    assert "cannot be combined with" in complaint(
        capsys, "export", store, "--table", "item", "--what", "links", "--format", "csv"
    )


def test_pages_and_links_are_exported_as_csv(store: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "export", store, "--format", "csv", "--output", "pages.csv", "--with-text")
    pages = list(csv.DictReader(io.StringIO(Path("pages.csv").read_text())))
    assert [page["title"] for page in pages] == ["All", "1", "2", "3"]
    assert pages[0]["is_local"] == "true"
    said(capsys, "export", store, "--format", "csv", "--what", "links", "--output", "links.csv")
    assert len(Path("links.csv").read_text().splitlines()) == 4


def test_a_page_is_looked_at_without_a_change(store: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = rows(store, "SELECT url FROM page WHERE url LIKE '%/item/2'")[0][0]
    before = rows(store, "SELECT * FROM record")
    (folder / "other.toml").write_text(RULES.replace("[item", "[thing"))
    told = json.loads(said(capsys, "extract", store, "--rules", "other.toml", "--check", url))
    assert told["thing"] == {"records": [{"name": "Desk"}], "without_value": ["day", "price", "tags"]}
    assert rows(store, "SELECT * FROM record") == before
    assert "has no page" in complaint(
        capsys, "extract", store, "--rules", "other.toml", "--check", "http://x.test/", exit_code=3
    )


def test_a_table_is_forgotten_and_another_takes_its_place(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = crawled(tmp_path / "s.db", keep_bodies=True)
    said(capsys, "extract", store, "--rules", "shop.toml")
    (folder / "shop.toml").write_text('[item]\npages = "**/item/1"\n[item.fields]\nwhat = "b"')
    said(capsys, "extract", store, "--rules", "shop.toml")
    assert rows(store, "SELECT what FROM x_item") == [("Lamp",)]  # pages that are not meant any more are gone
    assert len(rows(store, "SELECT * FROM x_page")) == 4
    said(capsys, "extract", store, "--forget", "page")
    assert rows(store, "SELECT name FROM extraction WHERE name <> 'usage_statements'") == [("item",)]
    assert 'there is no table "pages"' in complaint(capsys, "extract", store, "--forget", "pages")


def test_a_store_without_bodies_or_rules_says_what_to_do(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = crawled(tmp_path / "s.db", keep_bodies=False)
    assert "give them with --rules" in complaint(capsys, "extract", store)
    told = complaint(capsys, "extract", store, "--rules", "shop.toml", exit_code=3)
    assert "storage.keep_bodies=true" in told
    assert "crawl --extract" in told
    assert "has no records" in complaint(capsys, "export", store, "--what", "records", "--format", "csv", exit_code=3)
    assert "no tables of extracted records" in complaint(capsys, "extract", store, "--forget", "x", exit_code=3)
    (folder / "bad.toml").write_text("[item]\n")
    assert "bad.toml: item: pages is missing" in complaint(capsys, "extract", store, "--rules", "bad.toml")
    assert "cannot be read" in complaint(capsys, "extract", store, "--rules", "none.toml")


def test_records_of_pages_without_bodies_stay_and_are_said_to_be_of_earlier_rules(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = crawled(tmp_path / "s.db", keep_bodies=True, rules=RULES)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE content SET body = NULL WHERE page IN (SELECT id FROM page WHERE url LIKE '%/1')")
    (folder / "shop.toml").write_text(RULES.replace('"i"', '"strong"'))
    told = said(capsys, "extract", store, "--rules", "shop.toml")
    assert "1 page skipped: no body was kept" in told
    assert "1 page read by earlier rules" in told
    assert rows(store, "SELECT price FROM x_item WHERE name = 'Lamp'") == [(9.5,)]


def test_a_crawl_applies_rules_while_it_runs(tmp_path: Path) -> None:
    store = crawled(tmp_path / "s.db", keep_bodies=False, rules=RULES)
    assert rows(store, "SELECT name, price FROM x_item ORDER BY url, record") == [
        ("Lamp", 9.5), ("=Chair", None), ("Desk", None),
    ]  # fmt: skip
    assert rows(store, "SELECT count(*) FROM x_page") == [(4,)]


PLUGIN = """
from hinterland.hooks import Hook

def read(page):
    return {"letters": len(page.first("title").text())}

HOOKS = {"title_length": Hook(pages="http://**/item/*", fields={"letters": "integer"}, read=read)}
"""


def test_a_hook_fills_a_table_beside_those_of_rules(
    tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = crawled(tmp_path / "s.db", keep_bodies=True)
    (folder / "plugin.py").write_text(PLUGIN)
    said(capsys, "extract", store, "--rules", "shop.toml", "--plugin", "plugin.py")
    assert rows(store, "SELECT letters FROM x_title_length") == [(1,), (1,), (1,)]
    assert len(rows(store, "SELECT * FROM x_item")) == 3

    assert main(["extract", str(store)]) == 0  # by what the store has, but for the hook, which nobody gives
    assert "skipped, because their plug-in file was not given (--plugin FILE): title_length" in capsys.readouterr().err
    (folder / "same.toml").write_text(RULES.replace("[page", "[title_length"))
    told = complaint(capsys, "extract", store, "--rules", "same.toml", "--plugin", "plugin.py")
    assert "title_length is a table of same.toml and the name of a hook" in told
    assert 'there is no hook "nobody"' in complaint(capsys, "extract", store, "--hook", "nobody")


def test_bad_rules_end_a_crawl_before_it_begins(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.toml").write_text('[item]\npages = "**"\n[item.fields]\nname = "h1["')
    told = complaint(capsys, "crawl", "http://shop.test/", "--extract", "bad.toml")
    assert "bad.toml: item.fields.name.css" in told
    assert not (folder / "hinterland.db").exists()
