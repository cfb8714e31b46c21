"""The HTML report of an audit in a real browser: from a file, by keyboard, without scripts, and by the rules of axe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from hinterland.library.audit.reports.html_report import html_report
from tests.library.audit.site import pages, report_of
from tests.support.browsing import BrowserLoop

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.slow

WIDTH = 320
MOST_TABS = 300


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    path = folder / "report.html"
    path.write_text(html_report(report_of(folder / "s.db", pages())), encoding="utf-8")
    return path


def test_every_link_is_reached_by_the_tab_key_in_the_order_of_the_page(browser_loop: BrowserLoop, report: Path) -> None:
    async def scenario(browser: Browser) -> None:
        page = await browser.new_page()
        await page.goto(report.as_uri())
        links = await page.evaluate("[...document.querySelectorAll('a[href]')].map((each) => each.href)")
        reached: list[str] = []
        outlines = set[str]()
        for _ in range(MOST_TABS):
            await page.keyboard.press("Tab")
            href, outline = await page.evaluate(
                "[document.activeElement.href || '', getComputedStyle(document.activeElement).outlineStyle]"
            )
            if href:
                reached.append(href)
                outlines.add(outline)
            if len(reached) == len(links):
                break
        assert reached == links
        assert outlines == {"solid"}
        await page.close()

    browser_loop.run(scenario)


def test_the_first_link_skips_to_the_findings_and_a_finding_leads_to_its_pages(
    browser_loop: BrowserLoop, report: Path
) -> None:
    async def scenario(browser: Browser) -> None:
        page = await browser.new_page()
        await page.goto(report.as_uri())
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.className") == "skip"
        await page.keyboard.press("Enter")
        assert page.url.endswith("#findings")
        while "#broken-link" not in await page.evaluate("document.activeElement.href || ''"):
            await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.closest('article').getAttribute('aria-labelledby')") == (
            "broken-link"
        )
        await page.close()

    browser_loop.run(scenario)


def test_everything_is_there_without_scripts_and_on_a_narrow_screen(browser_loop: BrowserLoop, report: Path) -> None:
    async def scenario(browser: Browser) -> None:
        page = await browser.new_page(java_script_enabled=False, viewport={"width": WIDTH, "height": 700})
        requested: list[str] = []
        page.on("request", lambda request: requested.append(request.url))
        await page.goto(report.as_uri())
        for article in await page.locator("article").all():
            assert await article.locator("li").first.is_visible()
        assert await page.get_by_text("http://a.test/1").first.is_visible()
        box = await page.locator("main").bounding_box()
        assert box is not None
        assert box["width"] <= WIDTH
        assert requested == [report.as_uri()]
        await page.close()

    browser_loop.run(scenario)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(scheme: Literal["light", "dark"], browser_loop: BrowserLoop, report: Path) -> None:
    from axe_playwright_python.async_playwright import Axe

    async def scenario(browser: Browser) -> None:
        page = await browser.new_page(color_scheme=scheme, bypass_csp=True)
        await page.goto(report.as_uri())
        found = await Axe().run(page, options={"resultTypes": ["violations"]})
        faults = [(each["id"], [node["html"] for node in each["nodes"]]) for each in found.response["violations"]]
        assert not faults, json.dumps(faults, indent=1)
        await page.close()

    browser_loop.run(scenario)
