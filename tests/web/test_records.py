"""The records that rules took out of pages, as `serve` shows them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import uvloop

from hinterland.crawler.parsing.extraction.rule_file import read_rules
from hinterland.crawler.parsing.extraction.tables import as_stored
from hinterland.storage.link_store import LinkStore
from hinterland.web.field_values import columns_of, in_a_cell
from tests.support.crawling import crawl
from tests.support.stores import HOSTILE
from tests.support.web import LoopbackWeb
from tests.web.test_pages import client_of, get, shown

RULES = """
[item]
pages = "http://**/item/*"
each = "li"
[item.fields]
name = { css = "b", required = true }
price = { css = "i", type = "number" }
tags = { css = "u", list = true }
[shop]
pages = "**"
[shop.fields]
owner = "address"
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "shop.db"
    uvloop.run(make_shop(path))
    return path


async def make_shop(path: Path) -> None:
    rules = read_rules(RULES, "")
    async with LinkStore(path) as store:
        await store.set_extraction(as_stored(rules))
    async with LoopbackWeb() as web:
        goods = "".join(f"<li><b>Chair {n}</b><i>{n}.50</i><u>wood</u><u>old</u>" for n in range(60))
        web.page("shop.test", "/item/1", html=f"<title>Chairs</title><ul>{goods}</ul>")
        web.page("shop.test", "/item/2", html="<title>Desks</title><ul><li><b>Desk</b></ul>")
        seed = web.page("shop.test", "/", links=["/item/1", "/item/2"])
        await crawl(web.addresses, [seed], path, rules=rules.encoded())


async def test_a_page_shows_its_records_by_table(shop: Path) -> None:
    async with client_of(shop) as client:
        text = shown(await get(client, "/page/1"))
        none = shown(await get(client, "/page/0"))
    assert "Records of item 60 name price tags Chair 0 0.5 wood, old Chair 1 1.5 wood, old" in text
    assert "and 40 more" in text
    assert "Records of item" not in none
    assert "Records of shop 0 The rules match nothing on this page." in none


async def test_tables_are_listed_and_their_records_go_on_where_the_part_before_ended(shop: Path) -> None:
    async with client_of(shop) as client:
        assert "item 61 2 0 shop 0 3 3" in shown(await get(client, "/records"))
        first = await get(client, "/records/item")
        assert "Chairs Chair 49 49.5 wood, old" in shown(first)
        assert 'href="/records/item?page=1&amp;number=50"' in first
        rest = await get(client, "/records/item?page=1&number=50")
        assert "Chairs Chair 50 50.5" in shown(rest)
        assert "Desks Desk" in shown(rest)
        assert 'rel="next"' not in rest
        assert "No extraction rules of this store fill the table nothing" in await get(client, "/records/nothing", 404)
        assert "The table has no records yet." in await get(client, "/records/shop")


async def test_records_are_text_whatever_they_hold(shop: Path, tmp_path: Path) -> None:
    hostile = tmp_path / "hostile.db"
    with closing(sqlite3.connect(shop)) as store, closing(sqlite3.connect(hostile)) as copy:
        store.backup(copy)
        copy.execute("UPDATE record SET fields = ? WHERE number = 1", (json.dumps({HOSTILE: HOSTILE, "a": [HOSTILE]}),))
        copy.execute("UPDATE record SET fields = ? WHERE number = 2", (json.dumps({"a": "x" * 30_000}),))
        copy.execute("UPDATE record SET fields = '[1]' WHERE number = 3")
        copy.execute("UPDATE extracted SET problem = ?", (HOSTILE,))
        copy.commit()
    async with client_of(hostile) as client:
        for path in ("/records/item", "/page/1", "/page/2"):
            html = await get(client, path)
            assert "<script>window" not in html
            assert 'onerror="window' not in html
            assert "\u202e" not in html
        assert "too long to show" in await get(client, "/records/item")


async def test_a_store_without_rules_says_so(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        assert "no extraction rules were given" in await get(client, "/records")


def test_columns_are_the_fields_in_the_order_in_which_they_come_up() -> None:
    assert columns_of([{"a": 1, "b": 2}, None, {"c": 3, "a": 4}]) == ["a", "b", "c"]
    assert len(columns_of([{str(number): 0 for number in range(100)}])) == 30


def test_values_are_told_in_words() -> None:
    values = [None, True, 1.5, ["a", 2, False], "x"]
    assert list(map(in_a_cell, values)) == ["", "yes", "1.5", "a, 2, no", "x"]
