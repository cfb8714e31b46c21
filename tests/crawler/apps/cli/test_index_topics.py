"""`index --relevant`: a search engine of one topic."""

from __future__ import annotations

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


async def test_a_crawl_without_a_topic_has_no_relevant_pages(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    await _crawled(store, has_topic=False)
    said_of_it = complaint(capsys, "index", store, "--relevant")
    assert "has no topic, so no page was judged" in said_of_it
