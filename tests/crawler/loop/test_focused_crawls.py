"""Crawls with a topic: what they visit, what they tell, and what a resumed one remembers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hinterland.crawler.features.topics.harvest import HarvestStatistics
from hinterland.crawler.features.topics.links.exploration_accuracy import ExplorationAccuracy
from hinterland.crawler.features.topics.policies import focused as focused_policy
from hinterland.crawler.features.topics.policies.reading_policy import ReadingPolicy
from hinterland.crawler.frontier.policies.policy import FloatArray
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.topics import TopicRecord
from tests.support.crawling import Crawled, Watch, crawl, rows
from tests.support.gardening_web import gardening, some_web
from tests.support.web import Answer, LoopbackWeb

pytestmark = pytest.mark.slow

WHOLE_WEB: dict[str, Any] = {"scope": {"kind": "web"}, "policy": {"name": "focused", "refresh_seconds": 1000.0}}
ONE_AT_A_TIME: dict[str, Any] = {"fetching": {"max_in_flight": 1, "allow_networks": ("127.0.0.0/8",)}}


async def focused(web: LoopbackWeb, seeds: list[str], store: Path, most: int | None, **changes: Any) -> Crawled:
    return await crawl(
        web.addresses, seeds, store, max_pages=most, topic=gardening() if seeds else None, **(WHOLE_WEB | changes)
    )


def learning_in_no_time(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """A watcher that lets nothing be visited while the policy learns, however busy the machine."""

    async def watch(running: Crawl) -> None:
        policy = running._components.policy
        begin_refresh = policy.begin_refresh

        def at_once(*of: Any) -> Callable[[], FloatArray]:
            found = begin_refresh(*of)()
            return lambda: found

        monkeypatch.setattr(policy, "begin_refresh", at_once)

    return watch


async def test_pages_about_the_topic_come_first_wherever_they_are(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = some_web(web)
        done = await focused(web, [seed], tmp_path / "focused.db", 120, **ONE_AT_A_TIME)
        plain = await focused(web, [seed], tmp_path / "bfs.db", 120, policy={"name": "bfs"}, **ONE_AT_A_TIME)
    assert done.reason is EndReason.MAX_PAGES
    harvest = done.statistics.of(HarvestStatistics)
    assert harvest is not None
    plain_harvest = plain.statistics.of(HarvestStatistics)
    assert plain_harvest is not None
    assert harvest.rate > 1.3 * plain_harvest.rate
    assert harvest.relevant > 100


async def test_the_harvest_is_what_the_store_says(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        done = await focused(web, [some_web(web)], tmp_path / "s.db", 60)
    harvest = done.statistics.of(HarvestStatistics)
    assert harvest is not None
    ((visits, gains, relevant),) = rows(
        done.store,
        "SELECT count(*), sum(probability), sum(probability >= 0.5) FROM relevance JOIN fetch USING (page)"
        " WHERE outcome = 'fetched'",
    )
    assert (harvest.visits, harvest.relevant) == (visits, relevant)
    assert harvest.gains == pytest.approx(gains)
    assert rows(done.store, "SELECT count(*) FROM relevant") == [(relevant,)]
    assert rows(done.store, "SELECT name FROM topic") == [("gardening",)]


async def test_without_a_policy_that_reads_pages_are_judged_and_their_links_are_not_read(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        done = await focused(web, [some_web(web)], tmp_path / "s.db", 30, policy={"name": "bfs"})
    assert rows(done.store, "SELECT count(*), count(links) FROM relevance") == [(30, 0)]


async def test_without_a_topic_nothing_is_judged(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        done = await crawl(web.addresses, [some_web(web)], tmp_path / "s.db", max_pages=5, scope={"kind": "web"})
    assert done.statistics.of(HarvestStatistics) is None
    assert rows(done.store, "SELECT count(*) FROM relevance") == [(0,)]


async def test_files_of_a_type_are_what_is_sought_if_the_topic_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = TopicRecord("application/pdf", None, ("application/pdf",))
    async with LoopbackWeb() as web:
        for n in range(60):
            kind = "papers" if n % 3 == 0 else "news"
            links = "".join(f"<div class={kind}><a href=/{kind}/{n}-{k}>{kind} {k}</a></div>" for k in range(3))
            web.page("a.test", f"/issue/{n}", html=f"<title>{n}</title>{links}<a href=/issue/{n + 1}>next issue</a>")
            for k in range(3):
                page = Answer(b"%PDF", content_type="application/pdf") if kind == "papers" else Answer(b"<p>news</p>")
                web.answer("a.test", f"/{kind}/{n}-{k}", page)
        seed = web.url("a.test", "/issue/0")
        policy = {"name": "focused"}
        done = await crawl(
            web.addresses,
            [seed],
            tmp_path / "s.db",
            max_pages=75,
            topic=topic,
            policy=policy,
            watch=learning_in_no_time(monkeypatch),
        )
    harvest = done.statistics.of(HarvestStatistics)
    assert harvest is not None
    assert harvest.relevant > 45  # of 60, with 75 of 180 pages: issues lead to them, though no issue is one
    assert rows(done.store, "SELECT count(*) FROM relevant") == [(harvest.relevant,)]


async def test_a_resumed_crawl_thinks_of_all_that_waits_what_it_thought_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of what it met after it had learnt for the last time: it is no better informed, and no worse."""
    remembered: list[dict[int, float]] = []

    async def note(running: Crawl) -> None:
        components = running._components
        assert isinstance(components.policy, ReadingPolicy)
        waiting = np.arange(len(components.known), dtype=np.int32)
        depths = np.array([components.known.depth_of(page) for page in waiting.tolist()], np.int32)
        remembered.append(
            dict(zip(waiting.tolist(), components.policy.discovered(waiting, depths).tolist(), strict=True))
        )

    async def at_the_end(running: Crawl) -> None:
        await learning_in_no_time(monkeypatch)(running)
        try:
            await asyncio.Event().wait()
        finally:
            await note(running)

    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        seeds, changes = [some_web(web)], WHOLE_WEB | ONE_AT_A_TIME
        first = await crawl(web.addresses, seeds, store, max_pages=75, topic=gardening(), watch=at_the_end, **changes)
        assert first.statistics.refreshes >= 2
        states = rows(store, "SELECT id FROM page WHERE state = 'waiting' ORDER BY id")
        await crawl(web.addresses, [], store, max_pages=75, watch=note, **changes)
    before, after = remembered
    waiting = [number for (number,) in states]
    assert len(waiting) > 20
    assert [after[page] for page in waiting] == [before[page] for page in waiting]
    assert len({after[page] for page in waiting}) > 10


async def test_accuracy_is_measured_on_the_exploration_sample_also_after_a_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(focused_policy, "SAMPLED", 0.4)
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        first = await focused(web, [some_web(web)], store, 70, watch=learning_in_no_time(monkeypatch), **ONE_AT_A_TIME)
        again = await focused(web, [], store, 70)
    accuracy = first.statistics.of(ExplorationAccuracy)
    assert accuracy is not None
    ((drawn, relevant, promised),) = rows(
        store, "SELECT count(*), sum(probability >= 0.5), avg(promise) FROM drawn JOIN relevance USING (page)"
    )
    assert accuracy.relevant.count == drawn >= 1
    assert accuracy.relevant.value == pytest.approx(relevant / drawn)
    assert accuracy.promised == pytest.approx(promised)
    restored = again.statistics.of(ExplorationAccuracy)
    assert restored is not None
    assert (restored.relevant, restored.ordered) == (accuracy.relevant, accuracy.ordered)
    assert restored.promised == pytest.approx(accuracy.promised)


async def test_a_resumed_crawl_keeps_its_topic(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    async with LoopbackWeb() as web:
        await focused(web, [some_web(web)], store, 20)
        done = await focused(web, [], store, 60)
    harvest = done.statistics.of(HarvestStatistics)
    assert harvest is not None
    assert harvest.visits == 60
    async with LinkStore(store) as link_store:
        topic = await link_store.ask(lambda stored: stored.topics.topic())
    assert topic is not None
    assert topic.name == "gardening"
