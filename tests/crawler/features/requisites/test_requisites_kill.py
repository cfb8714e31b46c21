"""kill -9 while requisites are fetched: the next run fetches what is missing, and the archive has everything."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.crawl_process import CrawlOrder
from tests.support.crawling import rows, wait_until
from tests.support.levels import rounds
from tests.support.web import Answer, LoopbackWeb
from tests.test_archive_kill import MeteredWeb, urls_in

pytestmark = pytest.mark.slow

KILLS = rounds(2, 10)
PAGES = 20
CHANGES: dict[str, dict[str, Any]] = {"requisites": {"fetch": "all"}, "politeness": {"delay_seconds": 0.005}}


def gallery(web: LoopbackWeb) -> list[str]:
    """Pages of two hosts, each with a picture, a style sheet and a font of its own, and a picture that all share."""
    for number in range(PAGES):
        host = f"h{number % 2}.test"
        shared = web.url("cdn.test", "/all.gif")
        html = f"<link rel=stylesheet href=/{number}.css><img src=/{number}.gif><img src={shared}>"
        links = "".join(f"<a href={web.url(f'h{each % 2}.test', f'/{each}')}>x</a>" for each in range(PAGES))
        web.page(host, f"/{number}", html=html + links)
        web.answer(host, f"/{number}.css", Answer(b"@font-face{src:url(%d.woff)}" % number, content_type="text/css"))
        web.answer(host, f"/{number}.gif", Answer(b"%d" % number, content_type="image/gif"))
        web.answer(host, f"/{number}.woff", Answer(b"%d!" % number, content_type="font/woff"))
    web.answer("cdn.test", "/all.gif", Answer(b"all", content_type="image/gif"))
    return [web.url("h0.test", "/0"), web.url("h1.test", "/1")]


async def test_an_archive_with_requisites_survives_kills(tmp_path: Path) -> None:
    store, warc = tmp_path / "s.db", tmp_path / "warc"
    web = MeteredWeb()
    async with web:
        order = CrawlOrder(web.addresses, gallery(web), str(store), CHANGES, str(warc))
        for _ in range(KILLS):
            step = 4 * PAGES // (KILLS + 1)
            enough = len(web.log) + step
            web.permit(step)
            with order.start() as process:
                await wait_until(partial(web.has_answered, enough), pause=0.002)
                process.kill()
        web.permit(10 * PAGES)
        with order.start() as process:
            output, _ = await asyncio.to_thread(process.communicate, timeout=120)
    assert output.split()[-1] == "exhausted"
    assert rows(store, "SELECT outcome, count(*) FROM requisite GROUP BY 1") == [("fetched", 3 * PAGES + 1)]
    assert {url for (url,) in rows(store, "SELECT url FROM requisite")} <= urls_in(warc)
    again = sum(count - 1 for count in web.fetches().values())
    assert again <= KILLS * 16  # what was in flight, at most
