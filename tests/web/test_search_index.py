"""The search of the pages over a real index, also of hostile text, and while the index is rebuilt."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.settings import SearchSettings
from hinterland.search.index.building import build
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.searcher import SearchIndex
from hinterland.web.search_service import ReloadingIndex
from tests.web.test_pages import client_of, first, get, shown


def searches_of(folder: IndexFolder) -> ReloadingIndex:
    def opened(folder: IndexFolder) -> SearchIndex:
        return SearchIndex(folder, SearchSettings())

    return ReloadingIndex(folder, opened, "python3 run.py index", look_seconds=0.0)


@pytest.mark.slow
async def test_one_searches_as_soon_as_there_is_an_index_and_in_the_newest(crawled_store: Path, tmp_path: Path) -> None:
    store, folder = Path(shutil.copy(crawled_store, tmp_path / "s.db")), IndexFolder(tmp_path / "s.index")
    async with client_of(store, searches_of(folder)) as client:
        missing = shown(await get(client, "/?q=ferries", 503))
        assert f"There is no index in {folder.path}" in missing
        assert "The command is: python3 run.py index" in missing
        build(store, folder)
        html = await get(client, "/", params={"q": "timetable noon title:company"})
        assert first(html, ".hits h2").text() == "The ferry company"
        assert "PageRank in the whole web" in shown(html)
        with closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("UPDATE fetch SET title = 'The new company' WHERE page = 0")
        build(store, folder, rebuild=True)
        html = await get(client, "/", params={"q": "timetable noon title:company"})
        assert first(html, ".hits h2").text() == "The new company"
        assert "lacks zeppelin" in shown(await get(client, "/?q=timetable%20noon%20zeppelin"))
        explained = LexborHTMLParser(await get(client, "/?q=timetable&explain=1"))
        assert "names" in [cell.text() for cell in explained.css(".score tbody th")]
        async with client.get("/api/search", params={"q": "timetable", "explain": "1"}) as answer:
            value: Any = await answer.json()
        assert value["hits"][0]["page"] == 0
        assert sum(part["value"] for part in value["hits"][0]["parts"]) == pytest.approx(value["hits"][0]["score"])


@pytest.mark.slow
async def test_hostile_hits_are_text(hostile_store: Path, tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path / "h.index")
    build(hostile_store, folder)
    async with client_of(hostile_store, searches_of(folder)) as client:
        html = await get(client, "/?q=script%20pwned")
    page = LexborHTMLParser(html)
    assert len(page.css(".hits > li")) == 10
    assert not page.css("script:not([src]), img, [onerror]")
    assert "<script>window.pwned=1</script>" in shown(html).replace(" ", "")
    assert "\u202e" not in html


@pytest.mark.slow
async def test_any_query_gets_an_answer_or_a_clear_message(crawled_store: Path, tmp_path: Path) -> None:
    folder = IndexFolder(tmp_path / "s.index")
    build(crawled_store, folder)
    queries = (
        "\x00",
        "\u202e",
        "(",
        '"',
        "-",
        "AND OR NOT",
        "a" * 500,
        "😀",
        "\ud7ff",
        "[* TO *]",
        "%",
        "site:",
        "since:x",
    )
    async with client_of(crawled_store, searches_of(folder)) as client:
        for query in queries:
            for path in ("/", "/api/search"):
                async with client.get(path, params={"q": query}) as answer:
                    assert answer.status in (200, 400), await answer.text()
