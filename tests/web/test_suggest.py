"""Suggestions: what is answered while somebody types, in the page, in the browser's own box, and with hostile text."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from selectolax.lexbor import LexborHTMLParser

from hinterland.search.index_failures import NoIndex
from hinterland.web.suggest import SUGGESTIONS_TYPE
from tests.support.browsing import BROWSER_ARGUMENTS, CHROMIUM, BrowserLoop, served, visiting
from tests.support.fake_index import FakeIndex
from tests.web.test_pages import client_of

if TYPE_CHECKING:
    from playwright.async_api import Browser

NAMESPACE = {"o": "http://a9.com/-/spec/opensearch/1.1/"}
HOSTILE = '<img src=x onerror="alert(1)">\u202e & "'


async def test_suggestions_are_a_list_of_what_was_typed_and_of_what_it_may_become(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        answer = await client.get("/suggest", params={"q": "fer"})
        assert answer.content_type == SUGGESTIONS_TYPE
        assert await answer.json(content_type=None) == ["fer", ["fer 0", "fer 1", "fer 2"]]
        assert await (await client.get("/suggest")).json(content_type=None) == ["", []]
        long = await (await client.get("/suggest", params={"q": "x" * 500})).json(content_type=None)
        assert len(long[0]) == 100


async def test_without_an_index_nothing_is_suggested(crawled_store: Path) -> None:
    class Missing(FakeIndex):
        def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
            raise NoIndex("there is no index")

    async with client_of(crawled_store, Missing(crawled_store)) as client:
        assert await (await client.get("/suggest?q=x")).json(content_type=None) == ["x", []]


async def test_hostile_phrases_are_spelt_out(crawled_store: Path) -> None:
    class Hostile(FakeIndex):
        def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
            return [HOSTILE]

    async with client_of(crawled_store, Hostile(crawled_store)) as client:
        text = await (await client.get("/suggest", params={"q": HOSTILE})).text()
    assert not set("<>\u202e") & set(text)
    [phrase] = json.loads(text)[1]
    assert phrase.startswith('<img src=x onerror="alert(1)">')
    assert "\u202e" not in phrase


async def test_a_browser_finds_the_description_of_the_engine(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        html = LexborHTMLParser(await (await client.get("/?q=Ferry")).text())
        link = html.css_first('link[rel="search"]')
        assert link is not None
        answer = await client.get(str(link.attributes["href"]))
        text = await answer.text()
        root = str(client.make_url("")).rstrip("/")
    assert answer.content_type == link.attributes["type"] == "application/opensearchdescription+xml"
    description = ET.fromstring(text)
    templates = {each.get("type"): each.get("template") for each in description.findall("o:Url", NAMESPACE)}
    assert templates["text/html"] == f"{root}/?q={{searchTerms}}"
    assert templates[SUGGESTIONS_TYPE] == f"{root}/suggest?q={{searchTerms}}"
    assert len(description.findtext("o:ShortName", "", NAMESPACE)) <= 16
    assert (description.findtext("o:Image", "", NAMESPACE)).startswith(root)


async def test_a_hostile_host_field_stays_text_in_the_description(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        answer = await client.get("/opensearch.xml", headers={"Host": 'a"><x/>&.localhost'})
        text = await answer.text()
    assert "<x/>" not in text
    assert answer.status in (200, 400)


@pytest.mark.slow
def test_suggestions_are_chosen_by_keyboard(browser_loop: BrowserLoop, crawled_store: Path) -> None:
    from axe_playwright_python.async_playwright import Axe

    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store) as visitor:
            page = visitor.page
            box = page.get_by_role("combobox")
            await visitor.go("/")
            await page.wait_for_selector("#q:focus")
            await page.keyboard.type("Ferry")
            await page.wait_for_selector("[role=option]")
            assert await box.get_attribute("aria-expanded") == "true"
            await page.keyboard.press("ArrowDown")
            await page.keyboard.press("ArrowDown")
            assert await box.input_value() == "Ferry 1"
            assert await page.locator("[aria-selected=true]").inner_text() == "Ferry 1"
            assert await box.get_attribute("aria-activedescendant") == "suggestion-1"
            found = await Axe().run(page)
            assert not found.response["violations"]
            await page.keyboard.press("Escape")
            assert (await box.input_value(), await box.get_attribute("aria-expanded")) == ("Ferry", "false")
            await page.keyboard.type(" ")
            await page.wait_for_selector("[role=option]")
            await page.keyboard.press("ArrowUp")
            await page.keyboard.press("Enter")
            await page.wait_for_selector("ol.hits")
            assert await page.locator("#q").input_value() == "Ferry 2"
            assert not await visitor.violations()

    browser_loop.run(scenario)


@pytest.mark.slow
def test_suggestions_are_chosen_by_pointer_and_are_text_alone(browser_loop: BrowserLoop, crawled_store: Path) -> None:
    class Hostile(FakeIndex):
        def suggest(self, typed: str, *, limit: int = 10) -> list[str]:
            return ["Ferry " + HOSTILE]

    async def scenario(browser: Browser) -> None:
        async with visiting(browser, crawled_store, searches=Hostile(crawled_store)) as visitor:
            page = visitor.page
            await visitor.go("/?q=Ferry")
            await page.fill("#q", "F")
            await page.wait_for_selector("[role=option]")
            assert not await page.locator(".suggestions img").count()
            await page.click("[role=option]")
            await page.wait_for_url("**/?q=Ferry+*")
            assert not await visitor.violations()

    browser_loop.run(scenario)


@pytest.mark.slow
def test_chromium_adds_the_engine_with_its_suggestions(
    browser_loop: BrowserLoop, crawled_store: Path, tmp_path: Path
) -> None:
    """Only a profile that is kept has engines; what it knows of them is in a file of it."""

    from playwright.async_api import async_playwright

    async def scenario(_: Browser) -> str:
        async with async_playwright() as playwright, served(crawled_store) as base:
            address = base.replace("127.0.0.1", "localhost")
            profile = await playwright.chromium.launch_persistent_context(
                tmp_path, executable_path=CHROMIUM, args=[*BROWSER_ARGUMENTS, "--headless=new"]
            )
            page = await profile.new_page()
            await page.goto(address)
            await page.goto("chrome://settings/searchEngines")
            await page.get_by_text("Hinterland").first.wait_for()
            await profile.close()
            return address

    address = browser_loop.run(scenario)
    with closing(sqlite3.connect(tmp_path / "Default" / "Web Data")) as data:
        engines = data.execute("SELECT url, suggest_url FROM keywords WHERE short_name = 'Hinterland'").fetchall()
    assert engines == [(f"{address}/?q={{searchTerms}}", f"{address}/suggest?q={{searchTerms}}")]
