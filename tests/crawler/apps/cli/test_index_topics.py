"""`index --relevant` and `rank --relevant`: a search engine of one topic."""

from __future__ import annotations

import json
from asyncio import to_thread
from pathlib import Path

import pytest

from tests.support.crawling import crawl, rows
from tests.support.gardening_web import gardening, some_web
from tests.support.in_process import complaint, said
from tests.support.web import LoopbackWeb


async def _crawled(store: Path, *, has_topic: bool = True) -> None:
    async with LoopbackWeb() as web:
        seeds, topic = [some_web(web)], gardening() if has_topic else None
        await crawl(web.addresses, seeds, store, max_pages=60, topic=topic, scope={"kind": "web"})


async def test_only_the_pages_about_the_topic_are_found(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    await _crawled(store)
    said(capsys, "index", store)
    assert "h1.test" in said(capsys, "search", store, "mainsail rudder keel")
    said(capsys, "index", store, "--relevant")
    assert "h1.test" not in said(capsys, "search", store, "mainsail rudder keel")
    assert "h0.test" in said(capsys, "search", store, "compost mulch soil")


async def test_how_likely_can_be_said(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    await _crawled(store)
    ((likely,),) = rows(store, "SELECT max(probability) FROM relevance")
    assert "0 documents" not in said(capsys, "index", store, "--relevant", likely)
    with pytest.raises(SystemExit):
        said(capsys, "index", store, "--relevant", "1.5")
    assert "must be above 0 and at most 1" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["index", "rank"])
async def test_a_crawl_without_a_topic_has_no_relevant_pages(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    store = tmp_path / "s.db"
    await _crawled(store, has_topic=False)
    assert "has no topic, so no page was judged" in complaint(capsys, command, store, "--relevant")


async def test_the_pages_about_the_topic_are_ranked_as_a_domain_and_all_others_are_the_web_around_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    await _crawled(store)
    judged = rows(store, "SELECT url, probability FROM relevance JOIN page ON page.id = relevance.page")
    about = {url for url, probability in judged if probability >= 0.5}
    ranked = json.loads(await to_thread(said, capsys, "rank", store, "--relevant", "--top", "0", "--format", "json"))
    assert {page["url"] for page in ranked["top"]} == about
    assert sum(page["pagerank"] for page in ranked["top"]) == pytest.approx(1)
    assert ranked["outside_pages"] == len(judged) - len(about) > 0
