"""The store of a running crawl: one writer in batches, and readers that never wait for it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from hinterland.storage.batch_connection import BatchConnection
from hinterland.storage.crawl_state_reader import CrawlStateReader
from hinterland.storage.extraction_tables import drop_views, remove_table, set_tables
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.salvage import UNWRITABLE, LostRecord, write_each
from hinterland.storage.shard_fence import ShardFence
from hinterland.storage.sorted_links.sorting import ENTRIES_AT_ONCE, merge_some, sort_some
from hinterland.storage.statements import statements_of
from hinterland.storage.store_connections import BUSY_MILLISECONDS, StoreConnections
from hinterland.storage.tables import TABLES
from hinterland.storage.values.extraction import ExtractionTable
from hinterland.storage.values.pages import RENDERINGS
from hinterland.storage.values.records import (
    Record,
    Reopening,
    VisitRecord,
)
from hinterland.storage.values.shards import ShardMark

T = TypeVar("T")

_ANALYSED_ROWS = 1000
"""How many rows of an index SQLite looks at for its statistics; all of them took 1.5 s for a million pages."""
_LINKS_OF_A_PAGE = 12
"""About how many links a page has."""
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

_NOTE_KILLED = "UPDATE run SET ended_at = updated_at WHERE ended_at IS NULL"
"""Marks runs without an end as killed, since no other process holds the store. They have no reason for their end."""


class LinkStore:
    """Opens, writes and reads one store. Use it as an async context manager.

    Only one LinkStore may have a file open at a time (StoreInUse); any number of read-only connections may read
    meanwhile. Each `write` is one transaction: after a kill -9 the store holds whole batches. WAL with
    synchronous=NORMAL survives the death of the process; a power cut may cost the last transactions, but never the
    integrity of the file.

    If the files are deleted, moved or replaced while the store is open, the next write raises StoreGone after its
    commit. If there is no further write, the end of the with block raises it. Everything committed has then been saved,
    and the error says where.
    """

    def __init__(self, path: Path) -> None:
        """Take the path of the store; the context manager opens it."""
        self._path = path
        self._connections = StoreConnections(path)
        self._fence = ShardFence(path)
        self._writer: BatchConnection
        self._reader: BatchConnection
        self._stored: StoreReader
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
        await self._connections.open()
        self._writer, self._reader = self._connections.writer, self._connections.reader
        try:
            self._stored = await self._reader.in_thread(lambda connection: StoreReader(self._path, connection))
            [(unsorted,)] = await self._writer.rows("SELECT count(*) FROM unsorted")
            self._unsorted_links, self._is_merging = unsorted * _LINKS_OF_A_PAGE, True
            await self._writer.execute(_NOTE_KILLED)  # so that no such run is mistaken for one of this process
        except BaseException as error:
            await self._connections.close(error)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close and unlock the store.

        Raises StoreGone if its files are no longer in place.
        """
        await self._connections.close(error)

    # ---------------------------------------------------------------- writing

    async def write(self, records: Sequence[Record]) -> None:
        """Write records as one transaction, in order. Then sort new links by target, if there are enough of them.

        Raises Fenced if this shard has a new owner.
        """
        try:
            await self._writer.run_transaction(
                lambda: statements_of(records), self._connections.check_files, self._fence.check
            )
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
        """Sort links into a run if `is_due`, otherwise merge runs: one transaction of about 50 ms."""

        def sort(connection: sqlite3.Connection) -> None:
            self._fence.check(connection)
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
            self._fence.check(connection)
            lost = write_each(connection, records)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self._connections.check_files()
        return lost

    async def own(self, mark: ShardMark) -> None:
        """Own this store as a shard: only this process may write, until one with a higher epoch takes over.

        Raises StoreError if the store is another shard or belongs to another crawl, and Fenced if it has an owner with
        a higher epoch.
        """
        await self._writer.run_transaction(lambda: (), before=lambda connection: self._fence.claim(connection, mark))
        self._fence.claimed(mark)

    async def clear(self) -> None:
        """Delete all pages, hosts and runs, and everything known about them, in one transaction."""
        await self._writer.run_transaction(
            lambda: [(f"DELETE FROM {name}", [()]) for name, table in TABLES.items() if not table.is_fixed],
            before=drop_views,
        )

    async def reopen(self, reopenings: Sequence[Reopening]) -> None:
        """Queue settled pages again, in one transaction.

        The results of their last visits are kept until the next visit. Results of pages that needed a browser, but were
        read without one, are deleted.
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
        """Remove the records of a table, except the records of the pages in `still`."""
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
        await self._writer.in_thread(lambda _: self._connections.check_files())

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
        await self._writer.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")

    # ---------------------------------------------------------------- reading

    async def ask(self, question: Callable[[StoreReader], T]) -> T:
        """Call `question` with a reader in a thread, and return its answer. The reader sees everything committed."""
        return await self._reader.in_thread(lambda _: question(self._stored))

    async def urls_of(self, pages: Sequence[int]) -> dict[int, str]:
        """Return the URLs of pages by number; pages unknown to the store are left out."""
        return await self.ask(lambda stored: stored.pages.urls_of(pages))

    async def settled(self, reopening: Reopening) -> int:
        """Return how many pages `reopen` would queue again with this argument."""
        rows = await self._reader.rows(f"SELECT count(*) FROM page WHERE {_SETTLED}", reopening)
        return int(rows[0][0])

    @property
    def state(self) -> CrawlStateReader:
        """A reader of everything that a resumed crawl needs."""
        return CrawlStateReader(self._reader)
