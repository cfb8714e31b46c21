"""Style sheets that mark links by their address mark the same ones in a replay."""

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
