"""The store of a running crawl: one writer in batches, readers that never wait for it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
from array import array
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple
from itertools import chain, repeat
from pathlib import Path
from types import TracebackType
from typing import Any

import aiosqlite
import numpy as np

from storage.batch_connection import BatchConnection, Statement
from storage.failures import store_failure
from storage.link_reading import LinkReading, stored_pages
from storage.lock import StoreInUse, StoreLock
from storage.records import (
    Discovery,
    EstimateRecord,
    HostRecord,
    HostStateRecord,
    RankRecord,
    Record,
    Reopening,
    RobotsRecord,
    SettledRecord,
    SlowedShape,
    SlowedShapes,
    StoredEstimate,
    StoredHost,
    StoredMovement,
    StoredOutlinks,
    StoredPages,
    StoredRun,
    VisitRecord,
)
from storage.rescue import remove_log_without_store, rescued
from storage.schema import (
    COMPARE_RANKS,
    CREATE_COPY_INDEX,
    CREATE_INLINK_INDEX,
    CREATE_MIGRATION_TABLE,
    DROP_COPY_INDEX,
    DROP_INLINK_INDEX,
    LINKING_OUTCOMES,
    SchemaTooNew,
    pending_migrations,
)
from storage.store_files import StoreFiles, StoreGone

_CHUNK = 10_000
_AT_ONCE = 500
_WRITER_CACHE_KIB = 8192
_CHECKPOINT_PAGES = 4000
"""The log that commits go to is copied into the file at this length, 16 MB. At SQLite's 1000 the same pages are copied
more often: crawls of 5,000 pages took 12.2 instead of 12.0 s CPU."""
_BUSY_MILLISECONDS = 30_000
"""How long a write waits while somebody else writes to the store."""

_INSERT_HOST = "INSERT INTO host (id, url, site) VALUES (?, ?, ?)"
_INSERT_PAGE = "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_UPDATE_STATE = "UPDATE page SET state = ? WHERE id = ?"
_END_RETRIES = "UPDATE fetch SET retry_at = NULL WHERE page = ?"
_UPDATE_ADMITTED = "UPDATE page SET state = 'waiting', is_local = ?, depth = ? WHERE id = ?"
_UPDATE_LOCAL = "UPDATE page SET is_local = 1 WHERE id = ?"
_UPDATE_DEPTH = "UPDATE page SET depth = ? WHERE id = ?"
_FETCH_COLUMNS = (
    "page, visit, outcome, detail, attempt, retry_at, started_at, seconds, status, content_type, charset, wire_bytes,"
    " body_bytes, body_hash, etag, last_modified, redirect_target, canonical, title, description, language, is_noindex,"
    " is_nofollow, bad_links, cut"
)
_REPLACE_FETCH = f"REPLACE INTO fetch ({_FETCH_COLUMNS}) VALUES ({', '.join('?' * 25)})"
_REPLACE_CONTENT = "REPLACE INTO content VALUES (?, ?, ?, ?)"
_DELETE_LINKS = "DELETE FROM link WHERE source = ?"
_INSERT_LINK = "INSERT INTO link VALUES (?, ?, ?, ?, ?)"
_LINKS_AT_ONCE = 32
_INSERT_LINKS = "INSERT INTO link VALUES " + ", ".join(["(?, ?, ?, ?, ?)"] * _LINKS_AT_ONCE)
"""A quarter less time a link, and a thirty-second of the times the thread gives up the interpreter's lock."""
_REPLACE_ROBOTS = (
    "REPLACE INTO robots (host, status, fetched_at, expires_at, text, crawl_delay, sitemaps, sitemaps_left_out)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_ESTIMATE = (
    "INSERT INTO estimate (run, visit, local_pages, outside_pages, estimator, change, disagreement, seconds,"
    " created_at, ranks) VALUES ((SELECT max(id) FROM run), ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_DELETE_RANKS = "DELETE FROM rank WHERE estimator = ?"
_INSERT_RANK = "INSERT INTO rank (estimator, page, pagerank, place) VALUES (?, ?, ?, ?)"
_DELETE_SLOWED = "DELETE FROM slowed"
_SLOWED_COLUMNS = "host, shape, suspicion, visits, in_vain, earned, left_waiting"
_INSERT_SLOWED = f"INSERT INTO slowed ({_SLOWED_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_UPDATE_HOST = (
    "UPDATE host SET address = coalesce(?, address), next_fetch = ?, rest_seconds = ?, failures = ?,"
    " pages_fetched = ?, is_given_up = ?, last_error = coalesce(?, last_error) WHERE id = ?"
)

_PAGES = (
    "SELECT url, page.host, is_local + 2 * (state = 'known') + 4 * (state = 'waiting')"
    " + 8 * coalesce(outcome = 'fetched', 0), depth, coalesce(referrer, -1), redirects, coalesce(visit, 0),"
    " coalesce(attempt, 0), retry_at FROM page LEFT JOIN fetch ON fetch.page = page.id ORDER BY id"
)
_LINKS = "SELECT (source << 32) | (target << 1) | nofollow FROM link ORDER BY source, target"
_LINKING_VISITS = (
    "SELECT (visit << 32) | page, is_nofollow + 2 * (outcome = 'redirected') + 4 * (outcome = 'too_many_redirects')"
    f" FROM fetch WHERE outcome IN {LINKING_OUTCOMES}"
)
"""Several numbers in one where many rows are read: 0.45 instead of 0.75 to 0.95 µs of CPU for a link as three."""

_SETTLED = (
    "state IN ('failed', 'refused', 'redirected', 'fetched') AND id IN"
    " (SELECT page FROM fetch WHERE outcome = ? AND outcome <> 'fetched' AND started_at >= ? AND started_at < ?)"
)
"""Pages that a Reopening means."""
_FORGET_ROBOTS = f"UPDATE robots SET expires_at = 0 WHERE host IN (SELECT host FROM page WHERE {_SETTLED})"
"""Who wants to try again what robots.txt forbade has reason to think that it says something else now."""

_STEPS_A_LINK = 10
"""Instructions of SQLite's machine that the index of inlinks takes for each."""
_STEPS_AT_ONCE = 500_000

_TABLES_BY_REFERENCE = (
    *("slowed", "rank", "estimate", "link", "content", "fetch", "page", "page_count", "robots", "host", "run"),
)
"""All that a crawl fills, those that refer to others first."""


class StoreError(Exception):
    """The store cannot be used; the message says why and what to do."""


class LinkStore:
    """Opens, writes and reads one store. Use as an async context manager.

    Only one LinkStore may have a file open at a time (StoreInUse); any number of read-only connections may
    look on. Each `write` is one transaction: after a kill -9 the store holds whole batches. WAL with
    synchronous=NORMAL survives the death of the process; a power cut may cost the last transactions, but
    never the integrity of the file.

    If the files are deleted, moved or replaced meanwhile, the next write raises StoreGone once it is committed, and so
    does leaving the context: then all that was committed has been kept, and the error says where.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = StoreLock(path)
        self._writer: BatchConnection
        self._reader: BatchConnection
        self._files: StoreFiles

    async def __aenter__(self) -> LinkStore:
        if not self._path.parent.is_dir():
            raise StoreError(f"{self._path}: the folder {self._path.parent} does not exist; create it first")
        try:
            self._lock.acquire()
        except OSError as error:
            raise StoreError(f"{self._path} cannot be opened: {error}") from error
        try:
            await self._open()
        except BaseException:
            self._lock.release()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        gone = None
        try:
            await self._reader.close()
            try:
                gone = await self._writer.in_thread(self._kept)
            finally:
                await self._writer.close()
            if gone is not None and gone.now_at is not None:
                await asyncio.to_thread(remove_log_without_store, self._path)
        finally:
            self._lock.release()
        if gone is None:
            return
        if error is None or isinstance(error, asyncio.CancelledError) or store_failure(error) is not None:
            raise gone from error
        error.add_note(str(gone))

    def _check_files(self) -> None:
        """Raises StoreGone if the files are not where they were, or are somebody else's to write."""
        self._files.check()
        try:
            self._lock.keep()
        except StoreInUse as error:
            other = f"another crawl ({error.holder}) has begun to write to {self._path}"
            raise StoreGone(f"{self._path}.lock was deleted, and {other}", self._path) from None
        except OSError:
            pass  # nobody else can take it either

    def _kept(self, connection: sqlite3.Connection) -> StoreGone | None:
        """What became of the files, if they are not where they were; what they held has been kept, if it could be."""
        change = self._files.change()
        return None if change is None else rescued(connection, self._path, change)

    async def _open(self) -> None:
        self._writer = BatchConnection.of(self._path)
        try:
            await self._writer.open()
        except aiosqlite.Error as error:
            raise StoreError(f"{self._path} cannot be opened: {error}") from error
        try:
            await self._set_up_writer()
            self._files = await asyncio.to_thread(StoreFiles, self._path)
            self._reader = BatchConnection.of(self._path)
            await self._reader.open()
        except BaseException:
            await self._writer.close()
            raise
        await self._reader.execute("PRAGMA query_only = ON")

    async def _set_up_writer(self) -> None:
        writer = self._writer
        try:
            tables = await _all(writer, "SELECT name FROM sqlite_master WHERE type = 'table'")
        except aiosqlite.OperationalError as error:
            raise StoreError(f"{self._path} cannot be opened: {error}") from error
        except aiosqlite.DatabaseError as error:
            raise StoreError(f"{self._path} is not a link store: {error}; choose another --store") from error
        if tables and ("migration",) not in tables:
            raise StoreError(f"{self._path} is a database of something else; choose another --store")
        await writer.execute("PRAGMA journal_mode = WAL")
        await writer.execute("PRAGMA synchronous = NORMAL")
        await writer.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
        await writer.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        await writer.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        await writer.execute(CREATE_MIGRATION_TABLE)
        applied = {name for (name,) in await _all(writer, "SELECT name FROM migration")}
        try:
            scripts = pending_migrations(applied)
        except SchemaTooNew as error:
            raise StoreError(f"{self._path}: {error}") from error
        for script in scripts:
            await writer.executescript(script)

    # ---------------------------------------------------------------- writing

    async def write(self, records: Sequence[Record]) -> None:
        """Write records as one transaction, in order."""
        await self._writer.run_transaction(lambda: _statements(records), self._check_files)

    async def clear(self) -> None:
        """Forget every page, host and run, in one transaction."""
        await self._writer.run_transaction(lambda: ((f"DELETE FROM {table}", [()]) for table in _TABLES_BY_REFERENCE))

    async def reopen(self, reopenings: Sequence[Reopening]) -> None:
        """Let pages that were settled wait again, in one transaction. What is known of their visits stays until the
        next."""
        sql = f"UPDATE page SET state = 'waiting' WHERE {_SETTLED}"
        refused = [reopening for reopening in reopenings if reopening.outcome == "robots"]
        await self._writer.run_transaction(lambda: [(_FORGET_ROBOTS, refused), (sql, reopenings)])

    async def begin_run(self, command: Sequence[str], settings: str, now: float) -> int:
        """Record a start of the crawler; returns the number of the run."""
        await self._writer.execute(DROP_INLINK_INDEX)
        await self._writer.execute(DROP_COPY_INDEX)
        cursor = await self._writer.execute(
            "INSERT INTO run (started_at, command, settings, updated_at) VALUES (?, ?, ?, ?)",
            (now, json.dumps(list(command)), settings, now),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    async def report_progress(self, run: int, progress: dict[str, Any], now: float) -> None:
        await self._writer.execute(
            "UPDATE run SET progress = ?, updated_at = ? WHERE id = ?", (json.dumps(progress), now, run)
        )
        await self._writer.in_thread(lambda _: self._check_files())

    async def end_run(
        self,
        run: int,
        reason: str,
        progress: dict[str, Any],
        now: float,
        told: Callable[[int, int], None] = lambda done, of: None,
        *,
        builds_indexes: bool = True,
    ) -> None:
        """Record why a run ended, and make the indexes of inlinks and copies for those who will read the store.

        told: of how many links are in the index, and of how many, some times a second. If it is cancelled, the building
        is broken off: what was recorded stays, and the end of the next run builds the indexes.
        """
        await self._writer.execute(
            "UPDATE run SET ended_at = ?, reason = ?, progress = ?, updated_at = ? WHERE id = ?",
            (now, reason, json.dumps(progress), now, run),
        )
        if builds_indexes:
            await self._build_indexes(told)
        await self._writer.execute("PRAGMA optimize")
        await self._writer.execute("PRAGMA busy_timeout = 0")  # no waiting for those who are reading
        await self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        await self._writer.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")

    async def _build_indexes(self, told: Callable[[int, int], None]) -> None:
        loop = asyncio.get_running_loop()
        is_cut = threading.Event()

        def build(connection: sqlite3.Connection) -> None:
            if is_cut.is_set():
                return
            [(links,)] = connection.execute("SELECT count(*) FROM link")
            loop.call_soon_threadsafe(told, 0, links)
            connection.execute(CREATE_COPY_INDEX)
            steps = 0

            def step() -> bool:
                nonlocal steps
                steps += _STEPS_AT_ONCE
                loop.call_soon_threadsafe(told, min(steps // _STEPS_A_LINK, links), links)
                return is_cut.is_set()

            connection.set_progress_handler(step, _STEPS_AT_ONCE)
            try:
                connection.execute(CREATE_INLINK_INDEX)
            finally:
                connection.set_progress_handler(None, 0)

        building = asyncio.ensure_future(self._writer.in_thread(build))
        try:
            await asyncio.shield(building)
        except asyncio.CancelledError:
            is_cut.set()
            await self._writer.interrupt()
            with suppress(sqlite3.OperationalError):
                await building
            raise

    # ---------------------------------------------------------------- reading

    async def runs(self) -> list[StoredRun]:
        """All runs, the oldest first."""
        return [StoredRun(*row) for row in await _all(self._reader, "SELECT started_at, settings FROM run ORDER BY id")]

    async def settled(self, reopening: Reopening) -> int:
        """How many pages `reopen` would let wait again."""
        rows = await _all(self._reader, f"SELECT count(*) FROM page WHERE {_SETTLED}", reopening)
        return int(rows[0][0])

    async def last_settings(self) -> str | None:
        """The settings of the last run, as it stored them; None if there was none."""
        rows = await _all(self._reader, "SELECT settings FROM run ORDER BY id DESC LIMIT 1")
        return str(rows[0][0]) if rows else None

    async def is_empty(self) -> bool:
        return not await _all(self._reader, "SELECT 1 FROM page LIMIT 1")

    async def has_fetched(self) -> bool:
        """Whether any page was fetched, be it of a type that is not read."""
        return bool(await _all(self._reader, "SELECT 1 FROM page WHERE state = 'fetched' LIMIT 1"))

    async def last_run_reason(self) -> str | None:
        """Why the last run on this store ended; None if it was killed, or there was none."""
        rows = await _all(self._reader, "SELECT reason FROM run ORDER BY id DESC LIMIT 1")
        return rows[0][0] if rows else None

    async def urls_of(self, pages: Sequence[int]) -> dict[int, str]:
        marks = ", ".join("?" * len(pages))
        rows = await _all(self._reader, f"SELECT id, url FROM page WHERE id IN ({marks})", pages)
        return dict(rows)

    async def hosts(self) -> list[StoredHost]:
        """All hosts in the order of their numbers."""
        rows = await _all(
            self._reader,
            "SELECT id, url, site, next_fetch, rest_seconds, failures, pages_fetched, is_given_up,"
            " robots.status, expires_at, text, crawl_delay"
            " FROM host LEFT JOIN robots ON robots.host = host.id ORDER BY id",
        )
        return [StoredHost(*row) for row in rows]

    async def outcomes_of(self, pages: Sequence[int]) -> dict[int, str]:
        """Of the last visits to these pages; those never visited are left out."""
        found: dict[int, str] = {}
        for start in range(0, len(pages), _AT_ONCE):
            some = pages[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(some))
            found |= dict(await _all(self._reader, f"SELECT page, outcome FROM fetch WHERE page IN ({marks})", some))
        return found

    async def pages(self) -> AsyncIterator[StoredPages]:
        """All pages in the order of their numbers, some thousands at a time."""
        first = 0
        async for rows in self._chunks(_PAGES):
            yield stored_pages(first, rows)
            first += len(rows)

    async def outlinks(self, told: Callable[[int], None] = lambda _: None) -> StoredOutlinks:
        """Of every page whose links are known, also if it has none. Takes 11 bytes a link while they are put in order.

        told: of the number of the page, now and then, up to whose links it has read.
        """
        links = LinkReading(await self.page_count())
        async for rows in self._chunks(_LINKS):
            told(links.take(rows))
        visited: list[Any] = []
        async for rows in self._chunks(_LINKING_VISITS):
            visited += rows
        return await asyncio.to_thread(links.in_order, visited)

    async def captures(self) -> AsyncIterator[tuple[int, float, int]]:
        """(page, when its last visit began, how many it had) of every visited page."""
        async for rows in self._chunks("SELECT page, started_at, attempt FROM fetch ORDER BY page"):
            for row in rows:
                yield row

    async def robots_fetched_at(self) -> dict[int, float]:
        """Host -> when its robots.txt was fetched."""
        return dict(await _all(self._reader, "SELECT host, fetched_at FROM robots"))

    async def last_estimate(self) -> StoredEstimate | None:
        """The last refresh of the estimate; None if there was none."""
        rows = await _all(
            self._reader,
            "SELECT (SELECT count(*) FROM fetch WHERE visit > estimate.visit"
            f" AND outcome IN {LINKING_OUTCOMES}), estimator, ranks FROM estimate ORDER BY id DESC LIMIT 1",
        )
        return StoredEstimate(*rows[0]) if rows else None

    async def movements(self) -> list[StoredMovement]:
        """What every refresh of the estimate changed, the oldest first."""
        sql = "SELECT estimator, local_pages, outside_pages, change FROM estimate ORDER BY id"
        return [StoredMovement(*row) for row in await _all(self._reader, sql)]

    async def slowed(self) -> list[SlowedShape]:
        """The shapes of URLs that were slowed down when the last run told of them."""
        rows = await _all(self._reader, f"SELECT {_SLOWED_COLUMNS} FROM slowed ORDER BY host, shape")
        return [SlowedShape(*row) for row in rows]

    async def page_count(self) -> int:
        rows = await _all(self._reader, "SELECT coalesce(max(id) + 1, 0) FROM page")
        return int(rows[0][0])

    async def last_visit(self) -> int:
        rows = await _all(self._reader, "SELECT coalesce(max(visit), 0) FROM fetch")
        return int(rows[0][0])

    async def _chunks(self, sql: str) -> AsyncIterator[list[Any]]:
        async with self._reader.execute(sql) as cursor:
            while rows := list(await cursor.fetchmany(_CHUNK)):
                yield rows


async def _all(connection: aiosqlite.Connection, sql: str, parameters: Iterable[Any] = ()) -> list[Any]:
    """All rows, in one trip to the connection's thread: a cursor makes three, and a statement that is still open when
    the next one begins would keep that one in a past in which what was committed since is missing."""
    return list(await connection.execute_fetchall(sql, tuple(parameters)))


def _statements(records: Sequence[Record]) -> Iterator[Statement]:
    """The statements that write a batch, each with all its rows, in an order that keeps every reference valid."""
    visits = [record for record in records if isinstance(record, VisitRecord)]
    found = [record for record in records if isinstance(record, VisitRecord | Discovery)]
    linked = [visit for visit in visits if visit.links is not None]
    host_states = [state for state in map(_host_state, records) if state is not None]
    yield from (
        (sql, rows)
        for sql, rows in (
            (_INSERT_HOST, [_host_row(host) for each in found for host in each.new_hosts]),
            (_INSERT_PAGE, [page for each in found for page in each.new_pages]),
            (_UPDATE_ADMITTED, [(local, depth, page) for each in found for page, depth, local in each.admitted]),
            (_UPDATE_LOCAL, [(page,) for each in found for page in each.localised]),
            (_UPDATE_DEPTH, [(depth, page) for each in found for page, depth in each.nearer]),
            (_UPDATE_STATE, [(visit.state, visit.page) for visit in visits if visit.retry_at is None]),
            (_REPLACE_FETCH, [_fetch_row(visit) for visit in visits]),
            (_UPDATE_STATE, [(each.state, each.page) for each in records if isinstance(each, SettledRecord)]),
            (_END_RETRIES, [(each.page,) for each in records if isinstance(each, SettledRecord)]),
            (_DELETE_LINKS, [(visit.page,) for visit in linked if visit.attempt > 1]),
            *_link_statements(linked),
            (_REPLACE_CONTENT, [row for visit in visits for row in _content_rows(visit)]),
            (_REPLACE_ROBOTS, [_robots_row(each) for each in records if isinstance(each, RobotsRecord)]),
            (_UPDATE_HOST, [_host_state_row(state) for state in host_states]),
            (_INSERT_ESTIMATE, [_estimate_row(each) for each in records if isinstance(each, EstimateRecord)]),
            (_DELETE_RANKS, [(each.estimator,) for each in records if isinstance(each, RankRecord)]),
            (_DELETE_SLOWED, [() for each in records if isinstance(each, SlowedShapes)]),
            (_INSERT_SLOWED, _slowed_rows(records)),
        )
        if rows
    )
    ranked = [record for record in records if isinstance(record, RankRecord)]
    yield from ((_INSERT_RANK, _rank_rows(each)) for each in ranked)
    if ranked:
        yield COMPARE_RANKS, [()]


def _slowed_rows(records: Sequence[Record]) -> list[tuple[Any, ...]]:
    """Of the last record alone: each replaces the one before."""
    last = next((each for each in reversed(records) if isinstance(each, SlowedShapes)), None)
    return [] if last is None else [astuple(shape) for shape in last.shapes]


def _host_state(record: Record) -> HostStateRecord | None:
    if isinstance(record, VisitRecord):
        return record.host_state
    return record if isinstance(record, HostStateRecord) else None


def _host_row(host: HostRecord) -> tuple[Any, ...]:
    return (host.number, host.url, host.site)


def _fetch_row(visit: VisitRecord) -> tuple[Any, ...]:
    return (
        visit.page, visit.visit, visit.outcome, visit.detail, visit.attempt, visit.retry_at, visit.started_at,
        visit.seconds, visit.status, visit.content_type, visit.charset, visit.wire_bytes, visit.body_bytes,
        visit.body_hash, visit.etag, visit.last_modified, visit.redirect_target, visit.canonical, visit.title,
        visit.description, visit.language, visit.is_noindex, visit.is_nofollow, visit.bad_links,
        json.dumps(dict(visit.cut)) if visit.cut else None,
    )  # fmt: skip


def _link_statements(linked: Sequence[VisitRecord]) -> tuple[Statement, Statement]:
    rows = [row for visit in linked for row in _link_rows(visit)]
    whole = len(rows) - len(rows) % _LINKS_AT_ONCE
    starts = range(0, whole, _LINKS_AT_ONCE)
    together = [tuple(chain.from_iterable(rows[start : start + _LINKS_AT_ONCE])) for start in starts]
    return (_INSERT_LINKS, together), (_INSERT_LINK, rows[whole:])


def _link_rows(visit: VisitRecord) -> Iterator[tuple[Any, ...]]:
    links = visit.links
    assert links is not None
    return zip(repeat(visit.page), links.targets, links.kinds, links.nofollow, links.anchors)


def _content_rows(visit: VisitRecord) -> list[tuple[Any, ...]]:
    content = visit.content
    return [] if content is None else [(visit.page, content.text, content.headings, content.body)]


def _robots_row(robots: RobotsRecord) -> tuple[Any, ...]:
    return (
        robots.host, robots.status, robots.fetched_at, robots.expires_at, robots.text, robots.crawl_delay,
        json.dumps(list(robots.sitemaps)), robots.sitemaps_left_out,
    )  # fmt: skip


def _host_state_row(state: HostStateRecord) -> tuple[Any, ...]:
    return (
        state.address, state.next_fetch, state.rest_seconds, state.failures, state.pages_fetched,
        state.is_given_up, state.last_error, state.number,
    )  # fmt: skip


def _estimate_row(each: EstimateRecord) -> tuple[Any, ...]:
    return (
        each.visit, each.local_pages, each.outside_pages, each.estimator, each.change, each.disagreement,
        each.seconds, each.created_at, each.ranks,
    )  # fmt: skip


def _rank_rows(record: RankRecord) -> Iterator[tuple[Any, ...]]:
    values = np.asarray(record.pageranks, np.float64)
    places = 1 + len(values) - np.searchsorted(np.sort(values), values, side="right")
    return zip(repeat(record.estimator), record.pages, record.pageranks, array("q", places.tobytes()))
