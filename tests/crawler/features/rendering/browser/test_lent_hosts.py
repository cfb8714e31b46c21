"""Two hosts whose pages need each other's scripts are crawled and asked for these as politely as if they were one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browsing import CHROMIUM
from tests.support.crawling import crawl, rows
from tests.support.web import Answer, LoopbackWeb, most_open

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]

HOSTS = ("a.test", "b.test")
PAGES = 4
REST = 0.25


def define(web: LoopbackWeb) -> list[str]:
    """Each page has a script of its own at the other host, which writes the link to the next page; the seeds."""
    for host, other in zip(HOSTS, reversed(HOSTS), strict=True):
        for number in range(PAGES):
            script = f"<script src='{web.url(other, f'/{number}.js')}'></script>"
            page = f"<title>{number}</title><a href='/{number + PAGES}'>further</a><p>Some words.</p>{script}"
            web.answer(host, f"/{number}", Answer(page.encode()))
            web.answer(host, f"/{number + PAGES}", Answer(b"<title>A page without scripts</title>"))
            write = f"document.body.innerHTML += '<a href=\"/{number + 1}\">next</a>'"
            web.answer(other, f"/{number}.js", Answer(write.encode(), content_type="text/javascript"))
    return [web.url(host, "/0") for host in HOSTS]


@pytest.mark.parametrize("connections", [8, 1])
async def test_no_host_is_asked_for_two_things_at_once_or_too_soon_by_pages_and_their_scripts(
    tmp_path: Path, connections: int
) -> None:
    """connections: to the one address of both."""
    async with LoopbackWeb() as web:
        seeds = define(web)
        politeness = {"delay_seconds": REST, "delay_factor": 0.0, "address_connections": connections}
        rendering = {"pages": "always", "quiet_seconds": 0.1, "browsers": 2}
        crawled = await crawl(web.addresses, seeds, tmp_path / "store.db", rendering=rendering, politeness=politeness)
    fetched = web.fetches()
    for host in HOSTS:
        asked = {path for of, path in fetched if of == host}
        assert asked >= {f"/{number}" for number in range(PAGES)} | {f"/{number}.js" for number in range(PAGES)}
        assert min(web.gaps(host)) > 0.99 * REST
    assert web.overlaps() == []
    assert most_open(web.log) <= connections
    assert rows(crawled.store, "SELECT rendering, count(*) FROM fetch GROUP BY 1") == [("rendered", 4 * PAGES)]
