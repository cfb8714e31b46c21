"""What somebody else made very large, or broke, costs the server little and leaves it a clear answer."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from hinterland.search.answers import Fragment, Hit, IndexedRank, SearchAnswer
from hinterland.storage.link_store import LinkStore
from hinterland.web.application import application
from hinterland.web.hostile_text import breadcrumb, visible, web_href

pytestmark = pytest.mark.slow

Client = TestClient[web.Request, web.Application]

HUGE = 1_000_000
SMALL_ANSWER = 200_000


class FoundHuge:
    """An index that finds one page whose title and snippet are huge."""

    def search(self, query: str, *, limit: int = 10, offset: int = 0, explain: bool = False, **_: Any) -> SearchAnswer:
        title = (Fragment("a", False), Fragment("T" * HUGE, True), Fragment("z", False))
        hit = Hit(0, "http://a.test/", title, (Fragment("S" * HUGE, False),), "http://a.test", "", 0.0, 1.0, (), 0, ())
        return SearchAnswer(query, (hit,), offset, 1, True, (), 0.0)

    def main_content(self, page: int) -> str | None:
        return "C" * 10_000

    def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
        return [typed][:limit]

    def rank_of(self, page: int) -> IndexedRank | None:
        return IndexedRank(1, 1, 1.0, True, "E" * HUGE)

    def matched_words(self, query: str, page: int, text: str) -> set[str]:
        return {"w" * HUGE}


async def _made(path: Path) -> None:
    async with LinkStore(path):
        pass


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of one page, all of whose texts are huge, that links to itself."""
    path = tmp_path / "store.db"
    asyncio.run(_made(path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "INSERT INTO host (id, url, site, last_error, pages_fetched) VALUES (0, 'http://a.test', 'a.test', ?, 1)",
            ("E" * HUGE,),
        )
        url = "http://a.test/" + "u" * HUGE
        connection.execute("INSERT INTO page VALUES (0, ?, 0, 'fetched', 1, 0, NULL, 0)", (url,))
        connection.execute(
            "INSERT INTO fetch (page, visit, outcome, detail, attempt, started_at, seconds, content_type, charset,"
            " last_modified, title, description, language) VALUES (0, 1, 'fetched', ?, 1, 0, 0, ?, ?, ?, ?, ?, ?)",
            ["<b>" * HUGE] * 7,
        )
        headings = json.dumps([[1, "<h>"]] * 100_000)
        connection.execute("INSERT INTO content (page, headings) VALUES (0, ?)", (headings,))
        connection.executemany("INSERT INTO link VALUES (0, 0, ?, 0, ?)", [(kind, "A" * HUGE) for kind in range(9)])
        connection.execute("INSERT INTO unsorted (page) VALUES (0)")
        connection.commit()
    return path


@asynccontextmanager
async def served(store: Path) -> AsyncIterator[Client]:
    app = application(store, FoundHuge(), only_this_machine=True)
    async with TestClient(TestServer(app)) as client:
        yield client


async def sizes(client: Client, paths: Sequence[str]) -> dict[str, int]:
    found = {}
    for path in paths:
        async with client.get(path) as answer:
            assert answer.status == 200, path
            found[path] = len(await answer.read())
    return found


async def test_pages_stay_small_whatever_was_crawled(store: Path) -> None:
    async with served(store) as client:
        for path, size in (await sizes(client, ("/page/0", "/host/0", "/hosts", "/crawl", "/?q=x"))).items():
            assert size < SMALL_ANSWER, path


async def test_answers_of_the_api_stay_small_but_for_the_url_asked_for(store: Path) -> None:
    async with served(store) as client:
        of_page = (await sizes(client, ["/api/page?number=0"]))["/api/page?number=0"]
        assert of_page < HUGE + 2 * SMALL_ANSWER
        others = ("/api/host?number=0", "/api/hosts", "/api/search?q=x")
        for path, size in (await sizes(client, others)).items():
            assert size < SMALL_ANSWER, path


async def test_what_was_cut_says_so(store: Path) -> None:
    async with served(store) as client:
        async with client.get("/api/search?q=x") as answer:
            [hit] = (await answer.json())["hits"]
        title = "".join(each["text"] for each in hit["title"])
        assert title == "a" + "T" * 999 + "…"
        async with client.get("/page/0") as answer:
            page = await answer.text()
        assert "100,000 headings" in page
        assert "and 99,500 more" in page


async def test_an_answer_that_goes_wrong_is_a_clear_page_with_all_headers_and_the_next_one_is_right(
    store: Path,
) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("INSERT INTO robots (host, fetched_at, expires_at, sitemaps) VALUES (0, 0, 0, 'no JSON')")
        connection.commit()
    async with served(store) as client:
        async with client.get("/host/0") as answer:
            assert answer.status == 500
            assert "Internal error of Hinterland" in await answer.text()
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        async with client.get("/api/host?number=0") as answer:
            assert answer.status == 500
            assert list(await answer.json()) == ["error"]
        assert await sizes(client, ["/page/0"])


def test_text_in_a_line_is_cut_where_no_line_is_long_enough() -> None:
    assert visible("a" * 2_000) == "a" * 2_000
    assert visible("a" * 2_001) == "a" * 2_000 + "…"


def test_a_url_that_is_too_long_to_follow_is_no_link() -> None:
    assert web_href("http://a.test/" + "u" * 7_900) is not None
    assert web_href("http://a.test/" + "u" * 8_000) is None


def test_a_breadcrumb_of_a_million_folders_is_short() -> None:
    assert sum(map(len, breadcrumb("http://a.test/" + "a/" * HUGE))) < 5_000
