"""Pages that take long to read: they cost time, and none of them is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.parsing.pool import page_watch
from hinterland.library.importing.importing import ImportRequest, import_archives
from hinterland.storage.link_store import LinkStore
from tests.support.crawling import crawl, outcomes, quick_settings
from tests.support.web import Answer, LoopbackWeb
from tests.support.web_behaviours import encoded

EXPENSIVE = "<title>A long table</title>" + "<tr><td>cell<td>cell" * 8_000


@pytest.fixture(autouse=True)
def expensive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it not take a fast machine for pages to be quick."""
    monkeypatch.setattr(page_watch, "SLOW_SECONDS", 0.001)
    monkeypatch.setattr(page_watch, "LEAST_SECONDS", 0.001)


@pytest.mark.slow
async def test_all_expensive_pages_of_many_hosts_are_read_by_a_crawl_and_by_an_import(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        hosts = [f"h{number}.test" for number in range(20)]
        for host in hosts:
            web.page(host, "/", ["/a", "/b"])
            web.answer(host, "/a", Answer(EXPENSIVE.encode()))
            web.answer(host, "/b", encoded(Answer(EXPENSIVE.encode()), "gzip"))
        seeds = [web.url(host) for host in hosts]
        store, archive = tmp_path / "s.db", tmp_path / "warc"
        crawled = await crawl(web.addresses, seeds, store, in_processes=True, warc=archive)
        assert Counter(outcomes(crawled.store).values()) == {"fetched": 60}
    async with LinkStore(tmp_path / "i.db") as opened:
        request = ImportRequest([*archive.glob("*.gz")], quick_settings({}), seeds, ["import"])
        report = await import_archives(request, opened, lambda: 1e9, lambda _: None)
    assert report.outcomes == {"fetched": 60}


@pytest.mark.slow
async def test_a_host_of_expensive_pages_is_asked_for_no_more_than_some_that_wait(tmp_path: Path) -> None:
    backlogs = [0]

    async def watch(crawling: Crawl) -> None:
        while True:
            backlogs.append(crawling.statistics().parser_backlog)
            await asyncio.sleep(0.002)

    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", [f"/{number}" for number in range(40)])
        for number in range(40):
            web.answer("a.test", f"/{number}", encoded(Answer(EXPENSIVE.encode()), "gzip"))
        crawled = await crawl(web.addresses, [seed], tmp_path / "s.db", in_processes=True, watch=watch)
    assert Counter(outcomes(crawled.store).values()) == {"fetched": 41}
    assert max(backlogs) <= 10
