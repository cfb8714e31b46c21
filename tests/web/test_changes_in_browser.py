"""What has changed, looked at in a real browser: the list, a page before and after, the feed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvloop

from tests.support.browsing import BrowserLoop, visiting
from tests.web.test_changes import changed
from tests.web.test_records import make_shop

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

FEED = """async () => {
    const answer = await fetch(document.querySelector("link[type='application/atom+xml']").href);
    const feed = new DOMParser().parseFromString(await answer.text(), "application/xml");
    const texts = (names) => [...feed.querySelectorAll(names)].map((each) => each.textContent);
    return {
        type: answer.headers.get("content-type"),
        errors: feed.querySelectorAll("parsererror").length,
        titles: texts("entry > title"), ids: texts("entry > id"), updated: texts("updated"),
        self: feed.querySelector("feed > link[rel=self]").getAttribute("href"),
        links: [...feed.querySelectorAll("entry > link[rel=alternate]")].map((each) => each.getAttribute("href")),
    };
}"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("browsed") / "s.db"
    uvloop.run(changed(store))
    return store


@pytest.mark.slow
def test_one_sees_what_has_changed_and_a_page_before_and_after(browser_loop: BrowserLoop, store: Path) -> None:
    async def scenario(browser: Browser) -> None:
        async with visiting(browser, store) as visitor:
            page = visitor.page
            await visitor.go("/changes")
            assert await page.locator("table.stack tbody tr").count() == 4
            row = page.locator("table.stack tbody tr", has=page.locator("bdi", has_text=re.compile("/a$")))
            await row.locator("td:nth-child(2) a").first.click()
            await page.wait_for_selector("ins")
            assert [await each.inner_text() for each in await page.locator("ins").all()] == ["newer", "c"]
            assert await page.locator("del").inner_text() == "old"
            marks = "() => [getComputedStyle(document.querySelector('del')).textDecorationLine,"
            marks += " getComputedStyle(document.querySelector('ins')).fontWeight]"
            assert await page.evaluate(marks) == ["line-through", "600"], "not by their colours alone"
            await page.go_back()
            feed = await page.evaluate(FEED)
            assert feed["errors"] == 0
            assert feed["type"].startswith("application/atom+xml")
            assert len(feed["titles"]) == len(set(feed["ids"])) == len(feed["links"]) == 4
            assert len(feed["updated"]) == 5
            assert all(each.startswith("urn:uuid:") for each in feed["ids"])
            assert "/changes.atom?" in feed["self"]
            await visitor.go("/changes?kind=gone")
            assert await page.locator("table.stack tbody tr").count() == 1

    browser_loop.run(scenario)


@pytest.mark.slow
def test_axe_finds_no_serious_fault_in_changes_which_fit_a_phone(browser_loop: BrowserLoop, store: Path) -> None:
    async def scenario(browser: Browser) -> None:
        phone: dict[str, Any] = {"viewport": {"width": 390, "height": 800}, "reduced_motion": "reduce"}
        for scheme, path in (("light", "/changes"), ("dark", "/page/1/changes")):
            async with visiting(browser, store, color_scheme=scheme, **phone) as visitor:
                await visitor.go(path)
                assert await faults(visitor.page) == [], path
                assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= 390, path

    browser_loop.run(scenario)


@pytest.mark.slow
def test_columns_of_records_stay_wide_enough_to_be_read_on_a_phone(browser_loop: BrowserLoop, tmp_path: Path) -> None:
    uvloop.run(make_shop(tmp_path / "shop.db"))
    widths = "() => [...document.querySelectorAll('.records td')].map((each) => each.offsetWidth)"

    async def scenario(browser: Browser) -> None:
        async with visiting(browser, tmp_path / "shop.db", viewport={"width": 390, "height": 800}) as visitor:
            for path in ("/records/item", "/page/1"):
                await visitor.go(path)
                assert min(await visitor.page.evaluate(widths)) >= 140, path
                assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= 390, path

    browser_loop.run(scenario)


async def faults(page: Page) -> list[str]:
    from axe_playwright_python.async_playwright import Axe

    found = await Axe().run(page)
    serious = [each for each in found.response["violations"] if each["impact"] in ("serious", "critical")]
    return [json.dumps([each["id"], [node["html"] for node in each["nodes"]]]) for each in serious]
