"""`explain` of a page of a crawl with a topic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.crawling import crawl, rows
from tests.support.gardening_web import gardening, some_web
from tests.support.in_process import said
from tests.support.web import LoopbackWeb


async def _crawled(store: Path) -> None:
    async with LoopbackWeb() as web:
        seeds = [some_web(web)]
        scope, policy = {"kind": "web"}, {"name": "focused"}
        await crawl(web.addresses, seeds, store, max_pages=60, topic=gardening(), scope=scope, policy=policy)


@pytest.mark.slow
async def test_it_says_why_a_page_was_judged_relevant(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    await _crawled(store)
    ((url, probability),) = rows(
        store, "SELECT url, probability FROM relevant WHERE url NOT LIKE '%start%' ORDER BY visit DESC LIMIT 1"
    )
    told = said(capsys, "explain", url, "--store", store, "--offline")
    assert f"gardening: relevant, with a probability of {probability:.2f}" in told
    assert any(word in told.partition("for it")[2].partition("\n")[0] for word in ("compost", "mulch", "soil", "weeds"))
    assert "visited pages only" in told.partition("neighbours")[2].partition("\n")[0]
    assert "with a probability of" in told.partition("its source")[2].partition("\n")[0]
    found = json.loads(said(capsys, "explain", url, "--store", store, "--offline", "--json"))["topic"]
    assert found["topic"] == "gardening"
    assert found["probability"] == pytest.approx(probability)
    assert found["linked_from"][0] >= 1


@pytest.mark.slow
async def test_it_says_why_a_page_was_judged_not_to_be(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    await _crawled(store)
    ((url,),) = rows(store, "SELECT url FROM page WHERE depth = 0")
    told = said(capsys, "explain", url, "--store", store, "--offline")
    assert "gardening: not relevant" in told
    assert "against it" in told


@pytest.mark.slow
async def test_of_a_page_that_was_not_visited_it_says_nothing_about_the_topic(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    await _crawled(store)
    ((url,),) = rows(store, "SELECT url FROM page WHERE state = 'waiting' LIMIT 1")
    assert "gardening" not in said(capsys, "explain", url, "--store", store, "--offline")
