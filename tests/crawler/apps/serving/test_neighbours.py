"""Stores that are searched as one, each with its own pages at a path of the server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Unpack

from aiohttp.test_utils import TestClient, TestServer
from selectolax.lexbor import LexborHTMLParser

from crawler.apps.search.answers import Asked, SearchAnswer
from crawler.apps.serving.application import application
from crawler.apps.serving.neighbours import side_by_side
from crawler.apps.serving.together import put_below
from tests.crawler.apps.serving.test_pages import get
from tests.support.fake_index import FakeIndex


class OfTheOther(FakeIndex):
    """Finds pages of another store."""

    def __init__(self, store: Path, other: Path) -> None:
        super().__init__(store)
        self._other = str(other)

    def search(self, query: str, **asked: Unpack[Asked]) -> SearchAnswer:
        answer = super().search(query, **asked)
        return replace(answer, hits=tuple(replace(hit, store=self._other) for hit in answer.hits))


def links(html: str) -> set[str]:
    return {node.attributes["href"] or "" for node in LexborHTMLParser(html).css("a[href]")}


async def test_hits_lead_to_the_pages_of_their_stores_and_these_to_one_another(
    crawled_store: Path, hostile_store: Path
) -> None:
    neighbours = side_by_side(str(crawled_store), [str(hostile_store)])
    app = application(
        crawled_store, OfTheOther(crawled_store, hostile_store), only_this_machine=True, neighbours=neighbours
    )
    put_below(app, neighbours, [FakeIndex(hostile_store)], only_this_machine=True)
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
