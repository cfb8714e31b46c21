"""Stores that are searched as one, each with its own pages at a path of the server."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Unpack

import pytest
from aiohttp.test_utils import TestClient, TestServer
from selectolax.lexbor import LexborHTMLParser

from hinterland.search.answers import SearchAnswer, SearchOptions
from hinterland.web import store_queries
from hinterland.web.application import application
from hinterland.web.combined_application import add_stores_below, shards_application
from hinterland.web.served_stores import served_stores
from tests.support.fake_index import FakeIndex
from tests.support.stored_pages import Page, write_store
from tests.web.test_pages import get

pytestmark = pytest.mark.slow


class OfTheOther(FakeIndex):
    """Finds pages of another store."""

    def __init__(self, store: Path, other: Path) -> None:
        super().__init__(store)
        self._other = str(other)

    def search(self, query: str, **asked: Unpack[SearchOptions]) -> SearchAnswer:
        answer = super().search(query, **asked)
        return replace(answer, hits=tuple(replace(hit, store=self._other) for hit in answer.hits))


def links(html: str) -> set[str]:
    return {node.attributes["href"] or "" for node in LexborHTMLParser(html).css("a[href]")}


async def test_hits_lead_to_the_pages_of_their_stores_and_these_to_one_another(
    crawled_store: Path, hostile_store: Path
) -> None:
    stores = served_stores(str(crawled_store), [str(hostile_store)])
    app = application(crawled_store, OfTheOther(crawled_store, hostile_store), only_this_machine=True, stores=stores)
    add_stores_below(app, stores, [FakeIndex(hostile_store)], only_this_machine=True)
    async with TestClient(TestServer(app)) as client:
        assert {"/also/1/", "/also/1/crawl", "/also/1/hosts"} <= links(await get(client, "/"))
        html = await get(client, "/?q=company")
        stored = min(link for link in links(html) if link.startswith("/also/1/page/") and "cached" not in link)
        assert {"/also/1/hosts", "/also/1/crawl"} <= links(await get(client, stored))
        assert hostile_store.stem in html
        assert {"/", "/crawl"} <= links(await get(client, "/also/1/"))
        assert "/also/1/?q=" in await get(client, "/also/1/opensearch.xml")
        assert "error" in await (await client.get("/also/1/api/page?number=999999")).json()
        refused = await client.post("/also/1/hosts")
        assert refused.status == 405
        strange = await client.get("/also/1/crawl", headers={"Host": "strange.example"})
        assert (strange.status, "default-src" in strange.headers["Content-Security-Policy"]) == (421, True)


async def test_every_dashboard_lists_all_unjoined_shards_and_each_shard_has_its_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_queries, "_FRESH_SECONDS", 0.0)
    monkeypatch.setattr(store_queries, "_FRESH_FACTOR", 0.0)
    first = await asyncio.to_thread(write_store, tmp_path / "0.db", [Page("one"), Page("two"), Page("three")])
    other = await asyncio.to_thread(
        write_store, tmp_path / "2.db", [Page("4", title="The fourth"), Page("5", outcome="client_error")]
    )
    app = shards_application({0: first, 2: other}, FakeIndex(first), only_this_machine=True)
    async with TestClient(TestServer(app)) as client:
        html = await get(client, "/crawl")
        counts = [row[:4] for row in rows_of(html, "shards")]
        assert counts == [["1, this one", "3", "0", "0"], ["3", "1", "0", "1"], ["all", "4", "0", "1"]]
        assert "/part/3/crawl" in links(html)
        assert "/crawl" in links(await get(client, "/part/3/crawl"))
        assert "The fourth" in await get(client, "/part/3/page/0")
        other.unlink()
        [_, gone, total] = rows_of(await get(client, "/crawl"), "shards")
        assert (gone[0], gone[-1]) == ("3", "unreadable at the moment")
        assert total[:2] == ["all", "3"]


async def test_the_dashboard_of_a_whole_store_lists_no_shards(crawled_store: Path) -> None:
    app = application(crawled_store, FakeIndex(crawled_store), only_this_machine=True)
    async with TestClient(TestServer(app)) as client:
        assert "Shards of this crawl" not in await get(client, "/crawl")


def rows_of(html: str, section: str) -> list[list[str]]:
    rows = LexborHTMLParser(html).css(f"#live-{section} tbody tr")
    return [[cell.text(strip=True) for cell in row.css("th, td")] for row in rows]
