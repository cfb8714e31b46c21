"""Hostile archived pages in a real browser run nothing and reach nothing, and a click on them stays in the archive."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from hinterland.web.replay.application import replay_application
from tests.support.browsing import BrowserLoop
from tests.web.replay.test_replay_service import archive, capture

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.slow

HOSTILE = """<!doctype html><title>start</title>
<link rel=dns-prefetch href={live}><link rel=preconnect href={live}><link rel=prefetch href={live}/prefetch>
<link rel=preload as=image href={live}/preload><link rel=manifest href={live}/manifest><base href={live}/base/>
<meta http-equiv=refresh content="0;url={live}/refresh">
<style>@import "{live}/import.css"; body{{background:url({live}/bg)}}</style>
<script>document.title = "ran"; fetch("{live}/fetch");
top.location = "{live}/top"; document.cookie = "x=1"</script>
<script src={live}/script.js></script><body onload="document.title='ran'">
<img src={live}/img onerror="document.title='ran'"><img srcset="{live}/srcset 1x">
<video poster={live}/poster src={live}/video autoplay></video>
<iframe src={live}/frame></iframe>
<iframe srcdoc="<script>top.location='{live}/srcdoc'</script><img src={live}/inner>"></iframe>
<object data={live}/object></object><embed src={live}/embed>
<svg><use href="{live}/use#a"/><image href="{live}/image"/>
<a href=x><text id=drawn y=20>drawn</text>
<animate attributeName=href values="{live}/animated" dur=1s repeatCount=indefinite /></a></svg>
<form id=f action={live}/form><button id=button>send</button></form>
<a id=link href={live}/link ping={live}/ping target=_blank>link</a>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src={live}/mutated&gt;">
</table></math><svg></p><style><a id="</style><img src={live}/mutated2>"></svg>
"""


def test_a_hostile_page_gets_nothing_out(browser_loop: BrowserLoop, tmp_path: Path) -> None:
    async def scenario(browser: Browser) -> None:
        asked: list[str] = []

        async def live(request: web.Request) -> web.Response:
            asked.append(request.path)
            return web.Response(text="live", headers={"Access-Control-Allow-Origin": "*"})

        elsewhere = web.Application()
        elsewhere.router.add_route("*", "/{path:.*}", live)
        async with TestServer(elsewhere) as other:
            base = f"http://127.0.0.1:{other.port}"
            html = HOSTILE.format(live=base).encode()
            url = "http://a.example/hostile"
            folder = archive(tmp_path / "warc", capture(url, html), capture(f"{base}/link", b"<p>kept"))
            async with TestServer(replay_application(folder, only_this_machine=True)) as server:
                origin = f"http://127.0.0.1:{server.port}"
                for path in (f"/20231114221320/{url}", f"/20231114221320mp_/{url}"):
                    page = await browser.new_page()
                    await page.goto(origin + path)
                    frame = page.frames[1] if "mp_" not in path else page.main_frame
                    await frame.wait_for_selector("#link")
                    await asyncio.sleep(1.2)  # longer than an animation, a refresh or a script would need
                    assert await frame.title() == "start"
                    for target in ("#button", "#drawn"):
                        await frame.locator(target).click(force=True, timeout=5000)
                        assert page.url.startswith(origin)
                    if "mp_" in path or page.frames[1:2] != [frame]:
                        await page.goto(origin + path)
                        frame = page.frames[1] if "mp_" not in path else page.main_frame
                    await frame.locator("#link").click(force=True)
                    await page.wait_for_url(f"{origin}/20231114221320/{base}/link")
                    assert "kept" in await page.frames[1].locator("p").inner_text()
                    await page.close()
        assert asked == []

    browser_loop.run(scenario)
