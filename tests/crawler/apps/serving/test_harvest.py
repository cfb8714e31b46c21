"""What `serve` and `status` show of a crawl for a topic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crawler.apps.text.wording import counted
from tests.crawler.apps.serving.test_pages import client_of, get
from tests.support.crawling import crawl, rows
from tests.support.gardening_web import gardening, some_web
from tests.support.in_process import said
from tests.support.web import LoopbackWeb


async def test_the_harvest_of_a_crawl_for_a_topic_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        seeds = [some_web(web)]
        await crawl(web.addresses, seeds, store, max_pages=40, topic=gardening(), scope={"kind": "web"})
    ((relevant, judged),) = rows(store, "SELECT sum(probability >= 0.5), count(*) FROM relevance")
    async with client_of(store) as client:
        page = await get(client, "/crawl")
    assert f'id="kpi-relevant">{relevant}<' in page
    assert f"{relevant} of {judged} are relevant" in page
    assert f"{relevant} of {judged} are relevant" in said(capsys, "status", store)


async def test_a_crawl_without_a_topic_has_no_harvest(crawled_store: Path) -> None:
    async with client_of(crawled_store) as client:
        assert "relevant" not in await get(client, "/crawl")


async def test_what_the_lots_say_is_told_by_status_and_in_the_browser(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        changes: dict[str, Any] = {"scope": {"kind": "web"}, "policy": {"name": "focused"}}
        await crawl(web.addresses, [some_web(web)], store, max_pages=80, topic=gardening(), **changes)
    ((drawn,),) = rows(store, "SELECT count(*) FROM drawn")
    assert drawn
    told = f"of {counted(drawn, 'page')} drawn by lot"
    async with client_of(store) as client:
        page = await get(client, "/crawl")
    assert told in page.lower()
    assert 'id="kpi-found"' in page
    assert told in said(capsys, "status", store).lower()
