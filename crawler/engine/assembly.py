"""Puts a crawl together from settings, seeds and a store, and runs it."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import random
import resource
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crawler import __version__
from crawler.engine.clock import SteadyClock
from crawler.engine.crawl import Crawl
from crawler.engine.decisions.endings import EndReason
from crawler.engine.decisions.first_failures import FirstFailures
from crawler.engine.decisions.page_attempts import PageAttempts
from crawler.engine.decisions.phases import INDEXING, Phase, untold
from crawler.engine.decisions.progress_record import ProgressRecord
from crawler.engine.decisions.statistics import CrawlStatistics
from crawler.engine.record_writer import RecordWriter
from crawler.engine.restoring import Longest, Restored, restore
from crawler.fetching.archiving.recorder import Recorder, archive_failure
from crawler.fetching.archiving.recording import RecordingWire
from crawler.fetching.archiving.recording_fetcher import RecordingFetcher
from crawler.fetching.client.fetcher import Fetcher
from crawler.fetching.client.wire import ResponseWire
from crawler.frontier.frontier import Frontier
from crawler.frontier.network_watch import NetworkWatch
from crawler.frontier.scores import scores_of
from crawler.hinterland.hinterland import Hinterland
from crawler.pages.depths import Ways, ways_of
from crawler.pages.known_pages import Findings, KnownPages
from crawler.pages.page_urls import PageUrls
from crawler.pages.scope import Scope
from crawler.parsing.compiled.reader_building import ReaderUnusable, compiled_reader
from crawler.parsing.messages import ParserConfig
from crawler.parsing.pool.parsers import ParserPool
from crawler.policies import make_policy
from crawler.robots.book import RobotsBook
from crawler.settings import HinterlandBudget, HinterlandSettings, RobotsSettings, Settings, to_json, user_agent
from crawler.traps.guard import TrapGuard
from crawler.traps.slow_lane import SlowLane
from crawler.urls.canonical import Canonicaliser
from storage.failures import SqliteError, store_failure
from storage.link_store import LinkStore
from storage.records import Record, SlowedShapes

if TYPE_CHECKING:
    from analysis.estimation import Estimation
    from analysis.link_log import LinkLog

_LOG = logging.getLogger(__name__)
_PROGRESS_SECONDS = 2.0
_SCORES_SHARE = 0.01
"""To look at the frontier may take so much of one thread's time, however many pages wait."""
_OPEN_FILES = 65_536


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """What to crawl. seeds: canonical URLs; max_pages: HTML pages the store may hold when the crawl ends; warc: the
    folder of an archive to write beside the store."""

    settings: Settings
    seeds: Sequence[str]
    command: Sequence[str]
    max_pages: int | None = None
    warc: Path | None = None


@dataclass(frozen=True, slots=True)
class CrawlResult:
    reason: EndReason
    statistics: CrawlStatistics


async def run_crawl(
    request: CrawlRequest,
    store: LinkStore,
    watch: Callable[[Crawl], Coroutine[None, None, None]] | None = None,
    told: Callable[[Phase], None] = untold,
) -> CrawlResult:
    """Crawl into an open store, going on where it stands. `watch` runs beside the crawl until it ends; told: of
    what takes long before and after it.

    A cancellation while indexes are built after the end of the crawl cuts that short and is used up by it.

    Raises what is not the web's doing, among it sqlite3.Error when the store cannot be written, and ArchiveFailed.
    """
    async with _assembled(request, store, told) as (crawl, run, now):
        record = ProgressRecord()
        beside = [asyncio.create_task(_report_progress(crawl, record, store, run, now))]
        if watch is not None:
            beside.append(asyncio.create_task(watch(crawl)))
        try:
            reason = await crawl.run()
        except BaseException as error:
            await _stop_beside(beside)
            await _note_failure(store, run, record.as_json(crawl.statistics()), error, now())
            raise
        if failures := await _stop_beside(beside):
            failed = ExceptionGroup("what ran beside the crawl failed", failures)
            await _note_failure(store, run, record.as_json(crawl.statistics()), failed, now())
            raise failed
        record.scores = scores_of(*crawl.waiting())
        await store.write([crawl.slowed()])

        def indexed(done: int, of: int) -> None:
            told(Phase(INDEXING, "link", done, of))

        try:
            await store.end_run(run, reason.label, record.as_json(crawl.statistics()), now(), indexed)
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
        return CrawlResult(reason, crawl.statistics())


async def _stop_beside(tasks: Sequence[asyncio.Task[None]]) -> list[Exception]:
    """Cancel tasks; returns what they failed with before."""
    for task in tasks:
        task.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    return [end for end in ends if isinstance(end, Exception)]


async def _note_failure(
    store: LinkStore, run: int, progress: dict[str, Any], error: BaseException, now: float
) -> None:
    """Tell those who will read the store why the run ended; what ended it is raised in any case."""
    if store_failure(error) is not None:
        reason = EndReason.STORE_FAILED
    elif archive_failure(error) is not None:
        reason = EndReason.ARCHIVE_FAILED
    elif isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        reason = EndReason.ABORTED
    else:
        reason = EndReason.BUG
    try:
        await store.end_run(run, reason.label, progress, now, builds_indexes=False)
    except SqliteError as second:
        error.add_note(f"nor could the store note the end of the run: {second}")


@asynccontextmanager
async def _assembled(
    request: CrawlRequest, store: LinkStore, told: Callable[[Phase], None]
) -> AsyncIterator[tuple[Crawl, int, Callable[[], float]]]:
    settings = request.settings
    now = SteadyClock()
    scope = Scope(settings.scope)
    max_depth = settings.scope.max_depth
    max_urls = settings.scope.max_urls_per_host
    known = KnownPages(
        scope,
        max_depth=None if max_depth < 0 else max_depth,
        max_urls_per_host=None if max_urls < 0 else max_urls,
    )
    per_host = settings.scope.max_pages_per_host
    frontier = Frontier(
        settings.politeness,
        random=random.Random(settings.policy.seed ^ os.getpid()).random,
        max_pages_per_host=None if per_host < 0 else per_host,
        robots_retry_seconds=settings.robots.retry_seconds,
    )
    policy = make_policy(settings.policy.name, settings.policy.seed)
    hinterland = _hinterland(settings.hinterland)
    log = _link_log() if policy.needs_refresh or hinterland is not None else None
    if policy.needs_refresh:
        _warm_up(settings.policy.name)
    robots = RobotsBook(settings.identity.name, settings.robots.max_bytes)
    restored = Restored()
    if not await store.is_empty():
        restored = await restore(
            store,
            scope=scope,
            known=known,
            frontier=frontier,
            policy=policy,
            log=log,
            robots=robots,
            now=now(),
            delay_seconds=settings.politeness.delay_seconds,
            obeyed=settings.robots,
            hinterland=hinterland,
            told=told,
            estimator="" if hinterland is None else _estimator(settings.hinterland),
            longest=Longest.under(settings.politeness, settings.robots),
        )
        if restored.seconds_ahead:
            _LOG.warning(
                "the store has times that lie %.1f days ahead, so a clock is or was wrong: rests are cut to what the"
                " settings ask for",
                restored.seconds_ahead / 86_400,
            )
        known.has_stale_depths = True  # the last run may have ended before it looked again, or had another limit
    writer = RecordWriter(
        _telling(store, known),
        commit_seconds=settings.storage.commit_seconds,
        max_batch=settings.storage.max_batch,
        max_queued_bytes=settings.storage.max_queued_mb * 1_000_000,
    )
    parsers = ParserPool(
        parser_config(settings),
        processes=parser_processes(settings),
        timeout_seconds=settings.parsing.timeout_seconds,
    )
    recorder = None if request.warc is None else _recorder(request.warc, settings, now)
    wire = ResponseWire if recorder is None else RecordingWire
    fetcher = Fetcher(settings.fetching, user_agent(settings.identity), now, wire)
    urls = PageUrls(store.urls_of)
    rounds = None
    if hinterland is not None and log is not None:
        from crawler.engine.rounds import Rounds, warm_up

        warm_up(settings.hinterland.estimator)
        rounds = Rounds(
            hinterland,
            await _estimation(_estimator(settings.hinterland), store),
            known=known,
            frontier=frontier,
            policy=policy,
            log=log,
            writer=writer,
            now=now,
            left_waiting=restored.outside_waiting,
        )
    slow_lane = None
    if settings.traps.enabled:
        guard = TrapGuard(settings.traps)
        guard.restore(await store.slowed())
        slow_lane = SlowLane(guard, known, frontier)
    async with recorder or nullcontext(), parsers, fetcher:
        crawl = Crawl(
            settings,
            frontier=frontier,
            known=known,
            policy=policy,
            log=log,
            robots=robots,
            fetcher=fetcher if recorder is None else _recording(fetcher, recorder, settings, now),
            parsers=parsers,
            writer=writer,
            urls=urls,
            canonicaliser=canonicaliser_of(settings),
            now=now,
            max_pages=request.max_pages,
            fetched_before=restored.pages_fetched,
            last_visit=restored.last_visit,
            attempts=PageAttempts(settings.fetching.max_attempts, restored.attempts, restored.charges),
            network=NetworkWatch(
                pause_seconds=settings.politeness.backoff_seconds,
                patience_seconds=settings.politeness.network_patience_seconds,
                heard=restored.heard,
            ),
            redirects=restored.redirects,
            rounds=rounds,
            slow_lane=slow_lane,
            ways=None if max_depth < 0 else partial(_ways, store, settings.robots),
        )
        findings = Findings()
        urls.stored(len(known))
        known.add_seeds(request.seeds, findings)
        for _ in findings.new_hosts:
            frontier.add_host()
        crawl.admit(findings)
        _allow_many_connections()
        _calm_garbage_collection()
        run = await store.begin_run(request.command, to_json(settings), now())
        await store.write([findings.discovery()])
        yield crawl, run, now


async def _ways(store: LinkStore, obeyed: RobotsSettings) -> Ways:
    return ways_of(await store.outlinks(), obeyed)


def _telling(store: LinkStore, known: KnownPages) -> Callable[[Sequence[Record]], Awaitable[None]]:
    """Writes records, and tells whoever reads the log of the first failure of each kind among them."""
    failures = FirstFailures()

    async def write(records: Sequence[Record]) -> None:
        await store.write(records)
        for first in failures.among(records):
            url = known.host_urls[first.host]
            if first.page is not None:
                url = (await store.urls_of([first.page]))[first.page]
            _LOG.warning("%s: %s", url, first.reason)

    return write


def _recorder(folder: Path, settings: Settings, now: Callable[[], float]) -> Recorder:
    fields = {
        "software": f"Hinterland/{__version__}",
        "format": "WARC File Format 1.1",
        "robots": "obey (RFC 9309)",
        "http-header-user-agent": user_agent(settings.identity),
        "operator": settings.identity.contact,
    }
    return Recorder(folder, fields, settings.storage.warc_file_mb * 1_000_000, now)


def _recording(
    fetcher: Fetcher, recorder: Recorder, settings: Settings, now: Callable[[], float]
) -> RecordingFetcher:
    return RecordingFetcher(fetcher, recorder.record, now, dict(settings.fetching.headers))


def _hinterland(settings: HinterlandSettings) -> Hinterland | None:
    """None if nothing outside is to be fetched."""
    return None if HinterlandBudget.parse(settings.budget).is_none else Hinterland(settings)


def _estimator(settings: HinterlandSettings) -> str:
    from analysis.estimators import DEFAULT_ESTIMATOR  # brings a compiler, which most orders do without

    return settings.estimator or DEFAULT_ESTIMATOR


async def _estimation(name: str, store: LinkStore) -> Estimation:
    from analysis.estimation import Estimation
    from analysis.rank_history import unpacked

    last = await store.last_estimate()
    return Estimation(name, unpacked(last.ranks) if last is not None and last.estimator == name else None)


def _link_log() -> LinkLog:
    from analysis.link_log import LinkLog  # brings a compiler, which most orders do without

    return LinkLog()


def _warm_up(policy: str) -> None:
    from crawler.policies.warm_up import warm_up  # brings a compiler, too

    warm_up(policy)


async def _report_progress(
    crawl: Crawl, record: ProgressRecord, store: LinkStore, run: int, now: Callable[[], float]
) -> None:
    """Let those who look at the store see how the crawl stands; stop it if the store cannot be written."""
    scores_due, reported = 0.0, SlowedShapes(())
    while True:
        await asyncio.sleep(_PROGRESS_SECONDS)
        if (began := now()) >= scores_due:
            record.scores = await asyncio.to_thread(scores_of, *crawl.waiting())
            scores_due = now() + (now() - began) / _SCORES_SHARE
        try:
            slowed = crawl.slowed()
            if slowed != reported:
                await store.write([slowed])
                reported = slowed
            await store.report_progress(run, record.as_json(crawl.statistics()), now())
        except SqliteError:
            crawl.stop()
            raise


def _allow_many_connections() -> None:
    """Idle connections are kept for half a minute; over many hosts they exceed the usual soft limit of 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _calm_garbage_collection() -> None:
    """A crawl makes many tuples and few cycles: with thresholds of 50,000, looking for cycles among them was in
    11 % of the samples of the main process, its idle ones included."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 50, 100)


def canonicaliser_of(settings: Settings) -> Canonicaliser:
    urls = settings.urls
    return Canonicaliser(
        max_length=urls.max_length, sort_parameters=urls.sort_parameters, drop_parameters=urls.drop_parameters
    )


def parser_processes(settings: Settings) -> int:
    return settings.parsing.processes or max(1, (os.cpu_count() or 2) - 1)


def parser_config(settings: Settings) -> ParserConfig:
    return ParserConfig(
        agent=settings.identity.name,
        max_body_bytes=settings.fetching.max_body_bytes,
        max_url_length=settings.urls.max_length,
        sort_parameters=settings.urls.sort_parameters,
        drop_parameters=list(settings.urls.drop_parameters),
        keep_text=settings.storage.keep_text,
        keep_bodies=settings.storage.keep_bodies,
        max_memory_bytes=settings.parsing.max_memory_mb << 20,
        reader=_reader() if settings.parsing.compiled else "",
        max_links=settings.parsing.max_links,
        max_tree_bytes=settings.parsing.max_tree_mb * 1_000_000,
    )


def _reader() -> str:
    try:
        return str(compiled_reader())
    except ReaderUnusable as error:
        _LOG.warning("pages are read by Python, which takes longer: %s (fine? set parsing.compiled=false)", error)
        return ""


__all__ = ["CrawlRequest", "CrawlResult", "canonicaliser_of", "parser_config", "parser_processes", "run_crawl"]
