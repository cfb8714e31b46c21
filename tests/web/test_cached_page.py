"""Pages as they were fetched: readable, marked, and nothing in them that does anything."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from hinterland.storage.values.compression import packed_bytes
from hinterland.web.cached_markup import MOST_CHARACTERS, KeptPage
from tests.support.browsing import BrowserLoop, visiting
from tests.support.stores import HOSTILE
from tests.web.test_pages import attribute, client_of, first, get, shown

if TYPE_CHECKING:
    from playwright.async_api import Browser

URL = "http://a.test/docs/page.html"
PAGE = """<html><head><title>x</title><base href="/other/"></head><body onload="window.pwned=1">
<h1>Ferries</h1><p style="color:red" id=p>The <b>ferry</b> timetable. <a href="winter.html">Winter</a>
<a href="javascript:window.pwned=1">Bad</a><img src="/x.png" alt="A boat"><ul>loose<li>one</ul>
<table><tr><td colspan="2">wide<td rowspan="99999">far</table><script>window.pwned=1</script></body></html>"""
ATTACKS = (
    HOSTILE,
    "<svg><script>window.pwned=1</script><style><img src=x onerror=window.pwned=1></style></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=window.pwned=1&gt;'>",
    "<noscript><p title='</noscript><img src=x onerror=window.pwned=1>'></noscript>",
    "<a href=' java\nscript:window.pwned=1'>x</a><a href='data:text/html,<script>1</script>'>x</a>",
    "<form action=http://out.test/><button formaction='javascript:window.pwned=1'>x</button><input onfocus=1>",
    "<template><img src=x onerror=window.pwned=1></template><iframe srcdoc='<script>1</script>'></iframe>",
    "<xmp><img src=x onerror=window.pwned=1></xmp><plaintext><img src=x onerror=window.pwned=1>",
)
ELEMENTS = ("p", "ul", "li", "dl", "dd", "b", "div", "a", "span", "mark", "table", "tbody", "tr", "td", "br")
ALLOWED = {"a": {"href", "rel"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}, "span": {"class"}}


@pytest.fixture
def kept_store(crawled_store: Path, tmp_path: Path) -> Path:
    """Page 0 has PAGE as its body, page 1 all attacks; others have none."""
    path = tmp_path / "kept.db"
    shutil.copy(crawled_store, path)
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE content SET body = NULL")
        for page, body in enumerate((PAGE, "".join(ATTACKS))):
            store.execute("UPDATE content SET body = ? WHERE page = ?", (packed_bytes(body.encode()), page))
    return path


def elements(html: str) -> Iterator[LexborNode]:
    body = LexborHTMLParser(f"<div class=cached>{html}</div>").css_first(".cached")
    assert body is not None
    return (node for node in body.css("*") if node != body)


def test_text_keeps_its_divisions_and_links_their_targets() -> None:
    html = KeptPage(PAGE, URL).marked(()).html
    assert [node.text() for node in LexborHTMLParser(html).css("h2, b, li")] == ["Ferries", "ferry", "loose", "one"]
    assert re.findall('href="([^"]*)', html) == ["http://a.test/other/winter.html"]
    assert 'colspan="2"' in html
    assert "A boat" in html
    assert "pwned" not in html
    assert "style" not in html


def test_words_are_marked_wherever_they_stand_and_nowhere_within_others() -> None:
    marked = KeptPage("<p>Ferry, FERRY <i>ferry</i> ferryman</p><p>我爱北京</p>", URL).marked(["ferry", "北京"])
    assert re.findall("<mark>([^<]*)", marked.html) == ["Ferry", "FERRY", "ferry", "北京"]
    assert marked.matches == 4


@pytest.mark.slow
@given(st.lists(st.sampled_from([*ATTACKS, "<p>", "</p>", "<li>", "<dl>", "<table>", "<td>", "text", "<b>", "<!--"])))
def test_whatever_a_page_holds_only_a_short_list_of_elements_is_shown(parts: list[str]) -> None:
    html = KeptPage("".join(parts), URL).marked(["text"]).html
    for node in elements(html):
        assert node.tag in ELEMENTS
        assert set(node.attributes) <= ALLOWED.get(node.tag or "", set())
        assert str(node.attributes.get("href", "http:")).startswith("http")
    assert not re.search("[\u202e\x1b\x07]", html)


@pytest.mark.slow
def test_pages_without_end_are_cut_and_those_nested_without_end_made_flat() -> None:
    long = KeptPage("<p>word " * MOST_CHARACTERS, URL).marked(())
    assert not long.is_whole
    assert len(long.html) < 3 * MOST_CHARACTERS
    deep = KeptPage("<div>" * 5_000 + "deep", URL).marked(())
    assert deep.html.count("<div>") < 100
    assert "deep" in deep.html
    assert KeptPage("", URL).marked(["word"]).html == ""


@pytest.mark.slow
async def test_the_version_is_told_and_results_lead_to_it_with_their_query(kept_store: Path) -> None:
    async with client_of(kept_store) as client:
        results = await get(client, "/?q=ferry")
        href = attribute(results, "ol.hits a[href*=cached]", "href")
        assert href == "/page/0/cached?q=ferry"
        html = await get(client, href)
        assert "As it was fetched on " in shown(html)
        assert first(html, ".cached mark").text() == "ferry"
        assert attribute(await get(client, "/page/0"), "a[href$=cached]", "href") == "/page/0/cached"
        assert "keep_bodies" in await get(client, "/page/2/cached", 404)
        assert "cached" not in await get(client, "/page/2")
        await get(client, "/page/99999/cached", 404)


@pytest.mark.slow
def test_nothing_of_a_hostile_page_runs_or_is_loaded(browser_loop: BrowserLoop, kept_store: Path) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, kept_store, viewport={"width": 390, "height": 800}) as visitor:
            asked: list[str] = []
            visitor.page.on("request", lambda request: asked.append(request.url))
            for number in (0, 1):
                await visitor.go(f"/page/{number}/cached?q=ferry")
                assert await visitor.page.evaluate("window.pwned") is None
                assert await visitor.violations() == []
                assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= 390
            assert visitor.complaints == []
            assert all(url.startswith(visitor.base) for url in asked)

    browser_loop.run(scenario)
