"""Runs a crawl and writes its progress and its end into the store, where observers can see them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from hinterland.crawler.assembly.assembly import MakesParsers, assembled
from hinterland.crawler.fetching.archiving.recorder import archive_failure
from hinterland.crawler.frontier.scores import scores_of
from hinterland.crawler.loop.crawl import Crawl
from hinterland.crawler.loop.crawl_start import CrawlRequest
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.progress_record import ProgressRecord
from hinterland.crawler.loop.decisions.progress_step import ProgressStep, untold
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.crawler.settings import to_json
from hinterland.storage.failures import SqliteError, store_failure
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.records import Record

_PROGRESS_SECONDS = 2.0
_SCORES_SHARE: Final = 0.01
"""The maximum share of one thread's time that summaries of the frontier take, however many pages wait."""


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """The reason why a crawl ended, and its counters."""

    reason: EndReason
    statistics: CrawlStatistics


async def run_crawl(
    request: CrawlRequest,
    store: LinkStore,
    watch: Callable[[Crawl], Coroutine[None, None, None]] | None = None,
    told: Callable[[ProgressStep], None] = untold,
    pool: MakesParsers = ParserPool,
) -> CrawlResult:
    """Crawl into an open store, continuing from its contents.

    `watch` runs alongside the crawl until the crawl ends. `told` is called with the progress of long steps before the
    crawl. `pool` makes the parsers.

    Raises errors that are not the web's fault, such as ArchiveFailed, and sqlite3.Error if the store cannot be written.
    """
    async with assembled(request, store, told, pool) as made:
        crawl, now = made.crawl, made.now
        seeds = made.crawl_state.seeded(made.seeds)
        settings = to_json(request.settings)
        run = await store.begin_run(request.command, settings, now())
        record, beside = ProgressRecord(), list[asyncio.Task[None]]()
        try:
            await store.write([seeds] if request.topic is None else [request.topic, seeds])
            beside.append(asyncio.create_task(_report_progress(crawl, record, store, run, now)))
            beside.append(asyncio.create_task(crawl.preparation.run()))
            beside += [asyncio.create_task(run) for run in crawl.beside()]
            for each in beside:
                each.add_done_callback(partial(_stop_if_failed, crawl))
            if watch is not None:
                beside.append(asyncio.create_task(watch(crawl)))  # its failure does not stop the crawl
            reason = await crawl.run()
        except BaseException as error:
            for failure in await _stop_beside(beside):
                error.add_note(f"also failed alongside the crawl: {failure!r}")
            await _note_failure(store, run, record.as_json(crawl.statistics()), error, now())
            raise
        if failures := await _stop_beside(beside):
            failed = ExceptionGroup("a task alongside the crawl failed", failures)
            await _note_failure(store, run, record.as_json(crawl.statistics()), failed, now())
            raise failed
        record.scores = scores_of(*crawl.waiting())
        await store.write(crawl.progress())

        try:
            await store.end_run(run, reason.label, record.as_json(crawl.statistics()), now())
        except asyncio.CancelledError:  # it has ended, and the store has all of it
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
        return CrawlResult(reason, crawl.statistics())


def _stop_if_failed(crawl: Crawl, task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        crawl.stop()


async def _stop_beside(tasks: Sequence[asyncio.Task[None]]) -> list[Exception]:
    """Cancel tasks; return the errors of tasks that had already failed."""
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    return [end for end in ends if isinstance(end, Exception)]


async def _note_failure(store: LinkStore, run: int, progress: dict[str, Any], error: BaseException, now: float) -> None:
    """Write into the store why the run failed; the caller raises the error in any case."""
    if store_failure(error) is not None:
        reason = EndReason.STORE_FAILED
    elif archive_failure(error) is not None:
        reason = EndReason.ARCHIVE_FAILED
    elif isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        reason = EndReason.ABORTED
    else:
        reason = EndReason.BUG
    try:
        await store.end_run(run, reason.label, progress, now)
    except SqliteError as second:
        error.add_note(f"the end of the run could not be stored either: {second}")


async def _report_progress(
    crawl: Crawl, record: ProgressRecord, store: LinkStore, run: int, now: Callable[[], float]
) -> None:
    """Write the progress of the crawl into the store every few seconds, until this is cancelled."""
    scores_due, reported = 0.0, list[Record]()
    while True:
        await asyncio.sleep(_PROGRESS_SECONDS)
        if (began := now()) >= scores_due:
            record.scores = await asyncio.to_thread(scores_of, *crawl.waiting())
            scores_due = now() + (now() - began) / _SCORES_SHARE
        if (records := crawl.progress()) != reported:
            await store.write(records)
            reported = records
        await store.report_progress(run, record.as_json(crawl.statistics()), now())


__all__ = ["CrawlRequest", "CrawlResult", "run_crawl"]
