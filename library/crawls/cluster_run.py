"""Runs one crawl in several processes, each of which crawls some of the sites, and joins their stores at the end."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from hinterland.crawler.assembly.crawl_features import factories_of
from hinterland.crawler.cluster.driver import Driver
from hinterland.crawler.cluster.folder import FolderUnusable, ShardsFolder
from hinterland.crawler.cluster.launcher import ShardFailed, ShardOrder
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.share import share_of
from hinterland.crawler.loop.crawl_start import CrawlRequest
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.progress_record import ProgressRecord
from hinterland.crawler.loop.decisions.progress_step import ProgressStep
from hinterland.crawler.parsing.pool.config import parser_processes
from hinterland.crawler.settings import to_json
from hinterland.crawler.settings.rules import Complaint
from hinterland.library.crawls.cluster_choice import ClusterChoice, cluster_of, launcher_of
from hinterland.library.crawls.crawl_watch import CrawlWatch
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.preparing import (
    TAKES_ITS_PLACE,
    Reopened,
    entered,
    led_nowhere,
    prepared,
    reopen,
    tell_of_reopened,
)
from hinterland.library.crawls.seeds import seeds_to_begin_with
from hinterland.library.errors import HinterlandError, StoreUnusable
from hinterland.storage.failures import SqliteError
from hinterland.storage.joining import JoinedRun, join
from hinterland.storage.lock import StoreLock
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.rescue import remove_log_without_store
from hinterland.storage.values.shards import ShardMark


async def crawl_in_shards(plan: CrawlPlan, watch: CrawlWatch) -> EndReason:
    """Crawl in the shards that the plan asks for, and join their stores.

    Raises HinterlandError if the crawl cannot begin, and ShardFailed if a shard or a store fails for good.
    """
    assert plan.cluster is not None
    choice = cluster_of(plan.cluster)
    parts = _ClusterRun(plan, choice, watch)
    try:
        return await parts.crawl()
    except ShardFailed as error:
        where = f"the shards in {ShardsFolder(Path(plan.store)).path} hold everything that was fetched"
        if choice.is_ray:
            where = "what the copies lack is on the disks of those machines, or will be fetched again by --resume"
        raise ShardFailed(f"{error}; {where}", of_store=error.of_store) from error


class _ClusterRun:
    """One crawl in shards: their folder, their processes, and the store into which they are joined."""

    def __init__(self, plan: CrawlPlan, choice: ClusterChoice, watch: CrawlWatch) -> None:
        self._plan = plan
        self._choice = choice
        self._watch = watch
        self._shards = choice.shards
        self._folder = ShardsFolder(Path(plan.store))

    async def crawl(self) -> EndReason:
        plan, folder = self._plan, self._folder
        self._check(plan.request(plan.settings.settings))
        if plan.resume and not folder.exists:
            raise StoreUnusable(f"there is nothing to resume: {folder.path} holds no shards of a crawl")
        seeds = (
            None
            if plan.resume
            else await seeds_to_begin_with(plan.seeds, plan.settings, plan.command, self._watch.observer)
        )
        with self._opened():
            if plan.resume:
                self._check_joined(Path(plan.store))
            else:
                self._make_room(Path(plan.store))
            return await self._crawl(seeds)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """Keep the folder of the shards locked inside the with block, so that no other crawl uses it.

        Raises HinterlandError and StoreInUse.
        """
        shards, where = self._shards, str(self._choice)
        with ExitStack() as stack:
            try:
                stack.enter_context(self._folder.opened(shards, where))
                if self._plan.resume:
                    self._folder.go_on(shards, where)
            except (FolderUnusable, OSError) as error:
                raise StoreUnusable(str(error)) from error
            try:
                yield
            finally:
                if not self._watch.has_begun:  # it has not begun, and the corrected command will not say --resume
                    self._folder.discard()

    def _make_room(self, store: Path) -> None:
        """Prepare the folder for a new crawl.

        Raises HinterlandError if the folder or the store holds a crawl that may have fetched something.
        """
        folder, is_joined = self._folder, store.exists()
        if folder.held_crawl and not all(self._is_in_vain(part) for part in folder.stores):
            raise StoreUnusable(
                f"{folder.path} already holds the shards of a crawl. To resume it, add --resume; to start another,"
                " choose another --store",
            )
        if is_joined and not self._is_in_vain(store):
            raise StoreUnusable(f"{store} already exists; choose another --store")
        try:
            if is_joined:
                _remove(store)
            if folder.held_crawl:
                folder.start_over(self._shards, str(self._choice))
        except OSError as error:
            raise StoreUnusable(f"{store} cannot be replaced: {error}") from error
        if is_joined or folder.held_crawl:
            self._watch.observer.note(TAKES_ITS_PLACE.format(store))

    def _is_in_vain(self, path: Path) -> bool:
        """Return whether the crawl in a store may be replaced: it ended by itself without a page, or has not begun.

        For a shard on a Ray cluster, `path` is a copy of its store. If the copy is empty, the crawl must not be
        replaced, since the store on the shard's machine may have pages.
        """
        try:
            with reading(path) as store:
                return led_nowhere(store) or (not self._choice.is_ray and store.pages.is_empty())
        except NoStore:
            return False

    def _check_joined(self, store: Path) -> None:
        """Raise HinterlandError if the joined store has been crawled further than the shards."""
        if not store.exists():
            return
        try:
            with reading(store) as stored:
                runs = stored.runs.all()
        except NoStore as error:
            raise StoreUnusable(str(error)) from error
        if runs and not self._folder.is_of_these(runs[-1].started_at):
            raise StoreUnusable(
                f"{store} was crawled further since its shards were joined: resume it without --cluster, or move it"
                f" away to resume the shards in {self._folder.path}",
            )

    async def _crawl(self, seeds: Sequence[str] | None) -> EndReason:
        plan, folder, began = self._plan, self._folder, time.time()
        request = await self._prepared(seeds)
        driver = Driver(
            await launcher_of(self._choice, folder.crawl, f"{__package__}.shard_process"),
            self._orders(request),
            self._next_epoch,
            self._watch.observer.warn,
            Path(tempfile.gettempdir()) if self._choice.is_ray else folder.path,  # which may be far away
            request.max_pages,
        )
        self._watch.interruption.crawl = driver
        watching = asyncio.create_task(self._watch.show(driver))
        try:
            reason = await driver.run()
        finally:
            watching.cancel()
            await asyncio.wait([watching])
        statistics = driver.statistics()
        progress = json.dumps(ProgressRecord().as_json(statistics))
        settings = to_json(request.settings)
        run = JoinedRun(
            started_at=began,
            ended_at=time.time(),
            reason=reason.label,
            command=json.dumps(list(plan.command)),
            settings=settings,
            progress=progress,
            updated_at=time.time(),
        )
        await self._join(run)
        return reason

    async def _prepared(self, seeds: Sequence[str] | None) -> CrawlRequest:
        """Return the request for the shards. It depends on the store of the first shard.

        Opens and closes the store of every shard, and queues the pages that are to be retried.
        """
        plan, observer = self._plan, self._watch.observer
        request: CrawlRequest | None = None
        reopened = Reopened()
        for path in self._folder.stores:
            async with AsyncExitStack() as stack:
                store = await entered(stack, path)
                if request is None:
                    first = await prepared(plan, store, seeds, observer)
                    request, reopened = first.request, first.reopened
                elif plan.resume:
                    reopened += await reopen(plan, store, request.settings)
        assert request is not None
        tell_of_reopened(plan, reopened, observer)
        self._check(request)
        return request

    def _check(self, request: CrawlRequest) -> None:
        """Raise HinterlandError if the request asks for something that is impossible in shards."""
        plan = self._plan
        try:
            share_of(request.settings, self._shards, self._shards)
        except Complaint as complaint:
            raise HinterlandError(str(complaint)) from None
        for refused in (
            *(factory.refused_in_shards(request) for factory in factories_of(request)),
            "a WARC archive" if plan.warc is not None else "",
            "plug-ins on Ray" if self._choice.is_ray and plan.plugins else "",
            "--retry on Ray" if self._choice.is_ray and plan.retry else "",
        ):
            if refused:
                raise HinterlandError(f"--cluster cannot be combined with {refused} yet: crawl without --cluster")

    def _orders(self, request: CrawlRequest) -> list[ShardOrder]:
        of, name = self._shards, self._folder.crawl
        own = replace(request, max_pages=None if request.max_pages is None else 0)
        processes = parser_processes(request.settings) if not self._choice.is_ray else of
        return [
            ShardOrder(own, ShardMark(name, number, of, 0), self._folder.store(number).absolute(), processes)
            for number in range(of)
        ]

    def _next_epoch(self, shard: int) -> int:
        try:
            return self._folder.next_epoch(shard)
        except OSError as error:
            raise ShardFailed(f"{self._folder.path} cannot be written: {error}", of_store=True) from error

    async def _join(self, run: JoinedRun) -> None:
        loop, store, folder = asyncio.get_running_loop(), Path(self._plan.store), self._folder

        def told(done: int, of: int) -> None:
            loop.call_soon_threadsafe(self._watch.told, ProgressStep("joining the shards", "step", done, of))

        is_cut = threading.Event()
        try:
            folder.join_begins(run.started_at)
            owner = Shards(self._shards).owner
            joining = asyncio.create_task(
                asyncio.to_thread(join, folder.stores, store, owner, run, on_progress=told, is_cut=is_cut.is_set)
            )
            try:
                await asyncio.shield(joining)
            except asyncio.CancelledError:
                is_cut.set()
                await asyncio.gather(joining, return_exceptions=True)  # the shards are in use until then
                raise
        except (SqliteError, OSError) as error:
            raise ShardFailed(f"{store} cannot be written: {error}", of_store=True) from error


def _remove(store: Path) -> None:
    """Remove a store. Raises StoreInUse and OSError."""
    lock = StoreLock(store)
    lock.acquire()
    try:
        store.unlink(missing_ok=True)
        remove_log_without_store(store)
    finally:
        lock.release()
