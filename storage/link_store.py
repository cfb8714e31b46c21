"""The store of a running crawl: one writer in batches, and readers that never wait for it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable, Container, Iterable, Sequence
from dataclasses import astuple
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import aiosqlite

from hinterland.storage.batch_connection import BatchConnection
from hinterland.storage.extraction_tables import drop_views, remove_table, set_tables
from hinterland.storage.failures import store_failure
from hinterland.storage.file_lock import FileHeld, FileLock
from hinterland.storage.link_reading import LINKING_VISITS, LINKS, PAGES, VISITS, OutlinkSorter, stored_pages
from hinterland.storage.lock import StoreInUse, StoreLock
from hinterland.storage.migrations import CREATE_MIGRATION_TABLE, SchemaTooNew, pending_migrations
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.rescue import remove_log_without_store, rescued
from hinterland.storage.salvage import UNWRITABLE, LostRecord, write_each
from hinterland.storage.sorted_links.sorting import ENTRIES_AT_ONCE, merge_some, sort_some
from hinterland.storage.statements import statements_of
from hinterland.storage.store_files import StoreFiles, StoreGone
from hinterland.storage.store_name import forget_name, name_with_log, note_name
from hinterland.storage.tables import TABLES
from hinterland.storage.values.compression import unpacked_bytes
from hinterland.storage.values.extraction import ExtractionTable
from hinterland.storage.values.pages import RENDERINGS
from hinterland.storage.values.records import (
    Record,
    Reopening,
    StoredOutlinks,
    StoredPages,
    VisitRecord,
)
from hinterland.storage.values.shards import ShardMark
from hinterland.storage.values.topics import RelevanceRecord
from hinterland.storage.write_settings import WRITE_SETTINGS

T = TypeVar("T")

_CHUNK = 10_000
_WRITER_CACHE_KIB = 8192
_CHECKPOINT_PAGES = 4000
"""The write-ahead log is copied into the file when it reaches this length, 16 MB. At SQLite's default of 1000 the same
pages are copied more often: crawls of 5,000 pages took 12.2 s of CPU instead of 12.0."""
_ANALYSED_ROWS = 1000
"""How many rows of an index SQLite looks at for its statistics; all of them took 1.5 s for a million pages."""
_LINKS_OF_A_PAGE = 12
"""About how many links a page has."""
_BUSY_MILLISECONDS = 30_000
"""How long a write waits while another process writes to the store."""

_SETTLED = (
    "state IN ('failed', 'refused', 'redirected', 'fetched') AND id IN (SELECT page FROM fetch"
    " WHERE (outcome = ?1 AND outcome <> 'fetched' OR rendering = ?1) AND started_at >= ?2 AND started_at < ?3)"
)
"""The pages that a Reopening selects."""
_FORGET_ROBOTS = f"UPDATE robots SET expires_at = 0 WHERE host IN (SELECT host FROM page WHERE {_SETTLED})"
"""Lets robots.txt be fetched again: a user who retries pages that it forbade has reason to think that it has changed.
"""
_UNLINK = (
    "INSERT OR IGNORE INTO unlinked SELECT source, target FROM link"
    f" WHERE source IN (SELECT id FROM page WHERE {_SETTLED})"
)
_FORGET_VISIT = (
    "DELETE FROM fetch WHERE rendering = ?1 AND started_at >= ?2 AND started_at < ?3"
    " AND page IN (SELECT id FROM page WHERE state = 'waiting')"
)
"""Removes the visits of reopened pages that were read without a browser: in a browser they may have other content."""

_OWN = "UPDATE shard SET epoch = ?"
_NOTE_KILLED = "UPDATE run SET ended_at = updated_at WHERE ended_at IS NULL"
"""Marks runs without an end as killed, since no other process holds the store. They have no reason for their end."""


class Fenced(Exception):
    """Another process has taken over this shard; nothing was written."""


class StoreError(Exception):
    """The store cannot be used; the message says why and what to do."""


class LinkStore:
    """Opens, writes and reads one store. Use it as an async context manager.

    Only one LinkStore may have a file open at a time (StoreInUse); any number of read-only connections may read
    meanwhile. Each `write` is one transaction: after a kill -9 the store holds whole batches. WAL with
    synchronous=NORMAL survives the death of the process; a power cut may cost the last transactions, but never the
    integrity of the file.

    If the files are deleted, moved or replaced while the store is open, the next write raises StoreGone after its
    commit, or else the end of the with block does. Everything committed has then been saved, and the error says where.
    """

    def __init__(self, path: Path) -> None:
        """Take the path of the store; the context manager opens it."""
        self._path = path
        self._file: Path
        """The name under which SQLite has opened the file."""
        self._lock = StoreLock(path)
        self._file_lock = FileLock()
        self._writer: BatchConnection
        self._reader: BatchConnection
        self._stored: StoreReader
        self._files: StoreFiles
        self._mark: ShardMark | None = None
        self._unsorted_links = 0
        """About how many links are in no sorted run yet."""
        self._is_merging = False
        self.on_lost_record: Callable[[LostRecord, str], None] | None = None
        """Called for each record that could not be written as it was, with the URL of its page. Without a callback a
        batch is written unchanged or not at all."""

    @property
    def path(self) -> Path:
        """The path of the store."""
        return self._path

    async def __aenter__(self) -> LinkStore:
        """Lock and open the store.

        Raises StoreInUse and StoreError.
        """
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
        """Close and unlock the store.

        Raises StoreGone if its files are no longer in place.
        """
        gone = None
        try:
            try:
                await self._reader.close()
            finally:
                try:
                    gone = await self._writer.in_thread(self._kept)
                finally:
                    await self._writer.close()
            if gone is None:
                await asyncio.to_thread(forget_name, self._file)
            elif gone.now_at is not None:
                await asyncio.to_thread(remove_log_without_store, self._path)
        finally:
            self._file_lock.release()
            self._lock.release()
        if gone is None:
            return
        if error is None or isinstance(error, asyncio.CancelledError) or store_failure(error) is not None:
            raise gone from error
        error.add_note(str(gone))

    def _check_files(self) -> None:
        """Raise StoreGone if the files are no longer in place, or another crawl writes to them."""
        self._files.check()
        try:
            self._lock.keep()
        except StoreInUse as error:
            other = f"another crawl ({error.holder}) has begun to write to {self._path}"
            raise StoreGone(f"{self._path}.lock was deleted, and {other}", self._path) from None
        except OSError:
            pass  # nobody else can take it either

    def _kept(self, connection: sqlite3.Connection) -> StoreGone | None:
        """Save the contents if the files are no longer in place, and return what happened to them; else None."""
        change = self._files.change()
        return None if change is None else rescued(connection, self._path, change)

    async def _open(self) -> None:
        self._file = name_with_log(self._path)
        self._writer = BatchConnection.of(self._file)
        try:
            await self._writer.open()
        except aiosqlite.Error as error:
            raise StoreError(f"{self._path} cannot be opened: {error}") from error
        try:
            self._hold_file()
            await self._set_up_writer()
            self._files = await asyncio.to_thread(StoreFiles, self._file)
            self._reader = BatchConnection.of(self._file)
            await self._reader.open()
            try:
                await self._reader.execute("PRAGMA query_only = ON")
                self._stored = await self._reader.in_thread(lambda connection: StoreReader(self._path, connection))
            except BaseException:
                await self._reader.close()
                raise
        except BaseException:
            try:
                await self._writer.close()
            finally:
                self._file_lock.release()
            raise

    def _hold_file(self) -> None:
        """Lock the file before anything is read or written.

        Raises StoreInUse and StoreError.
        """
        try:
            self._file_lock.acquire(self._file)
        except FileHeld as error:
            raise StoreInUse(self._path, f"process {error.process}, which has that file open") from None
        except OSError as error:
            raise StoreError(f"{self._path} cannot be locked: {error}") from error
        note_name(self._file)

    async def _set_up_writer(self) -> None:
        writer = self._writer
        try:
            tables = await _all(writer, "SELECT name FROM sqlite_master WHERE type = 'table'")
        except aiosqlite.OperationalError as error:
            raise StoreError(f"{self._path} cannot be opened: {error}") from error
        except aiosqlite.DatabaseError as error:
            raise StoreError(f"{self._path} is not a link store: {error}; choose another --store") from error
        if tables and ("migration",) not in tables:
            raise StoreError(f"{self._path} is an SQLite database, but not a link store; choose another --store")
        await writer.execute("PRAGMA journal_mode = WAL")
        await writer.execute("PRAGMA synchronous = NORMAL")
        await writer.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KIB}")
        await writer.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
        for setting in WRITE_SETTINGS:
            await writer.execute(setting)
        await writer.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        await writer.execute(CREATE_MIGRATION_TABLE)
        applied = {name for (name,) in await _all(writer, "SELECT name FROM migration")}
        try:
            scripts = pending_migrations(applied)
        except SchemaTooNew as error:
            raise StoreError(f"{self._path}: {error}") from error
        for script in scripts:
            await writer.executescript(script)
        [(unsorted,)] = await _all(writer, "SELECT count(*) FROM unsorted")
        self._unsorted_links, self._is_merging = unsorted * _LINKS_OF_A_PAGE, True
        await writer.execute(_NOTE_KILLED)  # so that no such run is mistaken for one of this process

    # ---------------------------------------------------------------- writing

    async def write(self, records: Sequence[Record]) -> None:
        """Write records as one transaction, in order. Then sort links by target, if there are enough new ones.

        Raises Fenced if this shard has a new owner.
        """
        try:
            await self._writer.run_transaction(lambda: statements_of(records), self._check_files, self._check_fence)
        except UNWRITABLE:
            if self.on_lost_record is None:
                raise
            lost = await self._writer.in_thread(lambda connection: self._write_each(connection, records))
            pages = [getattr(each.record, "page", -1) for each in lost]
            urls = await self.urls_of([page for page in pages if page >= 0])
            for page, each in zip(pages, lost, strict=True):
                self.on_lost_record(each, urls.get(page, type(each.record).__name__))
        for record in records:
            if isinstance(record, VisitRecord) and record.links is not None:
                self._unsorted_links += len(record.links.targets)
        if self._is_merging or self._unsorted_links >= ENTRIES_AT_ONCE:
            await self._sort(self._unsorted_links >= ENTRIES_AT_ONCE)

    async def _sort(self, is_due: bool) -> None:
        """Sort some links into a run, or else merge some runs, in one transaction of about 50 ms."""

        def sort(connection: sqlite3.Connection) -> None:
            self._check_fence(connection)
            if is_due:
                self._is_merging = True
                if not sort_some(connection):
                    self._unsorted_links = 0
            else:
                self._is_merging = merge_some(connection)

        await self._writer.run_transaction(lambda: (), before=sort)
        if is_due:
            self._unsorted_links = max(0, self._unsorted_links - ENTRIES_AT_ONCE)

    def _write_each(self, connection: sqlite3.Connection, records: Sequence[Record]) -> list[LostRecord]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            self._check_fence(connection)
            lost = write_each(connection, records)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self._check_files()
        return lost

    async def own(self, mark: ShardMark) -> None:
        """Own this store as a shard: write to it until an owner with a higher epoch takes it over.

        Raises StoreError if the store is another shard or belongs to another crawl, and Fenced if it has an owner with
        a higher epoch.
        """
        await self._writer.run_transaction(
            lambda: [(_OWN, [(mark.epoch,)])], before=lambda connection: self._claim(connection, mark)
        )
        self._mark = mark

    def _claim(self, connection: sqlite3.Connection, mark: ShardMark) -> None:
        row = connection.execute('SELECT crawl, number, "of", epoch FROM shard').fetchone()
        if row is None:
            if connection.execute("SELECT 1 FROM run").fetchone() is not None:
                raise StoreError(f"{self._path} holds a whole crawl, not a shard of one; choose another --store")
            connection.execute(
                'INSERT INTO shard (id, crawl, number, "of", epoch) VALUES (1, ?, ?, ?, ?)', astuple(mark)
            )
            return
        found = ShardMark(*row)
        if found.crawl != mark.crawl:
            raise StoreError(
                f"{self._path} belongs to another crawl than the other files in its folder; move it back to the"
                " folder of its crawl"
            )
        if (found.number, found.of) != (mark.number, mark.of):
            raise StoreError(
                f"{self._path} is shard {found.number + 1} of {found.of}, not shard {mark.number + 1} of {mark.of};"
                " give the files in its folder their original names"
            )
        if found.epoch > mark.epoch:
            raise Fenced(f"{self._path} has been taken over by a later process")

    def _check_fence(self, connection: sqlite3.Connection) -> None:
        if self._mark is None:
            return
        [(epoch,)] = connection.execute("SELECT epoch FROM shard")
        if epoch != self._mark.epoch:
            raise Fenced(
                f"{self._path} has been taken over by another process: its epoch is {epoch}, not {self._mark.epoch}"
            )

    async def clear(self) -> None:
        """Delete every page, host and run, and everything known about them, in one transaction."""
        await self._writer.run_transaction(
            lambda: [(f"DELETE FROM {name}", [()]) for name, table in TABLES.items() if not table.is_fixed],
            before=drop_views,
        )

    async def reopen(self, reopenings: Sequence[Reopening]) -> None:
        """Queue settled pages again, in one transaction.

        The results of their last visits are kept until the next visit, except for pages that were read without the
        browser that they need.
        """
        sql = f"UPDATE page SET state = 'waiting' WHERE {_SETTLED}"
        refused = [reopening for reopening in reopenings if reopening.outcome == "robots"]
        unread = [reopening for reopening in reopenings if reopening.outcome in RENDERINGS]
        forgotten = [
            (f"DELETE FROM {name} WHERE {table.pages[0]} IN (SELECT id FROM page WHERE {_SETTLED})", unread)
            for name, table in TABLES.items()
            if table.is_read
        ]
        await self._writer.run_transaction(
            lambda: [
                (_UNLINK, unread),
                *forgotten,
                (_FORGET_ROBOTS, refused),
                (sql, reopenings),
                (_FORGET_VISIT, unread),
            ]
        )

    async def begin_run(self, command: Sequence[str], settings: str, now: float) -> int:
        """Record a start of the crawler and return the number of the run."""
        cursor = await self._writer.execute(
            "INSERT INTO run (started_at, command, settings, updated_at) VALUES (?, ?, ?, ?)",
            (now, json.dumps(list(command)), settings, now),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    async def set_extraction(self, tables: Sequence[ExtractionTable]) -> None:
        """Store the rules of tables and create a view for each.

        Records made by other rules stay until their pages are read again.
        """
        await self._writer.in_thread(lambda connection: set_tables(connection, tables))

    async def forget_extracted(self, name: str, still: Container[int]) -> None:
        """Remove the records of a table, except those of the pages in `still`."""
        gone = [(name, page) for page in await self.ask(lambda stored: stored.extractions.pages_of(name))]
        gone = [row for row in gone if row[1] not in still]
        sql = "DELETE FROM {} WHERE name = ? AND page = ?"
        await self._writer.run_transaction(lambda: ((sql.format(table), gone) for table in ("record", "extracted")))

    async def forget_extraction(self, name: str) -> None:
        """Remove a table with its records."""
        await self._writer.in_thread(lambda connection: remove_table(connection, name))

    async def report_progress(self, run: int, progress: dict[str, Any], now: float) -> None:
        """Store the progress of a run, and check that the files are still in place."""
        await self._writer.execute(
            "UPDATE run SET progress = ?, updated_at = ? WHERE id = ?", (json.dumps(progress), now, run)
        )
        await self._writer.in_thread(lambda _: self._check_files())

    async def end_run(self, run: int, reason: str, progress: dict[str, Any], now: float) -> None:
        """Record why a run ended, and sort the last links for readers of the store."""
        await self._writer.execute(
            "UPDATE run SET ended_at = ?, reason = ?, progress = ?, updated_at = ? WHERE id = ?",
            (now, reason, json.dumps(progress), now, run),
        )
        await self._sort(True)
        await self._writer.execute(f"PRAGMA analysis_limit = {_ANALYSED_ROWS}")
        await self._writer.execute("PRAGMA optimize")
        await self._writer.execute("PRAGMA busy_timeout = 0")  # do not wait for readers
        await self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        await self._writer.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")

    # ---------------------------------------------------------------- reading

    async def ask(self, question: Callable[[StoreReader], T]) -> T:
        """Call `question` with a reader in a thread, and return its answer. The reader sees everything committed."""
        return await self._reader.in_thread(lambda _: question(self._stored))

    async def urls_of(self, pages: Sequence[int]) -> dict[int, str]:
        """Return the URLs of pages by number; pages unknown to the store are left out."""
        return await self.ask(lambda stored: stored.pages.urls_of(pages))

    async def settled(self, reopening: Reopening) -> int:
        """Return how many pages `reopen` would queue again."""
        rows = await _all(self._reader, f"SELECT count(*) FROM page WHERE {_SETTLED}", reopening)
        return int(rows[0][0])

    async def pages(self) -> AsyncIterator[StoredPages]:
        """Yield all pages in the order of their numbers, several thousand at a time."""
        first = 0
        async for rows in self._chunks(PAGES):
            visits = await _all(self._reader, VISITS, (first, first + len(rows)))
            yield stored_pages(first, rows, visits)
            first += len(rows)

    async def outlinks(self, on_progress: Callable[[int], None] = lambda _: None) -> StoredOutlinks:
        """Return the links of every page whose links are known, also if it has none.

        Reordering takes 11 bytes per link. `on_progress` occasionally receives the number of the page whose links were
        read last.
        """
        links = OutlinkSorter(await self.ask(lambda stored: stored.pages.count()))
        cursor = await self._reader.in_thread(lambda connection: connection.execute(LINKS))
        try:
            while (last := await self._reader.in_thread(lambda _: links.take(cursor))) is not None:
                on_progress(last)
        finally:
            await self._reader.in_thread(lambda _: cursor.close())
        visited: list[tuple[int]] = []
        async for rows in self._chunks(LINKING_VISITS):
            visited += rows
        return await asyncio.to_thread(links.in_order, visited)

    async def relevances(self) -> AsyncIterator[tuple[RelevanceRecord, bool, int]]:
        """Yield the relevance of each visited page, in the order of their last visits.

        Also yields whether it was read as an HTML page, and the number of that visit.
        """
        async for rows in self._chunks(
            "SELECT relevance.page, probability, links, outcome = 'fetched', visit"
            " FROM relevance JOIN fetch ON fetch.page = relevance.page ORDER BY visit"
        ):
            for page, probability, links, is_page, visit in rows:
                content = None if links is None else unpacked_bytes(links)
                yield RelevanceRecord(page, probability, content), bool(is_page), visit

    async def captures(self) -> AsyncIterator[tuple[int, float, int]]:
        """Yield (page, start of its last visit in epoch seconds, number of its visits) for every visited page."""
        async for rows in self._chunks("SELECT page, started_at, attempt FROM fetch ORDER BY page"):
            for row in rows:
                yield row

    async def _chunks(self, sql: str) -> AsyncIterator[list[Any]]:
        async with self._reader.execute(sql) as cursor:
            while rows := list(await cursor.fetchmany(_CHUNK)):
                yield rows


async def _all(connection: aiosqlite.Connection, sql: str, parameters: Iterable[Any] = ()) -> list[Any]:
    """Return all rows, in one trip to the connection's thread.

    A cursor would need three trips. It would also stay open for a while; a statement that begins meanwhile would read
    the same old snapshot, without recent commits.
    """
    return list(await connection.execute_fetchall(sql, tuple(parameters)))
