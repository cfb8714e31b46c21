"""What `serve` shows of changes: a list, a feed, a page before and after; hostile text stays text."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import uvloop
from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import crawl
from tests.support.web import Answer, LoopbackWeb
from tests.web.test_pages import Client, client_of, get, shown

HOSTILE = (
    "<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>"
    "<main><p>it was {} &lt;b&gt;bold&lt;/b&gt; \x0b here</p></main>"
)
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("changes") / "s.db"
    uvloop.run(changed(store))
    return store


async def changed(store: Path) -> None:
    async with LoopbackWeb() as web:
        pages = Documents(web, home=home("a", "b", "h"), a=TEXT.format("old", ""), b=TEXT.format("x", ""))
        pages["h"] = HOSTILE.format("old")
        await crawl(web.addresses, [web.url("a.test", "/home")], store)
        pages["a"], pages["b"] = TEXT.format("newer", "<a href=/c>c</a>"), Answer(b"", 410)
        pages["c"], pages["h"] = "<title>c</title>", HOSTILE.format("new")
        await crawl(web.addresses, [], store, revisiting=Revisiting())


async def tree(client: Client, path: str) -> LexborHTMLParser:
    return LexborHTMLParser(await get(client, path))


async def test_changes_are_listed_with_what_can_be_asked_of_them(store: Path) -> None:
    async with client_of(store) as client:
        page = await tree(client, "/changes?since=1d")
        assert [each.text() for each in page.css("table.figures tbody th")] == ["changed", "gone", "new"]
        assert len(page.css("table.stack tbody tr")) == 4
        gone = await tree(client, "/changes?kind=gone")
        assert len(gone.css("table.stack tbody tr")) == 1
        assert "No changes were found" in shown(await get(client, "/changes?since=2099-01-01"))
        assert "is not a time" in (await get(client, "/changes?since=soon", status=400))


async def test_the_dashboard_shows_revisits_if_there_were_any(store: Path) -> None:
    async with client_of(store) as client:
        page = await tree(client, "/crawl")
        names, values = ([each.text() for each in page.css(f".cards > div > {tag}")] for tag in ("dt", "dd"))
        cards = dict(zip(names, values, strict=True))
        assert {name: cards[name] for name in ("revisits", "left to revisit", "changed", "new", "gone")} == {
            "revisits": "4", "left to revisit": "0", "changed": "2", "new": "1", "gone": "1",
        }  # fmt: skip
        assert "pages a second" not in cards
        assert page.css_first("a[href='/changes']") is not None


async def test_a_page_is_shown_before_and_after(store: Path) -> None:
    async with client_of(store) as client:
        listed = await tree(client, "/changes?kind=changed")
        [href] = {
            link.attributes["href"]
            for row in listed.css("table.stack tbody tr")
            if any(each.text().endswith("/a") for each in row.css("bdi"))
            for link in row.css("td:nth-child(2) a")
        }
        page = await tree(client, href or "")
        assert [each.text() for each in page.css("del")] == ["old"]
        assert [each.text() for each in page.css("ins")] == ["newer", "c"]
        number = (href or "").split("/")[2]
        facts = shown(await get(client, f"/page/{number}"))
        assert "Revisited once, last" in facts
        assert "Only 1 of the changes of this page" in shown(await get(client, f"/page/{number}/changes?back=7"))
        assert "no page 99" in await get(client, "/page/99/changes", status=404)


async def test_the_feed_is_well_formed_atom_whatever_pages_say(store: Path) -> None:
    async with client_of(store) as client:
        feed = ET.fromstring(await get(client, "/changes.atom?since=1d"))
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == 4
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == 4
    titles = [entry.findtext(f"{ATOM}title") for entry in entries]
    assert "changed: <script>alert(1)</script>" in titles
    assert all(entry.find(f"{ATOM}link") is not None and entry.findtext(f"{ATOM}updated") for entry in entries)


async def test_what_a_page_says_is_never_markup(store: Path) -> None:
    async with client_of(store) as client:
        for path in ("/changes", "/changes?kind=changed"):
            assert not (await tree(client, path)).css("main script")
        for number in range(5):
            assert not (await tree(client, f"/page/{number}/changes")).css("main b, main script")
