"""What `serve` and `status` show of a crawl for a topic."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest

from hinterland.crawler.features.topics.links.exploration_accuracy import exploration_accuracy
from hinterland.crawler.features.topics.links.exploration_sample import Draw
from tests.support.crawling import crawl, rows
from tests.support.gardening_web import gardening, some_web
from tests.support.in_process import said
from tests.support.web import LoopbackWeb
from tests.web.test_pages import client_of, get


@pytest.mark.slow
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


@pytest.mark.slow
async def test_what_the_lots_say_is_told_by_status_and_in_the_browser(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        await crawl(web.addresses, [some_web(web)], store, max_pages=10, topic=gardening(), scope={"kind": "web"})
    found = exploration_accuracy(
        [Draw(0, 0.2, 1.0, 0.7, 500), Draw(1, 0.1, 0.0, 0.1, 500)], visits=9, relevant=5, waiting=10
    )
    assert found is not None
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute(
            "UPDATE run SET progress = json_set(progress, '$.accuracy', json(?))", (json.dumps(asdict(found)),)
        )
    told = "of 2 sampled pages 50 % (9 to 91) are relevant"
    async with client_of(store) as client:
        page = await get(client, "/crawl")
    assert told in page.lower()
    assert 'id="kpi-found"' in page
    assert told in said(capsys, "status", store).lower()
