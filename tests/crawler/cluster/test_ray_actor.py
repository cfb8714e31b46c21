"""The actor of a Ray cluster, without a cluster: the test calls it."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from hinterland.crawler import __version__
from hinterland.crawler.assembly.running import CrawlResult
from hinterland.crawler.cluster import ray_actor
from hinterland.crawler.cluster.launcher import ShardFailed, ShardOrder
from hinterland.crawler.cluster.lease import Lease
from hinterland.crawler.cluster.ray_actor import ShardActor, require_version
from hinterland.crawler.loop.crawl_start import CrawlRequest
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.storage.copying import copy_store, mark_of
from hinterland.storage.failures import SqliteError
from hinterland.storage.link_store import LinkStore
from hinterland.storage.lock import holder_of
from hinterland.storage.values.shards import ShardMark
from tests.crawler.cluster.test_driver import NAMES, log_has, ring
from tests.support.crawling import InlineParsers, crawl, outcomes, quick_settings, wait_until
from tests.support.shards import Alone
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow

MARK = ShardMark("a crawl of the tests", 0, 1, 1)
OLDER = "shard 1 goes on with an older copy of its store; pages fetched after that copy are fetched again"


@pytest.fixture(autouse=True)
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The disk of the machine that an actor runs on."""
    own = tmp_path / "disk"
    own.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    return own / f"hinterland-{MARK.crawl}" / "0.db"


def order_of(web: LoopbackWeb, seeds: list[str], store: Path) -> ShardOrder:
    settings = quick_settings(web.addresses, scope={"kind": "web", "exclude": ("outside",)})
    return ShardOrder(CrawlRequest(settings, seeds, ["crawl"]), MARK, store, 1)


async def carried_out(order: ShardOrder, when_idle: Callable[[], None] = lambda: None) -> tuple[CrawlResult, list[str]]:
    """Watch as the driver does: ask for the status until there is nothing to do. Returns the warnings, too."""
    actor = ShardActor(Alone, Lease, InlineParsers)
    crawling = asyncio.create_task(actor.crawl(order))
    arrived, said = 0, list[str]()
    while not crawling.done():
        answer = await actor.status(arrived)
        arrived = answer.number
        said += [*answer.warnings, *(["lost"] * answer.has_lost)]
        if answer.status is not None and answer.status.pending_end is not None:
            when_idle()
            await actor.finish()
            break
        await asyncio.sleep(0.02)
    return await crawling, said


async def test_the_store_is_in_the_folder_in_the_end_and_not_on_the_machine(tmp_path: Path, disk: Path) -> None:
    async with LoopbackWeb() as web:
        seeds = ring(web)
        alone = await crawl(web.addresses, seeds, tmp_path / "alone.db", scope={"kind": "web", "exclude": ("outside",)})
        result, said = await carried_out(order_of(web, seeds, tmp_path / "0.db"))
    assert (result.reason, said) == (EndReason.EXHAUSTED, [])
    assert outcomes(tmp_path / "0.db") == outcomes(alone.store)
    assert mark_of(disk) is None


async def test_a_folder_that_is_gone_costs_nothing_and_it_is_said_where_the_store_is(
    tmp_path: Path, disk: Path
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    async with LoopbackWeb() as web:
        with pytest.raises(
            ShardFailed, match=r"cannot be written: .*the store is whole in .*disk.*0\.db on "
        ) as failed:
            await carried_out(order_of(web, ring(web), folder / "0.db"), partial(shutil.rmtree, folder))
    assert failed.value.of_store
    assert len(outcomes(disk)) > len(NAMES)


async def test_another_machine_goes_on_with_the_copy_and_says_so(tmp_path: Path, disk: Path) -> None:
    async with LoopbackWeb() as web:
        order = order_of(web, ring(web), tmp_path / "0.db")
        await carried_out(order)
        web.log.clear()
        again = replace(order, mark=replace(MARK, epoch=2))
        result, said = await carried_out(again)
        assert web.requests() == []
    assert said == [OLDER, "lost"]
    assert result.reason is EndReason.EXHAUSTED
    copied = mark_of(tmp_path / "0.db")
    assert copied is not None
    assert copied.epoch == 2


@pytest.mark.parametrize("stored, said", [(0, [OLDER]), (1, [OLDER]), (2, [])])
async def test_a_shard_with_an_earlier_owner_says_that_it_may_lack_something_or_surely_does(
    tmp_path: Path, disk: Path, stored: int, said: list[str]
) -> None:
    """Epoch of the store on the disk of this machine, 0 for none; the third owner goes on with it."""
    if stored:
        disk.parent.mkdir()
        async with LinkStore(disk) as store:
            await store.own(replace(MARK, epoch=stored))
    async with LoopbackWeb() as web:
        order = order_of(web, ring(web), tmp_path / "0.db")
        result, told = await carried_out(replace(order, mark=replace(MARK, epoch=3)))
    assert (result.reason, told) == (EndReason.EXHAUSTED, [*said, "lost"])


@pytest.mark.parametrize("is_own", [True, False])
async def test_a_store_that_cannot_be_read_is_said_and_nothing_takes_its_place(
    tmp_path: Path, disk: Path, is_own: bool
) -> None:
    damaged = disk if is_own else tmp_path / "0.db"
    damaged.parent.mkdir(exist_ok=True)
    damaged.write_bytes(b"no database" * 1000)
    async with LoopbackWeb() as web:
        told = rf"{damaged} cannot be read on .*: file is not a database; .*--resume"
        with pytest.raises(ShardFailed, match=told) as failed:
            await carried_out(order_of(web, ring(web), tmp_path / "0.db"))
        assert web.requests() == []
    assert failed.value.of_store
    assert damaged.read_bytes() == b"no database" * 1000


async def test_a_copy_that_cannot_be_read_for_a_while_is_said_and_the_crawl_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "0.db"
    problems = [None, SqliteError("disk I/O error")]  # each time it is read; in the end there are none

    def read(store: Path) -> ShardMark | None:
        problem = problems.pop(0) if store == copy and problems else None
        if problem is not None:
            raise problem
        return mark_of(store)

    monkeypatch.setattr(ray_actor, "mark_of", read)
    monkeypatch.setattr(ray_actor, "_FIRST_COPY_SECONDS", 0.0)
    async with LoopbackWeb(latency=0.05) as web:
        result, said = await carried_out(order_of(web, ring(web), copy))
    assert result.reason is EndReason.EXHAUSTED
    [told] = said
    assert f"{copy} cannot be written: disk I/O error; this will be retried, and the crawl goes on" in told
    assert len(outcomes(copy)) > len(NAMES)


def test_machines_with_another_version_are_refused() -> None:
    require_version(__version__)
    with pytest.raises(ShardFailed, match=r"has Hinterland 0\.0\.1, and this one"):
        require_version("0.0.1")


async def test_a_shared_folder_that_is_full_is_said_and_the_crawl_goes_on(
    tmp_path: Path, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fills = [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))]

    def copied_if_there_is_room(store: Path, copy: Path) -> None:
        if fills:
            raise fills[0]
        copy_store(store, copy)

    monkeypatch.setattr(ray_actor, "copy_store", copied_if_there_is_room)
    monkeypatch.setattr(ray_actor, "_FIRST_COPY_SECONDS", 0.0)
    async with LoopbackWeb(latency=0.05) as web:
        result, said = await carried_out(order_of(web, ring(web), tmp_path / "0.db"), fills.clear)
    assert result.reason is EndReason.EXHAUSTED
    [told] = said
    assert "No space left on device; this will be retried, and the crawl goes on" in told
    assert len(outcomes(tmp_path / "0.db")) > len(NAMES)


async def test_the_last_copy_is_made_when_the_one_under_way_is_done(
    tmp_path: Path, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on, steps = threading.Event(), list[str]()

    def slowly_copied(store: Path, copy: Path) -> None:
        steps.append("begun")
        assert going_on.wait(10.0)
        copy_store(store, copy)
        steps.append("done")

    monkeypatch.setattr(ray_actor, "copy_store", slowly_copied)
    monkeypatch.setattr(ray_actor, "_FIRST_COPY_SECONDS", 0.0)
    async with LoopbackWeb() as web:
        carrying = asyncio.create_task(carried_out(order_of(web, ring(web), tmp_path / "0.db")))
        await log_has(web, 1)
        await wait_until(lambda: holder_of(disk) is None)
        await asyncio.sleep(0.1)  # time to begin with the last one, too
        going_on.set()
        result, said = await carrying
    assert (result.reason, said) == (EndReason.EXHAUSTED, [])
    assert steps == ["begun", "done", "begun", "done"]
    assert len(outcomes(tmp_path / "0.db")) > len(NAMES)
