"""Runs one crawl from beginning to end: opens the store, crawls, and reports how the crawl ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import uvloop

from hinterland.crawler.assembly.running import run_crawl
from hinterland.crawler.cluster.launcher import ShardFailed
from hinterland.crawler.features.outside.statistics import HinterlandStatistics
from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable
from hinterland.crawler.fetching.archiving.recorder import archive_failure
from hinterland.crawler.fetching.client import event_loop
from hinterland.crawler.loop.crawl_start import FeatureUnusable
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.crawls.crawl_watch import CrawlWatch
from hinterland.library.crawls.ending import Ending, StoreContent
from hinterland.library.crawls.interruption import Interruption
from hinterland.library.crawls.observer import CrawlObserver
from hinterland.library.crawls.plan import CrawlPlan
from hinterland.library.crawls.preparing import entered, prepared, tell_of_reopened
from hinterland.library.crawls.requirements import require_all
from hinterland.library.crawls.retrying import meant_by
from hinterland.library.crawls.seeds import seeds_to_begin_with, usable_seeds
from hinterland.library.errors import HinterlandError, NotBegun, StoreUnusable
from hinterland.library.event_loops import is_in_event_loop, run_in_thread
from hinterland.library.text.next_commands import next_commands
from hinterland.storage.failures import store_failure
from hinterland.storage.lock import StoreInUse
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading
from hinterland.storage.store_connections import StoreError
from hinterland.storage.store_files import StoreGone


@dataclass(frozen=True, slots=True)
class _End:
    """How a crawl ended.

    `store` is the file with everything that was fetched; None if the file no longer exists. `is_gone` says that the
    store was deleted or moved during the crawl.
    """

    reason: EndReason
    problem: str = ""
    store: str | None = None
    is_gone: bool = False


def run(plan: CrawlPlan, observer: CrawlObserver) -> Ending:
    """Carry out a plan in an event loop of its own; see `crawl`.

    If an event loop is running here already, as in a notebook, the loop runs in another thread. Ctrl-C finishes the
    visits in flight; a second Ctrl-C stops immediately.
    """
    if is_in_event_loop():
        interruption = Interruption(observer)
        return run_in_thread(lambda: crawl(plan, observer, interruption), interruption.press)
    return uvloop.run(crawl(plan, observer), loop_factory=event_loop.CrawlLoop)


async def crawl(plan: CrawlPlan, observer: CrawlObserver, interruption: Interruption | None = None) -> Ending:
    """Carry out a plan. If the plan asks for shards, crawl in shards.

    Raises HinterlandError if the crawl cannot begin; any other exception is a bug.
    """
    if plan.retry and not plan.resume:
        raise HinterlandError("--retry retries pages of a store, so it needs --resume")
    watch = CrawlWatch(observer, interruption or Interruption(observer))
    work = _in_one_process
    if plan.cluster is not None:
        from hinterland.library.crawls.cluster_run import crawl_in_shards  # only now: most crawls do not need it

        work = crawl_in_shards
    with watch.interruption.watching():
        end = await _end_of(work, plan, watch)
        await watch.interruption.settle()
        watch.interruption.is_over = True
        observer.close()
        progress = watch.progress()
        if progress is None:
            raise NotBegun(end.reason)
        content = None if end.store is None else await asyncio.to_thread(_content, Path(end.store))
    hinterland = progress.statistics.of(HinterlandStatistics)
    following = next_commands(
        end.reason,
        end.store,
        command=plan.command,
        seeds=[each.text for each in plan.seeds],
        max_pages=progress.statistics.max_pages,
        is_gone=end.is_gone,
        is_estimated=hinterland is not None and hinterland.rounds > 0,
        is_recrawl=plan.revisiting is not None,
        warc=plan.warc,
        failures=() if content is None else content.failures,
        cluster=plan.cluster,
    )
    return Ending(end.reason, progress, end.store or plan.store, content, following, end.problem)


async def _end_of(
    work: Callable[[CrawlPlan, CrawlWatch], Awaitable[EndReason]], plan: CrawlPlan, watch: CrawlWatch
) -> _End:
    """Do the work, and return how it ended. Raise HinterlandError if it failed before the crawl began."""
    try:
        return _End(await work(plan, watch), store=plan.store)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not watch.interruption.is_abort or task is None:
            raise
        task.uncancel()
        return _End(watch.interruption.reason, store=plan.store)
    except (StoreInUse, StoreError) as error:
        raise StoreUnusable(str(error)) from None
    except (BrowserUnusable, FeatureUnusable) as error:
        raise HinterlandError(str(error)) from None
    except ShardFailed as error:
        return _End(EndReason.STORE_FAILED if error.of_store else EndReason.SHARD_FAILED, str(error), plan.store)
    except Exception as error:
        return _end_by_failure(error, plan, watch)


def _end_by_failure(error: Exception, plan: CrawlPlan, watch: CrawlWatch) -> _End:
    """Return how a crawl ends when its archive or store fails. If `error` is a bug, raise it again."""
    archive = archive_failure(error)
    if archive is not None:
        if not watch.has_begun:
            raise StoreUnusable(f"{archive}; choose another folder for --warc") from archive
        return _End(EndReason.ARCHIVE_FAILED, str(archive), plan.store)
    failure = store_failure(error)
    if failure is None:
        raise error
    if isinstance(failure, StoreGone):
        if not watch.has_begun:
            raise StoreUnusable(str(failure)) from failure
        now_at = None if failure.now_at is None else str(failure.now_at)
        return _End(EndReason.STORE_FAILED, str(failure), now_at, is_gone=True)
    if not watch.has_begun:
        raise StoreUnusable(f"{plan.store} cannot be opened: {failure}") from error
    return _End(EndReason.STORE_FAILED, f"{failure} ({type(failure).__name__})", plan.store)


async def _in_one_process(plan: CrawlPlan, watch: CrawlWatch) -> EndReason:
    path, observer = Path(plan.store), watch.observer
    seeds: Sequence[str] | None = None
    if not plan.resume:  # report mistakes in the command before problems of the store
        seeds = await seeds_to_begin_with(plan.seeds, plan.settings, plan.command, observer)
    else:
        require_all(plan.settings.settings)
        meant_by(plan.retry)
    if plan.resume and (lack := await asyncio.to_thread(_lack, path)):
        if not plan.seeds:
            raise StoreUnusable(f"there is nothing to resume: {plan.store} {lack}")
        seeds = usable_seeds(
            plan.seeds, plan.settings, observer
        )  # before a file is created that would have to be removed
    async with AsyncExitStack() as stack:
        store = await entered(stack, path)
        ready = await prepared(plan, store, seeds, observer)
        tell_of_reopened(plan, ready.reopened, observer)
        result = await run_crawl(ready.request, store, watch.show, watch.told)
        watch.interruption.is_over = True
    return result.reason


def _lack(store: Path) -> str:
    """Return in words why a file cannot be a store; "" if it may be a store.

    This is checked first because opening an empty file would turn it into a store.
    """
    if not store.exists():
        return "does not exist"
    return "" if store.stat().st_size else "is empty"


def _content(path: Path) -> StoreContent | None:
    """Return what a store holds, in numbers; None if it cannot be read."""
    try:
        with reading(path) as store:
            return StoreContent(
                size_bytes=store.size_bytes(),
                pages=store.pages.counts(),
                failures=store.pages.failures(),
                hosts=store.hosts.report({}),
                slowed=store.hosts.slowed(),
                extracted=store.extractions.reports(),
                renderings=store.pages.renderings(),
                dead_starts=store.reach.dead_starts(),
                left_by_nofollow=store.reach.left_by_nofollow(),
            )
    except NoStore:
        return None
