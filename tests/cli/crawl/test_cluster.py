"""`crawl --cluster`, with processes as in earnest."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import time
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.cluster import folder
from hinterland.crawler.cluster.folder import ShardsFolder
from hinterland.crawler.cluster.launcher import ShardOrder, ShardRouter
from hinterland.crawler.cluster.processes import LocalLauncher, ShardProcess
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.settings import load_settings
from hinterland.library.crawls import cluster_run, crawl_run
from hinterland.library.crawls.cluster_choice import ClusterChoice, cluster_of
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.seeds import GivenSeed
from hinterland.library.errors import HinterlandError
from hinterland.storage.copying import copy_store, take_copy
from hinterland.storage.joining import join
from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import StoreLock
from tests.crawler.cluster.test_driver import NAMES, ring, same
from tests.support.crawling import crawl, wait_until
from tests.support.hinterland import Memory, overrides
from tests.support.in_process import complaint
from tests.support.shards import InOneLoop
from tests.support.stored_pages import Page, write_store
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow

WEB_WIDE = {"kind": "web", "exclude": ("outside",)}
OPENED = ("--set", "fetching.allow_networks=127.0.0.1", "--set", 'fetching.addresses={"a.test" = "127.0.0.1"}')


async def crawled_in_parts(
    web: LoopbackWeb,
    seeds: list[str],
    store: Path,
    shards: int = 2,
    settings: tuple[str, ...] = (),
    display: Memory | None = None,
    **others: Any,
) -> Ending:
    given = overrides(web, "scope.kind=web", "scope.exclude=outside", "fetching.max_in_flight=4", *settings)
    effective = load_settings(None, "settings.toml", {}, given, {})
    given_seeds = [GivenSeed(seed, "a seed") for seed in seeds]
    plan = CrawlPlan(effective, given_seeds, str(store), ["crawl"], cluster=f"local:{shards}", **others)
    return await crawl_run.crawl(plan, display or Memory())


@pytest.fixture
def in_one_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the shards in the test's own event loop, where a test is not about processes: two take three seconds of a
    processor to start."""

    async def launcher(choice: ClusterChoice, crawl: str, module: str) -> InOneLoop:
        return InOneLoop(tells_of_losses=True)

    monkeypatch.setattr(cluster_run, "launcher_of", launcher)


async def test_a_process_that_is_killed_is_started_again_and_the_store_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[ShardProcess] = []
    start = LocalLauncher.start

    async def noted(self: LocalLauncher, order: ShardOrder, router: ShardRouter) -> ShardProcess:
        started.append(await start(self, order, router))
        return started[-1]

    monkeypatch.setattr(LocalLauncher, "start", noted)
    async with LoopbackWeb(latency=0.01) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        web.log.clear()
        display = Memory()
        running = asyncio.create_task(crawled_in_parts(web, seeds, tmp_path / "all.db", display=display))
        await wait_until(lambda: len(web.log) > 15)
        os.kill(started[0].process.pid, signal.SIGKILL)
        ending = await running
        again = sum(count - 1 for count in web.fetches().values())
    assert ending.reason is EndReason.EXHAUSTED
    same(alone.store, tmp_path / "all.db")
    assert any("killed by signal 9" in warning for warning in display.warnings)
    assert again <= 2
    assert ending.content is not None
    assert ending.content.pages.of("waiting") == 0


async def test_a_crawl_whose_processes_end_again_and_again_says_so_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def launcher(choice: ClusterChoice, crawl: str, module: str) -> LocalLauncher:
        return LocalLauncher("hinterland.crawler.urls")  # which ends at once

    async with LoopbackWeb() as web:
        seeds = ring(web)
        with monkeypatch.context() as broken:
            broken.setattr(cluster_run, "launcher_of", launcher)
            ending = await crawled_in_parts(web, seeds, tmp_path / "all.db")
        again = await crawled_in_parts(web, seeds, tmp_path / "all.db")
    assert again.reason is EndReason.EXHAUSTED, "there was nothing yet to go on with"
    assert ending.reason is EndReason.SHARD_FAILED
    assert "this is the 5th time within a minute" in ending.problem
    assert f"the shards in {tmp_path / 'all.db.shards'} hold everything that was fetched" in ending.problem
    assert ending.next_commands[0] == f"python3 run.py crawl --resume --store {tmp_path / 'all.db'} --cluster local:2"


@pytest.mark.usefixtures("in_one_loop")
async def test_parts_that_fetched_nothing_make_room_for_the_next_crawl(tmp_path: Path) -> None:
    store = tmp_path / "all.db"
    async with LoopbackWeb() as web:
        seeds = ring(web)
        first = await crawled_in_parts(web, [web.url(NAMES[0], "/no-such-page")], store)
        display = Memory()
        second = await crawled_in_parts(web, seeds, store, shards=3, display=display)
        with pytest.raises(HinterlandError, match="already holds the shards of a crawl"):
            await crawled_in_parts(web, seeds, store)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
    assert [first.reason, second.reason] == [EndReason.NOTHING_FETCHED, EndReason.EXHAUSTED]
    assert display.notes[0] == f"{store} held a crawl that had fetched nothing; this one replaces it"
    same(alone.store, store)


@pytest.mark.usefixtures("in_one_loop")
async def test_what_is_tried_again_is_counted_over_all_parts(tmp_path: Path) -> None:
    store, notes = tmp_path / "all.db", list[str]()
    async with LoopbackWeb() as web:
        for place, name in enumerate(NAMES):
            web.page(name, "/", ["/large", *((other, "/") for other in NAMES[place + 1 : place + 2])])
            web.page(name, "/large", html="x" * 2000)
        await crawled_in_parts(web, [web.url(NAMES[0])], store, settings=("fetching.max_body_bytes=1024",))
        for retry in ([], ["changed"]):
            display = Memory()
            await crawled_in_parts(web, [], store, display=display, resume=True, retry=retry)
            notes += [note for note in display.notes if note.startswith(("not retried", "to be retried"))]
    settled = "not retried, although settings have changed since: 10 too_large (fetching.max_body_bytes)"
    assert notes == [f"{settled}; --retry changed retries them", "to be retried: 10 too_large"]


async def test_a_store_without_parts_is_not_replaced(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seeds = ring(web)
        await crawl(web.addresses, seeds, tmp_path / "all.db", scope=WEB_WIDE)
        with pytest.raises(HinterlandError, match="already exists; choose another --store"):
            await crawled_in_parts(web, seeds, tmp_path / "all.db")
    assert not (tmp_path / "all.db.shards").exists()


async def test_what_is_known_of_the_parts_and_cannot_be_written_ends_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: ShardsFolder, shard: int) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ShardsFolder, "next_epoch", full)
    async with LoopbackWeb() as web:
        ending = await crawled_in_parts(web, ring(web), tmp_path / "all.db")
    assert ending.reason is EndReason.STORE_FAILED
    assert "all.db.shards cannot be written: [Errno 28] No space left" in ending.problem


@pytest.mark.usefixtures("in_one_loop")
async def test_a_display_that_fails_is_not_taken_for_a_folder_that_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(self: Memory, text: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(Memory, "note", closed)
    async with LoopbackWeb() as web:
        with pytest.raises(BrokenPipeError):
            await crawled_in_parts(web, ring(web), tmp_path / "all.db")


@pytest.mark.usefixtures("in_one_loop")
@pytest.mark.parametrize("is_in_time", [True, False])
async def test_a_crawl_that_was_told_to_stop_at_once_while_its_parts_were_joined_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_in_time: bool
) -> None:
    """`is_in_time` says whether that is before the joined store is put in place."""
    store, joins = tmp_path / "all.db", 0

    def interrupted(parts: Any, joined: Any, owner: Any, run: Any, *, on_progress: Any, is_cut: Any) -> None:
        nonlocal joins
        joins += 1
        while joins == 2 and not is_cut():
            os.kill(os.getpid(), signal.SIGINT)  # those after the second mean nothing
            time.sleep(0.01)
        join(parts, joined, owner, run, on_progress=on_progress, is_cut=is_cut if is_in_time else lambda: False)

    monkeypatch.setattr(cluster_run, "join", interrupted)
    async with LoopbackWeb() as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        endings = [(await crawled_in_parts(web, seeds, store)).reason]
        endings += [(await crawled_in_parts(web, [], store, resume=True)).reason for _ in range(2)]
    assert endings == [EndReason.EXHAUSTED, EndReason.ABORTED, EndReason.EXHAUSTED]
    assert joins == 3
    same(alone.store, store)


@pytest.mark.usefixtures("in_one_loop")
async def test_a_shard_that_has_become_an_older_copy_is_sent_again_what_others_have_found(tmp_path: Path) -> None:
    store, part, old = tmp_path / "all.db", tmp_path / "all.db.shards" / "1.db", tmp_path / "old.db"
    async with LoopbackWeb(latency=0.002) as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope=WEB_WIDE)
        await crawled_in_parts(web, seeds, store, max_pages=1)
        copy_store(part, old)
        await crawled_in_parts(web, [], store, resume=True)
        same(alone.store, store)
        take_copy(old, part)  # as a crawl on Ray leaves it whose machines are lost
        store.unlink()
        ending = await crawled_in_parts(web, [], store, resume=True)
    assert ending.reason is EndReason.EXHAUSTED
    same(alone.store, store)


@pytest.mark.parametrize("text", ["remote", "local:0", "local:x", "local:", "local:65", "", "local:2@a:1", "ray:2@a"])
def test_a_cluster_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(HinterlandError, match="expected local:N"):
        cluster_of(text)


def test_a_cluster_is_of_processes_here_or_of_ray() -> None:
    assert cluster_of("local:3") == ClusterChoice(3)
    assert cluster_of("ray:3") == ClusterChoice(3, is_ray=True)
    assert cluster_of("ray:16@10.0.0.1:6379") == ClusterChoice(16, True, "10.0.0.1:6379")
    assert cluster_of("local").shards == os.cpu_count()


@pytest.mark.parametrize("text", ["local:3", "ray:3", "ray:16@10.0.0.1:6379"])
def test_a_cluster_is_written_as_it_is_read(text: str) -> None:
    assert str(cluster_of(text)) == text


def test_the_ray_client_is_refused_with_the_way_to_go() -> None:
    with pytest.raises(HinterlandError, match="a machine that has joined the cluster"):
        cluster_of("ray://10.0.0.1:10001")


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_it_is_said_how_to_get_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    new = ("crawl", "http://a.test", "--store", tmp_path / "s.db", "--cluster", "ray:2", *OPENED)
    assert "--cluster ray needs ray, which is not installed" in complaint(capsys, *new)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("port", [1, 99_999])
def test_a_head_that_does_not_answer_is_said_and_nothing_begun(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, port: int
) -> None:
    where = f"ray:2@127.0.0.1:{port}"
    new = ("crawl", "http://a.test", "--store", tmp_path / "s.db", "--cluster", where, *OPENED)
    assert f"no head of a Ray cluster answers at 127.0.0.1:{port}" in complaint(capsys, *new)
    assert not list(tmp_path.iterdir())


def test_what_a_part_alone_cannot_do_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    base = ("crawl", "http://a.test", "--store", store, "--cluster", "local:2")
    assert "cannot be combined with a hinterland" in complaint(capsys, *base, "--hinterland", "1.0")
    few = ("--set", "politeness.address_connections=1")
    assert "too few connections to one address for 2 shards" in complaint(capsys, *base, *few)
    assert not list(tmp_path.iterdir())


def test_parts_are_gone_on_with_as_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    again = ("crawl", "--resume", "--store", store, "--cluster", "local:2")
    assert "holds no shards of a crawl" in complaint(capsys, *again, exit_code=3)
    parts = tmp_path / "s.db.shards"
    parts.mkdir()
    (parts / "crawl.json").write_text('{"crawl": "x", "shards": 3, "epochs": [0, 0, 0], "joined": null}')
    assert "of 3 shards; continue it with the same number: --cluster local:3" in complaint(capsys, *again, exit_code=3)
    new = ("crawl", "http://a.test", "--store", store, "--cluster", "local:3")
    assert "already holds the shards of a crawl" in complaint(capsys, *new, exit_code=3)
    (parts / "crawl.json").write_text("{")
    assert "is damaged" in complaint(capsys, *again, exit_code=3)


def test_one_that_comes_second_leaves_the_parts_of_the_first_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(StoreLock):
        def acquire(self) -> None:
            monkeypatch.undo()
            stack.enter_context(first.opened(2, "local:2"))
            super().acquire()

    first = ShardsFolder(tmp_path / "s.db")
    monkeypatch.setattr(folder, "StoreLock", Late)
    new = ("crawl", "http://a.test", "--store", tmp_path / "s.db", "--cluster", "local:2", *OPENED)
    with ExitStack() as stack:
        assert "is in use by another crawl" in complaint(capsys, *new, exit_code=3)
        assert first.exists


def test_a_damaged_file_of_the_shards_is_reported_beside_a_joined_store_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = write_store(tmp_path / "s.db", [Page("One")])
    parts = tmp_path / "s.db.shards"
    parts.mkdir()
    (parts / "crawl.json").write_text("{")
    again = ("crawl", "--resume", "--store", store, "--cluster", "local:2")
    assert "crawl.json is damaged" in complaint(capsys, *again, exit_code=3)


def test_a_store_that_was_crawled_further_is_not_written_over_by_its_parts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """`joined` is written as earlier versions did."""
    store = write_store(tmp_path / "s.db", [Page("One")])

    async def further() -> None:
        async with LinkStore(store) as opened:
            await opened.begin_run(["crawl"], "{}", 2.5)

    asyncio.run(further())
    parts = tmp_path / "s.db.shards"
    parts.mkdir()
    (parts / "crawl.json").write_text('{"crawl": "x", "shards": 2, "epochs": [1, 1], "joined": 1.5}')
    again = ("crawl", "--resume", "--store", store, "--cluster", "local:2")
    assert "was crawled further since its shards were joined" in complaint(capsys, *again, exit_code=3)
