"""What hosts ask for in their robots.txt while pages are rendered: it is fetched once, and Crawl-delay holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.browsing import CHROMIUM
from tests.support.crawling import crawl, rows
from tests.support.web import Answer, LoopbackWeb

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]

RENDERING = {"pages": "always", "quiet_seconds": 0.1}
SCRIPT = Answer(b"document.title += '+'", content_type="text/javascript")


def page(*scripts: str, links: str = "") -> Answer:
    tags = "".join(f"<script src='{script}'></script>" for script in scripts)
    return Answer(f"<title>page</title>{links}{tags}".encode())


async def test_a_robots_txt_is_fetched_once_for_pages_and_for_what_they_take(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        for name in ("a.test", "b.test", "cdn.test"):
            web.robots(name, "User-agent: *\nDisallow: /no\n")
        for path in ("/1.js", "/2.js"):
            web.answer("cdn.test", path, SCRIPT)
            web.answer("b.test", path, SCRIPT)
        for name in ("a.test", "b.test"):
            scripts = [web.url(each, "/1.js") for each in ("cdn.test", "b.test")]
            web.answer(name, "/", page(*scripts, links="<a href=/x>x</a>"))
            web.answer(name, "/x", page(web.url("cdn.test", "/2.js"), web.url("b.test", "/2.js")))
        seeds = [web.url("a.test", "/"), web.url("b.test", "/")]
        await crawl(web.addresses, seeds, tmp_path / "s.db", rendering=RENDERING)
        asked = [request.host for request in web.log if request.path == "/robots.txt"]
        assert sorted(asked) == ["a.test", "b.test", "cdn.test"]
        web.answer("a.test", "/y", page(web.url("cdn.test", "/1.js"), web.url("cdn.test", "/no.js")))
        await crawl(web.addresses, [web.url("a.test", "/y")], tmp_path / "s.db", rendering=RENDERING)
        assert [request.host for request in web.log if request.path == "/robots.txt"] == asked  # the store has it
        assert web.fetches()["cdn.test", "/no.js"] == 0
    stored = rows(tmp_path / "s.db", "SELECT url FROM host JOIN robots ON robots.host = host.id WHERE status = 200")
    assert len(stored) == 3


@pytest.mark.parametrize("host", ["a.test", "cdn.test"])
async def test_a_crawl_delay_holds_between_all_that_a_page_takes_from_a_host(host: str, tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.robots(host, "User-agent: *\nCrawl-delay: 0.4\n")
        scripts = [web.answer(host, f"/{number}.js", SCRIPT) for number in range(4)]
        seed = web.answer("a.test", "/", page(*scripts))
        await crawl(web.addresses, [seed], tmp_path / "s.db", rendering=RENDERING)
        assert web.fetches().total() == 5
        assert min(web.gaps(host)) > 0.99 * 0.4
        assert web.overlaps() == []
    assert rows(tmp_path / "s.db", "SELECT rendering, title FROM fetch") == [("rendered", "page++++")]


async def test_the_rests_of_a_crawl_delay_are_no_time_of_the_page(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.robots("a.test", "User-agent: *\nCrawl-delay: 0.7\n")
        scripts = [web.answer("a.test", f"/{number}.js", SCRIPT) for number in range(4)]
        seed = web.answer("a.test", "/", page(*scripts))
        rendering = {**RENDERING, "timeout_seconds": 1.5}
        await crawl(web.addresses, [seed], tmp_path / "s.db", rendering=rendering)
    assert rows(tmp_path / "s.db", "SELECT title, detail FROM fetch") == [("page++++", "")]
