"""Whole crawls in parts: the same as in one."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from hinterland.analysis import graph_delta, mmap_graph
from hinterland.crawler.cluster import driver, refreshing
from hinterland.crawler.cluster.launcher import HeldUp, ShardFailed, ShardOrder, ShardRouter
from hinterland.crawler.features.exchange import url_forwarding
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.shard_status import ShardStatus
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.policies.warm_up import warm_up
from hinterland.storage.copying import copy_store, take_copy
from hinterland.storage.values.shards import FoundPage
from tests.support.crawling import Change, crawl, is_sound, rows, wait_until
from tests.support.shards import HostedShard, InOneLoop, Peers, ShardedCrawl
from tests.support.web import Answer, LoopbackWeb

pytestmark = pytest.mark.slow

WEB_WIDE: Change = {"kind": "web", "exclude": ("outside",)}
RANKED = {"scope": WEB_WIDE, "policy": {"name": "pagerank", "refresh_pages": 3}}
NAMES = [f"s{number}.test" for number in range(10)]
FETCHED = "SELECT count(*) FROM pages WHERE outcome = 'fetched'"
SAME = (
    "SELECT url, state, is_local FROM page",
    "SELECT url, outcome, status, detail, title, attempt, retry_at IS NULL FROM fetch JOIN page ON page.id = page",
    "SELECT url, redirect_target, canonical, referrer IS NULL FROM pages WHERE visit NOT NULL",
    "SELECT source, target, kind, nofollow, anchor FROM links",
    "SELECT url, site, is_given_up, pages_fetched FROM host",
    "SELECT host.url, status, text FROM robots JOIN host ON host.id = host",
)


def ring(web: LoopbackWeb) -> list[str]:
    """Sites that lead to each other by links, redirects and nowhere; the front page of the first site has moved."""
    for place, name in enumerate(NAMES):
        following, after = NAMES[(place + 1) % len(NAMES)], NAMES[(place + 2) % len(NAMES)]
        web.page(name, "/", ["/a", "/b", (following, "/a"), "http://outside.example/"])
        web.page(name, "/a", ["/", "/gone", (after, "/moved"), (following, "/secret/x")])
        web.page(name, "/b", [(following, "/deep1")], html=None)
        web.page(name, "/deep1", [(after, "/deep2")])
        web.page(name, "/deep2", [])
        web.redirect(name, "/moved", (following, "/moved2"))
        web.redirect(name, "/moved2", (after, "/end"))
        web.page(name, "/end", [])
        web.robots(name, "User-agent: *\nDisallow: /secret/")
    web.redirect(NAMES[0], "/", (NAMES[3], "/"))
    return [web.url(NAMES[0])]


def same(one: Path, other: Path) -> None:
    for sql in SAME:
        assert Counter(rows(one, sql)) == Counter(rows(other, sql)), sql


@pytest.fixture
def refreshes_begin_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was compiled before: a crawl of seconds would be over."""
    monkeypatch.setattr(refreshing, "_LOOK_SECONDS", 0.01)
    warm_up("pagerank")
    graph_delta.warm_up()


async def log_has(web: LoopbackWeb, requests: int) -> None:
    await wait_until(lambda: len(web.log) > requests)


def test_the_names_of_these_tests_are_in_several_shards() -> None:
    assert len({Shards(4).owner(f"http://{name}") for name in NAMES}) == 4


@pytest.mark.parametrize("count", [2, 4])
async def test_a_crawl_in_shards_finds_what_one_crawl_finds(tmp_path: Path, count: int) -> None:
    async with LoopbackWeb() as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, count, {"scope": WEB_WIDE})
        assert await parts.run() is alone.reason is EndReason.EXHAUSTED
    joined = parts.joined()
    assert is_sound(joined)
    same(alone.store, joined)
    assert len(parts.launcher.sent) == len(set(parts.launcher.sent))
    assert not parts.warnings


@pytest.mark.parametrize("largest", range(3))
async def test_what_is_joined_is_the_same_whichever_shard_is_the_largest(tmp_path: Path, largest: int) -> None:
    async with LoopbackWeb() as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 3, {"scope": WEB_WIDE})
        await parts.run()
    for store in (alone.store, parts.path(largest)):
        let_it_know_more(store)
    joined = parts.joined()
    assert is_sound(joined)
    same(alone.store, joined)
    for table in ("host", "page"):
        assert rows(joined, f"SELECT id FROM {table} ORDER BY id") == [(i,) for i in range(count_of(joined, table))]
    kept = "SELECT state, is_local, host.url, pages FROM page_count JOIN host ON host.id = host WHERE pages"
    assert Counter(rows(alone.store, kept)) == Counter(rows(joined, kept))


def let_it_know_more(store: Path) -> None:
    """Fifty more pages outside, more than any part has of its own."""
    with closing(sqlite3.connect(store)) as connection, connection:
        [(host,)] = connection.execute("SELECT id FROM host WHERE url = 'http://outside.example'")
        first = count_of(store, "page")
        more = [(first + number, f"http://outside.example/{number}", host) for number in range(50)]
        connection.executemany("INSERT INTO page VALUES (?, ?, ?, 'known', 0, 2, 0, 0)", more)


def count_of(store: Path, table: str) -> int:
    return int(rows(store, f"SELECT count(*) FROM {table}")[0][0])


async def test_where_a_seed_redirects_to_is_local_in_every_shard(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        ring(web)
        seeds = [web.url(NAMES[0]), web.url(NAMES[5])]
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db")
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 4)
        assert await parts.run() is EndReason.EXHAUSTED
    same(alone.store, parts.joined())


@pytest.mark.parametrize("depth", [1, 2])
async def test_pages_within_the_depth_limit_are_the_same_whichever_shard_finds_them(tmp_path: Path, depth: int) -> None:
    limited = {**WEB_WIDE, "max_depth": depth}
    async with LoopbackWeb() as web:
        seeds = [*ring(web), web.url(NAMES[5])]
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=limited)
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 3, {"scope": limited})
        await parts.run()
    joined = parts.joined()
    same(alone.store, joined)
    depths = "SELECT url, depth FROM page WHERE state NOT IN ('known')"
    assert set(rows(alone.store, depths)) == set(rows(joined, depths))


async def test_shards_that_are_lost_go_on_and_nothing_is_fetched_twice_that_was_written(tmp_path: Path) -> None:
    async with LoopbackWeb(latency=0.005) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        web.log.clear()
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 2, {"scope": WEB_WIDE, "fetching": {"max_in_flight": 4}})
        running = asyncio.create_task(parts.run())
        for count in (10, 20, 30):
            await log_has(web, count)
            parts.launcher.shards[count % 20 // 10].lose()
        assert await running is EndReason.EXHAUSTED
        again = sum(count - 1 for (host, path), count in web.fetches().items())
    same(alone.store, parts.joined())
    assert len(parts.warnings) == 3
    assert again <= 3 * 2


async def test_a_budget_is_used_up_and_not_exceeded(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 3, {"scope": WEB_WIDE})
        assert await parts.run(max_pages=17) is EndReason.MAX_PAGES
        assert rows(parts.joined(), FETCHED) == [(17,)]
        assert await parts.run(max_pages=1000) is EndReason.EXHAUSTED


@pytest.mark.parametrize("budget", [1000, 40])
async def test_shards_that_were_lost_are_given_their_share_of_the_budget_again(tmp_path: Path, budget: int) -> None:
    async with LoopbackWeb(latency=0.01) as web:
        changes: dict[str, Change] = {"scope": WEB_WIDE, "fetching": {"max_in_flight": 4}}
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 2, changes)
        running = asyncio.create_task(parts.driver(budget).run())
        await log_has(web, 12)
        for shard in list(parts.launcher.shards.values()):
            shard.lose()
        reason = await running
        alone = await crawl(web.addresses, ring(web), tmp_path / "alone.db", scope=WEB_WIDE)
    [(fetched,)] = rows(parts.joined(), FETCHED)
    [(all_there_are,)] = rows(alone.store, FETCHED)
    assert fetched == min(budget, all_there_are)
    assert reason is (EndReason.MAX_PAGES if budget < all_there_are else EndReason.EXHAUSTED)


async def test_a_store_joined_from_shards_that_were_stopped_can_be_continued_as_one(tmp_path: Path) -> None:
    async with LoopbackWeb(latency=0.002) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        web.log.clear()
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 2, {"scope": WEB_WIDE})
        crawling = parts.driver()
        running = asyncio.create_task(crawling.run())
        await log_has(web, 12)
        crawling.stop()
        assert await running is EndReason.STOPPED
        joined = await crawl(web.addresses, seeds, parts.joined(), scope=WEB_WIDE)
        assert joined.reason is EndReason.EXHAUSTED
        assert max(web.fetches().values()) == 1
    same(alone.store, joined.store)


async def test_each_page_of_the_domain_is_counted_once_whichever_shards_know_it_also_after_a_restart(
    tmp_path: Path,
) -> None:
    async with LoopbackWeb() as web:
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 4, {"scope": WEB_WIDE})
        for _ in range(2):
            crawling = parts.driver()
            await crawling.run()
            counted = crawling.statistics()
            [(local,)] = rows(parts.joined(), "SELECT count(*) FROM page WHERE is_local")
            outside = [rows(parts.path(n), "SELECT count(*) FROM page WHERE NOT is_local")[0][0] for n in range(4)]
            assert (counted.pages_local, counted.pages_known) == (local, local + sum(outside))
            parts.seeds = []  # the stores have them


async def test_hosts_that_were_given_up_by_one_shard_are_why_all_of_them_end(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seeds = [web.page(NAMES[0], "/", [(NAMES[1], "/")]), web.page(NAMES[2], "/")]
        web.answer(NAMES[1], "*", Answer(b"", 503))
        changes: dict[str, Change] = {"scope": {"kind": "web"}, "politeness": {"give_up_unheard_after_failures": 1}}
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 3, changes)
        assert await parts.run() is EndReason.HOSTS_GIVEN_UP


async def test_a_shard_that_goes_on_with_an_old_copy_is_sent_again_what_it_had_acknowledged(tmp_path: Path) -> None:
    async with LoopbackWeb(latency=0.002) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 2, {"scope": WEB_WIDE})
        empty, received = tmp_path / "copy.db", parts.path(1)
        assert await parts.run(max_pages=1) is EndReason.MAX_PAGES
        copy_store(received, empty)
        assert await parts.run() is EndReason.EXHAUSTED
        take_copy(empty, received)  # as when the disk was lost
        crawling = parts.driver()
        running = asyncio.create_task(crawling.run())
        crawling.has_lost(1)
        assert await running is EndReason.EXHAUSTED
    same(alone.store, parts.joined())


async def test_a_shard_can_be_sent_all_again_while_what_it_has_is_being_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LoopbackWeb(latency=0.01) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        slowly: Change = {"commit_seconds": 0.05}
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 2, {"scope": WEB_WIDE, "storage": slowly})
        crawling = parts.driver()
        deliver, soon = crawling.deliver, asyncio.get_running_loop().call_soon

        async def deliver_and_lose(shard: int, found: Sequence[FoundPage]) -> None:
            await deliver(shard, found)
            if shard == 1:
                monkeypatch.setattr(crawling, "deliver", deliver)
                soon(soon, crawling.has_lost, 1)  # the sender writes down meanwhile that it has arrived

        monkeypatch.setattr(crawling, "deliver", deliver_and_lose)
        assert await asyncio.wait_for(crawling.run(), 10) is EndReason.EXHAUSTED
    same(alone.store, parts.joined())


async def test_a_bug_where_a_shard_sends_ends_the_crawl_instead_of_hanging_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(shard: int, found: Sequence[FoundPage]) -> None:
        raise ZeroDivisionError

    async with LoopbackWeb() as web:
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 2, {"scope": WEB_WIDE})
        crawling = parts.driver()
        monkeypatch.setattr(crawling, "deliver", fail)
        with pytest.raises(ExceptionGroup) as caught:
            await asyncio.wait_for(crawling.run(), 10)
    assert caught.value.subgroup(ZeroDivisionError) is not None


async def test_a_shard_that_does_not_answer_is_ended_and_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(driver, "_SILENCE_SECONDS", 0.2)
    async with LoopbackWeb(latency=0.002) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        web.log.clear()
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 2, {"scope": WEB_WIDE})
        running = asyncio.create_task(parts.run())
        await log_has(web, 12)
        parts.launcher.shards[1].freeze()
        assert await running is EndReason.EXHAUSTED
    same(alone.store, parts.joined())
    assert any("has not answered" in warning for warning in parts.warnings)


class SlowToStart(HostedShard):
    """Answers nothing before its `ready` is set. The second one of two shards."""

    ready = asyncio.Event()
    held_up_by = HeldUp("it imports")

    async def status(self) -> ShardStatus:
        if self.number == 1:
            await self.ready.wait()
        return await super().status()

    async def held_up(self) -> HeldUp:
        return self.held_up_by


@pytest.mark.parametrize(
    "held_up, after", [(HeldUp("it imports"), "it imports"), (HeldUp("no machine", by_room=True), "no machine")]
)
async def test_a_shard_that_is_slow_to_start_is_reported_and_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held_up: HeldUp, after: str
) -> None:
    monkeypatch.setattr(driver, "_PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(driver, "_SILENCE_SECONDS", 1.0)
    monkeypatch.setattr(driver, "_START_SECONDS", 0.3 if held_up.by_room else 1000.0)
    monkeypatch.setattr(driver, "_STARTING_SECONDS", 0.2)

    class Slow(SlowToStart):
        ready = asyncio.Event()
        held_up_by = held_up

    async with LoopbackWeb() as web:
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 2, {"scope": WEB_WIDE}, launcher=InOneLoop(Slow))
        running = asyncio.create_task(parts.run())

        def told() -> list[str]:
            return [each for each in parts.warnings if each.startswith("shard 2 ")]  # the first may be slow, too

        await wait_until(lambda: len(told()) > 2)  # each comes after twice as long, this one after 1.4 s
        Slow.ready.set()
        assert await running is EndReason.EXHAUSTED
    assert all(re.match(rf"shard 2 has not started after \d+ seconds: {after}", each) for each in told())
    assert not any("ending it" in warning for warning in parts.warnings)
    assert parts.launcher.shards[1].epoch == 2  # of two starts in all


async def test_a_shard_that_never_answers_is_ended_and_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "_START_SECONDS", 0.3)
    ended = list[int]()

    class Deaf(SlowToStart):
        ready = asyncio.Event()

        async def give_up(self) -> None:
            ended.append(self.epoch)
            if len(ended) == 2:
                self.ready.set()
            await super().give_up()

    async with LoopbackWeb() as web:
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 2, {"scope": WEB_WIDE}, launcher=InOneLoop(Deaf))
        async with asyncio.timeout(30.0):
            assert await parts.run() is EndReason.EXHAUSTED
    assert len(ended) == 2
    assert sum("ending it" in warning for warning in parts.warnings) == 2


class NoRoom(InOneLoop):
    """Starts nothing while `has_room` is not set."""

    def __init__(self) -> None:
        super().__init__()
        self.has_room = asyncio.Event()
        self.has_room.set()

    async def start(self, order: ShardOrder, router: ShardRouter) -> HostedShard:
        await self.has_room.wait()
        return await super().start(order, router)


async def test_what_a_lost_shard_was_doing_is_not_shown_as_being_done(tmp_path: Path) -> None:
    async with LoopbackWeb(latency=0.05) as web:
        launcher = NoRoom()
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 2, {"scope": WEB_WIDE}, launcher=launcher)
        crawling = parts.driver()
        running = asyncio.create_task(crawling.run())
        await wait_until(lambda: crawling.statistics().frontier.in_flight > 0)
        launcher.has_room.clear()
        for shard in list(launcher.shards.values()):
            shard.lose()
        await wait_until(lambda: len(parts.warnings) == 2)
        frontier = crawling.statistics().frontier
        assert (frontier.in_flight, frontier.hosts_busy, frontier.hosts_ready) == (0, 0, 0)
        launcher.has_room.set()
        assert await running is EndReason.EXHAUSTED


async def test_a_shard_that_hangs_when_all_are_done_is_ended_and_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class HangsAtTheEnd(HostedShard):
        async def finish(self) -> None:
            if self.epoch == 1:
                self.freeze()
            await super().finish()

    monkeypatch.setattr(driver, "_PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(driver, "_SILENCE_SECONDS", 0.2)
    async with LoopbackWeb() as web:
        launcher = InOneLoop(HangsAtTheEnd)
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 2, {"scope": WEB_WIDE}, launcher=launcher)
        async with asyncio.timeout(30.0):
            assert await parts.run() is EndReason.EXHAUSTED
    assert any("has not answered" in warning for warning in parts.warnings)


async def test_a_bug_in_asking_shards_ends_the_crawl(tmp_path: Path) -> None:
    class Broken(HostedShard):
        async def status(self) -> ShardStatus:
            raise RuntimeError("a bug")

    async with LoopbackWeb() as web:
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 2, {"scope": WEB_WIDE}, launcher=InOneLoop(Broken))
        with pytest.raises(ExceptionGroup) as raised:
            async with asyncio.timeout(30.0):
                await parts.run()
    assert raised.group_contains(RuntimeError, match="a bug")


async def test_a_shard_that_cannot_be_started_ends_the_crawl_and_is_named(tmp_path: Path) -> None:
    class Second(HostedShard):
        def __init__(self, order: ShardOrder, peers: Peers) -> None:
            if order.mark.number:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            super().__init__(order, peers)

    async with LoopbackWeb() as web:
        parts = ShardedCrawl(web.addresses, ring(web), tmp_path, 2, {"scope": WEB_WIDE}, launcher=InOneLoop(Second))
        with pytest.raises(ShardFailed, match=r"shard 2 cannot be started: .*temporarily unavailable"):
            await parts.run()


@pytest.mark.usefixtures("refreshes_begin_at_once")
async def test_shards_take_over_the_order_that_the_links_of_all_of_them_say(tmp_path: Path) -> None:
    async with LoopbackWeb(latency=0.01) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 2, RANKED)
        crawling = parts.driver()
        running = asyncio.create_task(crawling.run())
        await log_has(web, 150)
        parts.launcher.shards[1].lose()
        assert await running is EndReason.EXHAUSTED
    same(alone.store, parts.joined())
    assert crawling.statistics().refreshes >= 2
    assert crawling.shipped is not None
    assert crawling.shipped.refreshes >= 2


@pytest.mark.usefixtures("refreshes_begin_at_once")
async def test_without_room_for_the_links_of_all_shards_each_keeps_its_order_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path, size: int, kind: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(mmap_graph, "LARGE_BYTES", 1)
    monkeypatch.setattr(mmap_graph, "zeros_in", full)
    async with LoopbackWeb(latency=0.002) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        parts = ShardedCrawl(web.addresses, seeds, tmp_path, 2, RANKED)
        crawling = parts.driver()
        assert await crawling.run() is EndReason.EXHAUSTED
    same(alone.store, parts.joined())
    [told] = parts.warnings
    assert "cannot rank the pages of all shards together" in told
    assert f"No space left on device, in {tmp_path}" in told


async def test_a_message_of_many_pages_is_taken_up_some_at_a_time_and_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(url_forwarding, "_AT_ONCE", 3)
    async with LoopbackWeb() as web:
        web.page("s0.test", "/", [(f"s{number}.test", f"/{page}") for number in range(1, 4) for page in range(10)])
        for number in range(1, 4):
            for page in range(10):
                web.page(f"s{number}.test", f"/{page}", [])
        alone = await crawl(web.addresses, [web.url("s0.test")], tmp_path / "alone.db", scope=WEB_WIDE)
        parts = ShardedCrawl(web.addresses, [web.url("s0.test")], tmp_path, 4, {"scope": WEB_WIDE})
        assert await parts.run() is EndReason.EXHAUSTED
    same(alone.store, parts.joined())
