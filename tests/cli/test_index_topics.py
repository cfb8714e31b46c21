"""`index --relevant` and `rank --relevant`: a search engine of one topic."""

from __future__ import annotations

import json
from asyncio import to_thread
from dataclasses import replace
from pathlib import Path

import pytest

from hinterland.crawler.features.topics.files.topic_files import write_topic
from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.training import train
from hinterland.crawler.features.topics.model.words import word_model
from tests.support.crawling import crawl, rows
from tests.support.gardening_web import gardening, some_web
from tests.support.in_process import complaint, said
from tests.support.topics import background, examples
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow


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


async def test_a_store_judged_again_by_its_own_topic_stays_as_it_was(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store, topic = tmp_path / "s.db", tmp_path / "gardening.topic"
    await _crawled(store)
    _write_topic(topic, examples())
    before = dict(rows(store, "SELECT page, probability FROM relevance"))
    links = rows(store, "SELECT page, links FROM relevance")
    await to_thread(said, capsys, "topic", "judge", topic, "--store", store)
    assert dict(rows(store, "SELECT page, probability FROM relevance")) == pytest.approx(before, abs=1e-6)
    assert rows(store, "SELECT page, links FROM relevance") == links


async def test_a_crawl_without_a_topic_can_be_judged_afterwards_and_by_another_topic_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store, topic, others = tmp_path / "s.db", tmp_path / "gardening.topic", tmp_path / "sailing.topic"
    await _crawled(store, has_topic=False)
    _write_topic(topic, examples())
    turned = [replace(each, is_about=not each.is_about) for each in examples()]
    _write_topic(others, turned)
    assert "are probably about gardening" in await to_thread(said, capsys, "topic", "judge", topic, "--store", store)
    about = _relevant(store)
    assert about
    await to_thread(said, capsys, "index", store, "--relevant")
    assert "h1.test" not in said(capsys, "search", store, "mainsail rudder keel")
    again = await to_thread(said, capsys, "topic", "judge", others, "--store", store)
    assert "they replace the judgements of gardening" in again
    judged = dict(rows(store, "SELECT url, probability FROM relevance JOIN page ON page.id = relevance.page"))
    others_judged = [judged[url] for url in judged if url not in about]
    assert max(judged[url] for url in about) < 0.5
    assert sum(others_judged) / len(others_judged) > sum(judged[url] for url in about) / len(about)


async def test_pages_can_also_be_judged_by_their_neighbours_and_the_effect_is_reported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store, topic, model = tmp_path / "s.db", tmp_path / "gardening.topic", word_model("compost mulch")
    await _crawled(store, has_topic=False)
    write_topic(Topic("gardening", "compost mulch", [], background(), model), topic)
    told = await to_thread(said, capsys, "topic", "judge", topic, "--store", store, "--relax")
    assert told.splitlines()[1].endswith("; 1 round, not stable yet")
    assert "are probably about gardening\ncorrected by linked pages" in told
    unsure = "probability BETWEEN 0.01 AND 0.99 AND host.url LIKE '%//h%'"
    ((url,),) = rows(
        store,
        "SELECT page.url FROM relevance JOIN page ON page.id = page JOIN host ON host.id = page.host"
        f" WHERE {unsure} LIMIT 1",
    )
    told = await to_thread(said, capsys, "explain", url, "--store", store, "--offline")
    assert "its neighbours add" in told.partition("by words")[2].partition("\n")[0]


async def test_what_cannot_be_judged_says_why(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    topic = tmp_path / "gardening.topic"
    _write_topic(topic, examples())
    missing = tmp_path / "none.db"
    assert "there is no store" in complaint(capsys, "topic", "judge", topic, "--store", missing, exit_code=3)
    async with LoopbackWeb() as web:
        web.host("a.test")  # without a page
        await crawl(web.addresses, [web.url("a.test")], tmp_path / "s.db")
    told = await to_thread(complaint, capsys, "topic", "judge", topic, "--store", tmp_path / "s.db", exit_code=3)
    assert "no fetched page with text" in told


def _write_topic(path: Path, judged: list[Example]) -> None:
    write_topic(Topic(path.stem, "", judged, background(), train(judged, background()).model), path)


def _relevant(store: Path) -> set[str]:
    return {url for (url,) in rows(store, "SELECT url FROM relevant")}
