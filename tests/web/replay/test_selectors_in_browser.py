"""Style sheets that mark links by their address, or write it behind them, do so in a replay as they did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hinterland.crawler.parsing.resources.rewriting import rewritten_page
from hinterland.web.replay.showing import ReplayAddresses
from tests.support.browsing import BrowserLoop

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.slow

PAGE = """<!doctype html><style>
a[href^="http"]{color:#100} a[href^="/"]{color:#200} a[href$=".pdf" i]{color:#300} a[href^="mailto:"]{color:#400}
a:not([href*="://"]){background-color:#500} a.last{color:#600} nav a[href^="#"]{color:#700} img[src$=".svg"]{width:7px}
</style><a href="http://b.example/">1</a><a href="/local">2</a><a href="a.PDF">3</a><a href="mailto:a@b.example">4</a>
<a class=last href="https://b.example/">5</a><a href=relative>6</a><nav><a href="#here">7</a></nav>
<img src=a.svg><img src=a.png>
"""
STYLES = """[...document.querySelectorAll("a, img")].map(element => {
    const style = getComputedStyle(element)
    return [style.color, style.backgroundColor, style.width]
})"""
PRINTED = """<!doctype html><style>
a{display:inline-block;font:10px monospace} a[href]:after{content:" (" attr( HREF ) ")"}
a[href^="#"]::before{content:attr(href)} a.none:after{content:"attr(href)"} .no:after{content:attr(href)}
</style><a href="http://b.example/">1</a><a href="/local/page">2</a><a href="mailto:a@b.example">3</a>
<a href="#inside">4</a><a href="javascript:x()">8</a><a class=none href="x">5</a><a class=no>6</a>
<a href="a.pdf"><svg width=1 height=1></svg></a><a href="">7</a>
"""
WIDTHS = "[...document.querySelectorAll('a')].map(link => link.getBoundingClientRect().width)"


def test_styles_show_the_addresses_that_links_had(browser_loop: BrowserLoop) -> None:
    async def scenario(browser: Browser) -> None:
        page = await browser.new_page()
        await page.set_content(PRINTED)
        live = await page.evaluate(WIDTHS)
        replayed = rewritten_page(PRINTED.encode(), "http://a.example/", ReplayAddresses("20260101000000"))
        await page.set_content(replayed.decode())
        assert await page.evaluate(WIDTHS) == live
        assert len(set(live)) == len(live), "every link has a text of another length"
        await page.close()

    browser_loop.run(scenario)


def test_selectors_of_addresses_match_what_they_matched_before(browser_loop: BrowserLoop) -> None:
    async def scenario(browser: Browser) -> None:
        page = await browser.new_page()
        await page.set_content(PAGE)
        live = await page.evaluate(STYLES)
        replayed = rewritten_page(PAGE.encode(), "http://a.example/", ReplayAddresses("20260101000000"))
        await page.set_content(replayed.decode())
        assert await page.evaluate(STYLES) == live
        assert len({color for color, _, _ in live}) == 8, "every selector matches something"
        await page.close()

    browser_loop.run(scenario)
