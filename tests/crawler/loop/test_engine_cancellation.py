"""A crawl that is broken off: nothing is left behind, nothing written is wrong, the next run completes it."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.features.recrawl.revisiting import Revisiting
from hinterland.crawler.features.sitemaps.indexnow_consumer import IndexNowConsumer
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.storage.link_store import LinkStore
from hinterland.storage.record_writer import RecordWriter
from hinterland.storage.values.records import Record, VisitRecord
from tests.support.crawling import crawl, fetched, is_sound, links, rows, states, wait_until
from tests.support.parser_processes import parser_processes
from tests.support.web import LoopbackWeb, gaps, graph_page, random_graph, web_from_graph
from tests.support.web_behaviours import nested_divs, slow_first_byte

Write = Callable[[LinkStore, Sequence[Record]], Awaitable[None]]


async def break_off(crawling: asyncio.Task[Any], is_time: Callable[[], object]) -> None:
    """Cancel as soon as it is time, and see that the crawl leaves no task behind."""
    before = asyncio.all_tasks()
    await wait_until(lambda: is_time() or crawling.done())
    crawling.cancel()
    with suppress(asyncio.CancelledError):
        await crawling
    left = asyncio.all_tasks() - before
    assert not [task for task in left if "web.py" not in repr(task)], "all tasks of the crawl have ended"


def has_grown(log: Sequence[object], size: int) -> bool:
    return len(log) > size


async def test_a_crawl_broken_off_while_pages_are_fetched_fetches_them_when_it_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seeds = [web.page(f"h{n}.test", "/", links=["/slow"]) for n in range(4)]
        for n in range(4):
            web.answer(f"h{n}.test", "/slow", slow_first_byte(60.0, web.handler(f"h{n}.test", "/")))
        crawling = asyncio.create_task(crawl(web.addresses, seeds, store))
        await break_off(crawling, lambda: len(web.requests(path="/slow")) == 4)
        assert fetched(store) == set(seeds), "what was fetched is written"
        assert rows(store, "SELECT reason FROM run") == [("aborted",)]
        for n in range(4):
            web.page(f"h{n}.test", "/slow")
        crawled = await crawl(web.addresses, seeds, store)
    assert len(fetched(store)) == 8
    assert crawled.reason.label == "exhausted"
    assert set(web.fetches().values()) == {1, 2}


async def test_a_crawl_broken_off_while_its_seeds_are_stored_says_that_it_was_aborted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store.db"
    writing = asyncio.Event()

    async def never_write(self: LinkStore, records: Sequence[Record]) -> None:
        writing.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(LinkStore, "write", never_write)
    async with LoopbackWeb() as web:
        crawling = asyncio.create_task(crawl(web.addresses, [web.page("a.test", "/")], store))
        await break_off(crawling, writing.is_set)
    assert rows(store, "SELECT reason FROM run") == [("aborted",)]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/robots.txt", "/"])
async def test_a_crawl_broken_off_at_its_first_requests_starts_over(path: str, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    async with LoopbackWeb() as web:
        seeds = [web.page(f"h{n}.test", "/") for n in range(4)]
        web.latency = 60.0 if path == "/robots.txt" else 0.0
        if path == "/":
            for n in range(4):
                web.answer(f"h{n}.test", "/", slow_first_byte(60.0, web.handler(f"h{n}.test", "/")))
        crawling = asyncio.create_task(crawl(web.addresses, seeds, store))
        await break_off(crawling, lambda: len([each for each in web.log if each.path == path]) == 4)
        assert set(states(store).values()) == {"waiting"}
        web.latency = 0.0
        seeds = [web.page(f"h{n}.test", "/") for n in range(4)]
        await crawl(web.addresses, seeds, store)
    assert fetched(store) == set(seeds)


@pytest.mark.slow
async def test_a_crawl_broken_off_while_a_page_is_parsed_fetches_it_when_it_goes_on(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    before = parser_processes()
    async with LoopbackWeb() as web:
        seed = web.answer("a.test", "/", nested_divs(300_000))
        crawling = asyncio.create_task(
            crawl(web.addresses, [seed], store, in_processes=True, parsing={"timeout_seconds": 60.0})
        )
        await break_off(crawling, lambda: web.requests("a.test") and web.requests("a.test")[0].finished < 1e12)
        assert parser_processes() == before, "the busy parser was not waited for, and did not stay"
        assert states(store) == {seed: "waiting"}
        web.page("a.test", "/")
        crawled = await crawl(web.addresses, [seed], store, in_processes=True)
    assert crawled.outcome(seed) == "fetched"
    assert parser_processes() == before


async def test_broken_off_during_a_commit_what_was_fetched_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store.db"
    may_write = asyncio.Event()
    submitted: list[Record] = []
    write: Write = LinkStore.write
    submit = RecordWriter.submit

    async def write_slowly(self: LinkStore, records: Sequence[Record]) -> None:
        if any(isinstance(record, VisitRecord) for record in records):
            await may_write.wait()
        await write(self, records)

    def submit_and_tell(self: RecordWriter, *records: Record) -> asyncio.Future[None]:
        submitted.extend(record for record in records if isinstance(record, VisitRecord))
        return submit(self, *records)

    monkeypatch.setattr(LinkStore, "write", write_slowly)
    monkeypatch.setattr(RecordWriter, "submit", submit_and_tell)
    async with LoopbackWeb() as web:
        seeds = [web.page(f"h{n}.test", "/", links=["/next"]) for n in range(6)]
        for n in range(6):
            web.answer(f"h{n}.test", "/next", slow_first_byte(60.0, web.handler(f"h{n}.test", "/")))
        crawling = asyncio.create_task(crawl(web.addresses, seeds, store))
        asyncio.get_running_loop().call_later(0.2, may_write.set)
        await break_off(crawling, lambda: len(submitted) == 6)
        assert fetched(store) == set(seeds)
        for n in range(6):
            web.page(f"h{n}.test", "/next")
        await crawl(web.addresses, seeds, store)
    assert len(fetched(store)) == 12
    assert {web.fetches()[f"h{n}.test", "/"] for n in range(6)} == {1}


@pytest.mark.slow
async def test_broken_off_again_and_again_it_ends_like_an_undisturbed_crawl(tmp_path: Path) -> None:
    choose = random.Random(7)
    in_flight = 5
    async with LoopbackWeb(latency=0.001) as web:
        web_from_graph(*random_graph(seed=5, n=150), 150, 15, web)
        seeds = [web.url(*graph_page(15 * n, 15)) for n in range(10)]
        await crawl(web.addresses, seeds, tmp_path / "undisturbed.db")
        store = tmp_path / "broken.db"
        seen: Counter[tuple[str, str]] = Counter()
        for _ in range(12):
            begun = len(web.log)
            is_enough = partial(has_grown, web.log, begun + choose.randrange(1, 30))
            crawling = asyncio.create_task(crawl(web.addresses, seeds, store, fetching={"max_in_flight": in_flight}))
            await break_off(crawling, is_enough)
            assert is_sound(store)
            in_life = {(each.host, each.path) for each in web.log[begun:] if each.path != "/robots.txt"}
            assert sum(page in seen for page in in_life) <= in_flight
            seen.update(in_life)
        crawled = await crawl(web.addresses, seeds, store)
    assert states(crawled.store) == states(tmp_path / "undisturbed.db")
    assert links(crawled.store) == links(tmp_path / "undisturbed.db")


async def test_after_an_abort_hosts_rest_before_they_are_asked_again(tmp_path: Path) -> None:
    rest = 0.3
    async with LoopbackWeb() as web:
        seeds = [web.page(f"h{n}.test", "/") for n in range(5)]
        for n in range(5):
            web.answer(f"h{n}.test", "/robots.txt", slow_first_byte(0.1 * n, web.handler("", "")))
        politeness = {"delay_seconds": rest}
        crawling = asyncio.create_task(crawl(web.addresses, seeds, tmp_path / "s.db", politeness=politeness))
        await break_off(crawling, lambda: len([each for each in web.log if each.status]) == 3)
        await crawl(web.addresses, seeds, tmp_path / "s.db", politeness=politeness)
    for host in web.addresses:
        assert min(gaps([request for request in web.log if request.host == host])) >= rest


@pytest.mark.slow
async def test_a_store_that_cannot_be_written_ends_the_run_with_that_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store.db"
    write: Write = LinkStore.write
    writes = 0

    async def fail_later(self: LinkStore, records: Sequence[Record]) -> None:
        nonlocal writes
        writes += 1
        if writes > 5:
            raise sqlite3.OperationalError("database or disk is full")
        await write(self, records)

    before = asyncio.all_tasks()
    async with LoopbackWeb() as web:
        web_from_graph(*random_graph(seed=5, n=60), 60, 60, web)
        seed = web.url(*graph_page(0, 60))
        with monkeypatch.context() as patched:
            patched.setattr(LinkStore, "write", fail_later)
            with pytest.raises((sqlite3.OperationalError, ExceptionGroup)) as caught:
                await crawl(web.addresses, [seed], store)
            assert "database or disk is full" in repr(caught.value)
        assert not [task for task in asyncio.all_tasks() - before if "web.py" not in repr(task)]
        assert is_sound(store)
        assert writes == 6, "nothing is written after a failure, or a gap would go unnoticed"
        crawled = await crawl(web.addresses, [seed], store)
    assert len(fetched(store)) == 60
    assert crawled.reason.label == "exhausted"


async def test_what_watches_a_crawl_ends_with_it_and_its_own_failure_is_reported(tmp_path: Path) -> None:
    async def fail(crawl: object) -> None:
        raise ZeroDivisionError

    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/")
        with pytest.raises(ExceptionGroup) as caught:
            await crawl(web.addresses, [seed], tmp_path / "store.db", watch=fail)
    assert caught.value.subgroup(ZeroDivisionError) is not None
    assert fetched(tmp_path / "store.db") == {seed}


async def test_a_bug_in_what_a_crawl_cannot_do_without_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(self: IndexNowConsumer) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(IndexNowConsumer, "run", fail)
    async with LoopbackWeb() as web:
        await crawl(web.addresses, [web.page("a.test", "/")], tmp_path / "store.db")
        for_years = Revisiting(1.0, 1e9)
        with pytest.raises(ExceptionGroup) as caught:
            await asyncio.wait_for(crawl(web.addresses, [], tmp_path / "store.db", revisiting=for_years), 10)
    assert caught.value.subgroup(ZeroDivisionError) is not None
    assert rows(tmp_path / "store.db", "SELECT reason FROM run") == [("exhausted",), ("bug",)]


async def test_what_has_failed_beside_a_crawl_that_fails_is_reported_with_its_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(crawl: object) -> None:
        raise ZeroDivisionError

    def fail_too(self: Frontier, now: float, *, lookups: bool) -> None:
        raise KeyError

    monkeypatch.setattr(Frontier, "next_visit", fail_too)
    async with LoopbackWeb() as web:
        with pytest.raises(ExceptionGroup) as caught:
            await crawl(web.addresses, [web.page("a.test", "/")], tmp_path / "store.db", watch=fail)
    assert caught.value.subgroup(KeyError) is not None
    assert caught.value.__notes__ == ["also failed alongside the crawl: ZeroDivisionError()"]
