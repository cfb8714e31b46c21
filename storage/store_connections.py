"""The connections to a store that is open for writing, with the locks that keep other writers out."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Final

import aiosqlite

from hinterland.storage.batch_connection import BatchConnection
from hinterland.storage.failures import store_failure
from hinterland.storage.file_lock import FileHeld, FileLock
from hinterland.storage.lock import StoreInUse, StoreLock
from hinterland.storage.migrations import CREATE_MIGRATION_TABLE, SchemaTooNew, pending_migrations
from hinterland.storage.rescue import remove_log_without_store, rescued
from hinterland.storage.store_files import StoreFiles, StoreGone
from hinterland.storage.store_name import forget_name, name_with_log, note_name
from hinterland.storage.write_settings import WRITE_SETTINGS

_WRITER_CACHE_KIB: Final = 8192
_CHECKPOINT_PAGES: Final = 4000
"""The write-ahead log is copied into the file when it reaches this length, 16 MB. At SQLite's default of 1000 the same
pages are copied more often: crawls of 5,000 pages took 12.2 s of CPU instead of 12.0."""
BUSY_MILLISECONDS: Final = 30_000
"""How long a write waits while another process writes to the store."""


class StoreError(Exception):
    """The store cannot be used; the message says why and what to do."""


class StoreConnections:
    """One connection that writes, and one that reads. The caller opens and closes both."""

    writer: BatchConnection
    reader: BatchConnection

    def __init__(self, path: Path) -> None:
        """Take the path of the store."""
        self._path = path
        self._file: Path
        """The name under which SQLite has opened the file."""
        self._lock = StoreLock(path)
        self._file_lock = FileLock()
        self._files: StoreFiles

    async def open(self) -> None:
        """Lock the store, open it, and create or bring up to date its tables.

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

    async def close(self, error: BaseException | None) -> None:
        """Close and unlock the store. `error` is the exception that ended the with block, if any.

        If the files are no longer in place, raises StoreGone. But if `error` has another cause, StoreGone is only added
        to it as a note.
        """
        gone = None
        try:
            try:
                await self.reader.close()
            finally:
                try:
                    gone = await self.writer.in_thread(self._kept)
                finally:
                    await self.writer.close()
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

    def check_files(self) -> None:
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
        """If the files are no longer in place, save the contents, and return an error that says what happened."""
        change = self._files.change()
        return None if change is None else rescued(connection, self._path, change)

    async def _open(self) -> None:
        self._file = name_with_log(self._path)
        self.writer = BatchConnection(self._file)
        try:
            await self.writer.open()
        except aiosqlite.Error as error:
            raise StoreError(f"{self._path} cannot be opened: {error}") from error
        try:
            self._hold_file()
            await self._set_up_writer()
            self._files = await asyncio.to_thread(StoreFiles, self._file)
            self.reader = BatchConnection(self._file)
            await self.reader.open()
            try:
                await self.reader.execute("PRAGMA query_only = ON")
            except BaseException:
                await self.reader.close()
                raise
        except BaseException:
            try:
                await self.writer.close()
            finally:
                self._file_lock.release()
            raise

    def _hold_file(self) -> None:
        """Lock the file itself, before anything is read or written.

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
        writer = self.writer
        try:
            tables = await writer.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
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
        await writer.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        await writer.execute(CREATE_MIGRATION_TABLE)
        applied = {name for (name,) in await writer.rows("SELECT name FROM migration")}
        try:
            scripts = pending_migrations(applied)
        except SchemaTooNew as error:
            raise StoreError(f"{self._path}: {error}") from error
        for script in scripts:
            await writer.executescript(script)
