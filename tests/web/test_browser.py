"""The pages in a real browser: searched, followed, watched, by keyboard, without JavaScript, on a narrow screen."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hinterland.search.answers import Facet, FacetValue, SearchAnswer
from tests.support.browsing import BrowserLoop, Visitor, visiting
from tests.support.crawling import crawl, rows, wait_until
from tests.support.fake_index import FakeIndex
from tests.support.web import LoopbackWeb

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.slow

PATHS = (
    *("/", "/?q=Ferry", "/page/0", "/hosts?all=1", "/hosts/links", "/host/0", "/crawl", "/crawl?every=5", "/structure"),
    *("/page/99999", "/?q=x:", "/broken-links", "/ranks", "/changes", "/records", "/signals", "/audit"),
    "/pages?order=size&desc=1",
)


class WithFacets(FakeIndex):
    def search(self, query: str, **options: Any) -> SearchAnswer:
        facet = Facet("year", (FacetValue("2026", 3, "year:2026 Ferry"),), 0)
        return replace(super().search(query, **options), facets=(facet,))


def test_one_searches_and_follows_to_a_stored_page_by_keyboard_alone(
    browser_loop: BrowserLoop, crawled_store: Path
) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store) as visitor:
            page = visitor.page
            await visitor.go("/")
            await page.wait_for_selector("#q:focus")
            await page.keyboard.type("Ferry 2")
            await page.keyboard.press("Enter")
            await page.wait_for_selector("ol.hits")
            await page.keyboard.press("Tab")
            assert await page.evaluate("document.activeElement.className") == "skip"
            await page.keyboard.press("Enter")
            assert await page.evaluate("document.activeElement.id") == "main"
            for _ in range(20):
                await page.keyboard.press("Tab")
                if await page.evaluate("document.activeElement.textContent") == "Stored page":
                    break
            outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline == "solid"
            await page.keyboard.press("Enter")
            await page.wait_for_selector("#text-heading")
            assert await page.inner_text("h1") == "Ferry 1"
            await page.click("section[aria-labelledby=out-heading] a.page-link >> nth=0")
            assert await page.inner_text("h1") == "The ferry company"

    browser_loop.run(scenario)


def test_everything_is_there_without_javascript(browser_loop: BrowserLoop, crawled_store: Path) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store, java_script_enabled=False) as visitor:
            page = visitor.page
            await visitor.go("/")
            await page.fill("#q", "Ferry")
            await page.click("button[type=submit]")
            await page.click("ol.hits >> text=Stored page >> nth=0")
            assert "sails" in await page.inner_text(".text")
            await page.click("nav >> text=Hosts")
            await page.click("tbody th a >> nth=0")
            assert "User-agent" in await page.inner_text("pre.served")
            await page.click("nav >> text=Crawl")
            assert "8 refreshes" in await page.inner_text("#live-estimate")
            assert not await page.is_visible("#live-pause")
            await page.click("text=every 5 s")
            assert await page.locator("meta[http-equiv=refresh]").get_attribute("content") == "5"
            await page.click("text=stop that")
            assert not await page.locator("meta[http-equiv=refresh]").count()
            for path, part in (("/hosts/links", ".host-graph svg"), ("/broken-links", ".broken h2"), ("/ranks", "h1")):
                await visitor.go(path)
                assert await page.is_visible(f"{part} >> nth=0"), path

    browser_loop.run(scenario)


async def go(visitor: Visitor, path: str) -> None:
    """Until what is being computed has been."""
    await visitor.go(path)
    while path == "/structure" and await visitor.page.query_selector("meta[http-equiv=refresh]"):
        await visitor.go(path)


RULES: dict[str, dict[str, Any]] = {"light": {}, "dark": {"runOnly": ["cat.color"]}}
"""The rules of axe for each scheme: all of them, and those on colours, which alone can differ in the dark."""


@pytest.mark.parametrize("scheme", RULES)
def test_axe_finds_no_serious_fault(scheme: str, browser_loop: BrowserLoop, crawled_store: Path) -> None:
    from axe_playwright_python.async_playwright import Axe

    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store, color_scheme=scheme, reduced_motion="reduce") as visitor:
            for path in PATHS:
                await go(visitor, path)
                await visitor.page.evaluate("document.querySelectorAll('details').forEach((each) => each.open = true)")
                found = await Axe().run(visitor.page, options={"resultTypes": ["violations"]} | RULES[scheme])
                faults = [
                    (each["id"], [node["html"] for node in each["nodes"]])
                    for each in found.response["violations"]
                    if each["impact"] in ("serious", "critical")
                ]
                assert not faults, f"{path}: {json.dumps(faults, indent=1)}"

    browser_loop.run(scenario)


@pytest.mark.parametrize("width", [390, 320])
def test_nothing_is_wider_than_a_phone(
    width: int, browser_loop: BrowserLoop, crawled_store: Path, hostile_store: Path
) -> None:
    async def scenario(browser: Browser) -> None:
        for store in (crawled_store, hostile_store):
            async with visiting(browser, store, viewport={"width": width, "height": 800}) as visitor:
                for path in PATHS:
                    await visitor.go(path)
                    await visitor.page.evaluate(
                        "document.querySelectorAll('details').forEach((each) => each.open = true)"
                    )
                    wide = await visitor.page.evaluate("document.documentElement.scrollWidth")
                    assert wide <= width, f"{path} of {store.name} is {wide} wide"

    browser_loop.run(scenario)


def test_the_words_of_the_navigation_stay_whole_on_the_narrowest_screen(
    browser_loop: BrowserLoop, crawled_store: Path
) -> None:
    lines = """[...document.querySelectorAll('.top a')].map((each) => {
        const range = document.createRange();
        range.selectNodeContents(each);
        return new Set([...range.getClientRects()].map((box) => Math.round(box.bottom))).size;
    })"""

    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store, viewport={"width": 320, "height": 800}) as visitor:
            await visitor.go("/")
            assert set(await visitor.page.evaluate(lines)) == {1}

    browser_loop.run(scenario)


def test_hostile_text_executes_nothing_and_no_policy_is_violated(
    browser_loop: BrowserLoop, hostile_store: Path
) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, hostile_store) as visitor:
            for path in (*PATHS, "/page/3", "/page/4", "/host/1", "/page?url=%22%3E%3Cscript%3E"):
                await visitor.go(path)
                if path == "/crawl":
                    await visitor.page.wait_for_selector("text=no crawl is running")
                await visitor.page.wait_for_timeout(20)
                assert await visitor.page.evaluate("window.pwned") is None, path
                assert await visitor.violations() == [], path
            expected = "Failed to load resource: the server responded with a status of"  # 404 and 400 are asked for
            assert [each for each in visitor.complaints if not each.startswith(expected)] == []

    browser_loop.run(scenario)


def test_hits_come_before_the_facets_in_the_order_of_the_tab_key(
    browser_loop: BrowserLoop, crawled_store: Path
) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store, searches=WithFacets(crawled_store)) as visitor:
            for width in (1280, 390):
                await visitor.page.set_viewport_size({"width": width, "height": 900})
                await visitor.go("/?q=Ferry")
                order: list[str] = []
                for _ in range(200):
                    await visitor.page.keyboard.press("Tab")
                    order.append(
                        await visitor.page.evaluate(
                            "(document.activeElement.closest('.hits, .facets') || document.activeElement).className"
                        )
                    )
                    if order[-1] == "facets":
                        break
                assert "hits" in order
                assert order[-1] == "facets"
                beside = await visitor.page.evaluate(
                    "document.querySelector('.facets').getBoundingClientRect().top"
                    " <= document.querySelector('.hits').getBoundingClientRect().top + 40"
                )
                assert beside, width

    browser_loop.run(scenario)


def test_the_value_under_the_pointer_is_shown_without_a_script(
    browser_loop: BrowserLoop, crawled_store: Path, tmp_path: Path
) -> None:
    store = Path(shutil.copy(crawled_store, tmp_path / "store.db"))
    with closing(sqlite3.connect(store)) as connection, connection:
        course = json.dumps([[2.0 * tick, 80 * tick, 90 * tick, 1_000 * tick] for tick in range(9)])
        errors = json.dumps([10 * tick for tick in range(9)])
        changed = "json_set(progress, '$.course', json(?), '$.course_of_errors', json(?))"
        connection.execute(f"UPDATE run SET progress = {changed}", (course, errors))

    async def scenario(browser: Browser) -> None:
        async with visiting(browser, store, java_script_enabled=False) as visitor:
            await visitor.go("/crawl")
            plots = visitor.page.locator("#live-rates .plot")
            assert await plots.count() == 4
            for place, value in enumerate(("40.0", "45.0", "5.0", "500 bytes")):
                plot = plots.nth(place)
                assert not await plot.locator(".tip >> nth=3").is_visible()
                await plot.locator(".spot >> nth=3").hover()
                assert await plot.locator(".tip >> nth=3").inner_text() == f"{value} after 8.0 s"

    browser_loop.run(scenario)


def test_the_picture_of_the_hosts_can_be_read_on_a_phone(browser_loop: BrowserLoop, crawled_store: Path) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store, viewport={"width": 390, "height": 800}) as visitor:
            await visitor.go("/hosts/links")
            for text in await visitor.page.locator("svg text >> visible=true").all():
                box = await text.bounding_box()
                assert box is not None
                assert box["height"] >= 10
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= 390
            names = await visitor.page.locator(".host-names li").all_inner_texts()
            assert [name.split()[0] for name in names] == [str(number) for number in range(1, len(names) + 1)]
            assert names

    browser_loop.run(scenario)


def test_an_inline_script_would_be_stopped_and_seen(browser_loop: BrowserLoop, crawled_store: Path) -> None:
    """Or the test above could not fail."""

    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store) as visitor:
            await visitor.go("/")
            await visitor.page.evaluate("document.body.setAttribute('onclick', 'window.pwned = 1')")
            await visitor.page.click("body")
            await visitor.page.wait_for_function("window.violations.length")
            assert await visitor.page.evaluate("window.pwned") is None
            assert await visitor.violations() == ["script-src-attr"]

    browser_loop.run(scenario)


def test_the_dashboard_of_a_crawl_that_has_ended_is_not_live(browser_loop: BrowserLoop, crawled_store: Path) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store) as visitor:
            await visitor.go("/crawl")
            await visitor.page.wait_for_selector("text=no crawl is running")
            assert await visitor.page.locator("#live-controls.is-live").count() == 0
            assert not await visitor.page.is_visible("#live-pause")

    browser_loop.run(scenario)


def test_the_dashboard_follows_a_crawl_and_can_be_paused(browser_loop: BrowserLoop, tmp_path: Path) -> None:
    store = tmp_path / "store.db"

    async def scenario(browser: Browser) -> None:
        async with LoopbackWeb() as web:
            links = [f"/{number}" for number in range(2000)]
            seed = web.page("slow.test", "/", links=links)
            for link in links:
                web.page("slow.test", link)
            stop: Any = None

            async def watch(crawling: Any) -> None:
                nonlocal stop
                stop = crawling.stop
                await asyncio.sleep(3600)

            changes: dict[str, Any] = {"politeness": {"delay_seconds": 0.05}}  # it goes on for longer than this takes
            crawled = asyncio.create_task(crawl(web.addresses, [seed], store, watch=watch, **changes))
            try:
                await wait_until(lambda: rows_or_none(store), pause=0.02)
                await follow(browser)
            finally:
                if stop is not None:
                    stop()
                await crawled

    async def follow(browser: Browser) -> None:
        async with visiting(browser, store) as visitor:
            page = visitor.page
            await visitor.go("/crawl")
            await page.wait_for_selector(".is-live")
            assert "A crawl is running" in await page.inner_text("#live-summary")
            seen: set[str] = set()
            while len(seen) < 3:  # figures on a page that is not loaded again
                await page.wait_for_timeout(50)
                seen.add(await page.inner_text("#live-states"))
            await page.wait_for_selector("#live-frontier .top-pages a")
            await page.wait_for_selector("#live-rates polyline")
            assert "http://slow.test" in await page.inner_text("#live-hosts")
            await page.click("#rates-table summary")
            await page.focus("#rates-table summary")
            before = await page.inner_text("#live-rates")
            while await page.inner_text("#live-rates") == before:
                await page.wait_for_timeout(50)
            assert await page.locator("#rates-table[open]").count() == 1
            assert await page.evaluate("document.activeElement.tagName") == "SUMMARY"
            await page.click("#live-pause")
            assert await page.get_attribute("#live-pause", "aria-pressed") == "true"
            paused = await page.inner_text("#live-states")
            visits = rows(store, "SELECT max(visit) FROM fetch")
            while rows(store, "SELECT max(visit) FROM fetch") == visits:
                await page.wait_for_timeout(50)
            assert await page.inner_text("#live-states") == paused
            await page.click("#live-pause")
            while await page.inner_text("#live-states") == paused:
                await page.wait_for_timeout(50)
            assert visitor.complaints == []

    browser_loop.run(scenario)


def rows_or_none(store: Path) -> list[tuple[Any, ...]]:
    """The first page fetched; none while the store is being made."""
    try:
        return rows(store, "SELECT page FROM fetch LIMIT 1")
    except sqlite3.Error:
        return []
