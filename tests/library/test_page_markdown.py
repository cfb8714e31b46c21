"""A page of a store as Markdown."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import hinterland
from hinterland.library.errors import HinterlandError, StoreUnusable
from tests.support.crawling import crawl
from tests.support.web import LoopbackWeb

HTML = "<title>T</title><h1 id=top>Top</h1><p>See <a href=/b#c>it</a>.<h2 id=low>Low</h2><p>More."


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("markdown")

    async def make() -> None:
        async with LoopbackWeb() as web:
            seed = web.page("a.test", "/", html=HTML)
            await crawl(web.addresses, [seed], folder / "site.db")

    asyncio.run(make())
    return folder / "site.db"


def test_a_page_or_a_section_of_it_is_markdown(path: Path) -> None:
    with hinterland.Store(path) as store:
        [page, *_] = store.pages()
        found = store.markdown(page.url, is_whole=True)
        target = page.url + "b#c"
        assert found.text == f"# Top\n\nSee [it]({target}).\n\n## Low\n\nMore.\n"
        assert (found.url, found.title, found.is_from_body) == (page.url, "T", True)
        assert [(each.path, each.anchor) for each in found.sections] == [(("Top",), "top"), (("Top", "Low"), "low")]
        assert store.markdown(page.page, anchor="low", is_whole=True).text == "## Low\n\nMore.\n"
        with pytest.raises(HinterlandError, match="no section #none"):
            store.markdown(page.url, anchor="none")


def test_a_page_without_content_is_an_error_that_says_why(path: Path) -> None:
    with hinterland.Store(path) as store:
        waiting = next(page for page in store.pages() if page.outcome != "fetched")
        with pytest.raises(StoreUnusable, match="no content of http"):
            store.markdown(waiting.url)
        with pytest.raises(StoreUnusable, match="no page"):
            store.markdown(99)


def test_damaged_content_is_an_error(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "site.db"
    with closing(sqlite3.connect(path)) as whole:
        whole.execute("VACUUM INTO ?", (str(copy),))
    with closing(sqlite3.connect(copy)) as damaged, damaged:
        damaged.execute("UPDATE content SET body = x'00'")
    with hinterland.Store(copy) as store:
        with pytest.raises(StoreUnusable, match="damaged"):
            store.markdown(0)
        with pytest.raises(StoreUnusable, match="damaged"):
            store.body(0)
