"""Servers that close kept-alive connections as a request arrives: no failure counts, and every host keeps its rest."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.crawling import crawl, fetched, rows
from tests.support.web import Answer, Exchange, Handler, LoopbackWeb, Page
from tests.support.web_behaviours import OK_PAGE

DELAY = 0.05


def tired_after(requests: int, end: Callable[[Exchange], None], then: Handler) -> Handler:
    """Answer some requests on a connection, and break it off when the next one has arrived."""

    async def answer(exchange: Exchange) -> None:
        if exchange.request.nth > requests:
            end(exchange)
        else:
            await then(exchange)

    return answer


@pytest.mark.parametrize("end", [Exchange.close, Exchange.reset])
@pytest.mark.parametrize("requests", [1, 3])
async def test_every_page_is_found_after_a_rest_and_no_failure_is_recorded(
    end: Callable[[Exchange], None], requests: int, tmp_path: Path
) -> None:
    async with LoopbackWeb() as web:
        seeds = []
        for host in ("a.test", "b.test"):
            paths = [f"/{number}" for number in range(8)]
            seeds.append(web.answer(host, "/", tired_after(requests, end, Page("home", paths, 200, {}))))
            for path in paths:
                web.answer(host, path, tired_after(requests, end, OK_PAGE))
        crawled = await crawl(web.addresses, seeds, tmp_path / "s.db", politeness={"delay_seconds": DELAY})
    assert len(fetched(crawled.store)) == 18
    assert crawled.statistics.retries == 0
    assert crawled.statistics.host_failures == {}
    assert rows(crawled.store, "SELECT count(*) FROM fetch WHERE outcome != 'fetched'") == [(0,)]
    for host in ("a.test", "b.test"):
        log = [request for request in web.log if request.host == host]
        assert len(log) > 10, "some were sent again"
        assert all(later.started - earlier.finished >= DELAY * 0.9 for earlier, later in pairwise(log))


async def test_a_robots_txt_and_a_sitemap_that_meet_a_closed_connection_are_asked_for_again(tmp_path: Path) -> None:
    sitemap = b"<urlset><url><loc>/b</loc></url></urlset>"
    async with LoopbackWeb() as web:
        web.page("a.test", "/b")
        sitemap = sitemap.replace(b"/b", web.url("a.test", "/b").encode())
        where = web.answer(
            "a.test", "/map.xml", tired_after(1, Exchange.reset, Answer(sitemap, content_type="text/xml"))
        )
        web.answer("a.test", "/robots.txt", Answer(f"Sitemap: {where}".encode(), content_type="text/plain"))
        crawled = await crawl(web.addresses, [web.page("a.test", "/")], tmp_path / "s.db", sitemaps={"use": "always"})
    assert fetched(crawled.store) == {web.url("a.test", "/"), web.url("a.test", "/b")}
    assert crawled.statistics.host_failures == {}
