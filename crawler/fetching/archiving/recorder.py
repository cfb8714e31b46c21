"""Writes what a crawl sends and receives into WARC files, in a thread of its own.

Each caller waits until its capture is in its file. So the queue is never longer than the number of requests in flight,
a slow disk slows the crawl down instead of filling its memory, and after a kill every page in the store is also in the
archive.

The thread gets all captures of a few milliseconds together. Small captures are packed before that, by the caller:
packing releases the interpreter's lock many times, and if two threads compete for the lock, taking it back costs more
than the packing.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Final

from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.cdxj import update_index
from hinterland.storage.warc.folder import WarcFolder
from hinterland.storage.warc.new_lines import NewLines
from hinterland.storage.warc.originals import Originals
from hinterland.storage.warc.packed_captures import PackedCapture
from hinterland.storage.warc.repair import repair_folder

_MAX_BATCH: Final = 256
_COLLECTING_SECONDS: Final = 0.005
"""How long captures are collected. Hosts rest much longer, so this does not slow the crawl down."""
_PACKED_HERE: Final = 16_384
"""Responses of at most this many bytes are packed by the caller."""

_Job = tuple[PackedCapture, "asyncio.Future[None]"]


class ArchiveFailed(Exception):
    """Raised if the archive cannot be written; the message says where and why."""


class ArchiveBroken(Exception):
    """Raised if a bug in this program has ended the writing of the archive; `__cause__` is the error of the bug."""


class Recorder:
    """An archive in a folder: `await recorder.record(capture)` returns once the capture is written.

    Use it as an async context manager. Entering it completes files that a killed crawl left open; leaving it updates
    the index of the folder. Both may raise ArchiveFailed or ArchiveBroken. Once a write has failed, every call of
    `record` raises the same error. A response that the folder already has is written as a revisit record.
    """

    def __init__(self, folder: Path, fields: Mapping[str, str], max_bytes: int, now: Callable[[], float]) -> None:
        """Prepare an archive; `fields` are the fields of the warcinfo record at the beginning of each file."""
        self._folder = folder
        self._fields = fields
        self._max_bytes = max_bytes
        self._now = now
        self._collected: list[_Job] = []
        self._timer: asyncio.TimerHandle | None = None
        self._batches: SimpleQueue[list[_Job] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="warc", daemon=True)
        self._failure: Exception | None = None
        self._loop: asyncio.AbstractEventLoop
        self._originals: Originals
        self._may_repeat = True
        """Whether many responses may be repetitions of earlier ones. If so, callers pack none, since repetitions are
        not packed."""
        self._files: WarcFolder
        self._lines: NewLines
        self._opened = ExitStack()

    async def __aenter__(self) -> Recorder:
        """Repair the folder, and start the thread."""
        self._loop = asyncio.get_running_loop()
        await self._attempt(self._prepare)
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Write all queued captures, close the files, and update the index."""
        self._hand_over()
        self._batches.put(None)
        await asyncio.to_thread(self._thread.join)
        try:
            await self._attempt(self._close)
            if self._failure is None:
                await self._attempt(lambda: update_index(self._folder, self._lines, self._lines.files))
        except ArchiveFailed as failure:
            if error is None:
                raise
            error.add_note(str(failure))
        finally:
            self._opened.close()

    async def record(self, capture: Capture) -> None:
        """Write a capture; return once it is in its file. Raises ArchiveFailed or ArchiveBroken."""
        written = self._loop.create_future()
        packed = PackedCapture(capture)
        if not self._may_repeat and len(capture.response) <= _PACKED_HERE:
            packed.pack()
        self._collected.append((packed, written))
        if len(self._collected) >= _MAX_BATCH:
            self._hand_over()
        elif self._timer is None:
            self._timer = self._loop.call_later(_COLLECTING_SECONDS, self._hand_over)
        await written

    def _hand_over(self) -> None:
        """Give the collected captures to the thread."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._collected:
            self._batches.put(self._collected)
            self._collected = []

    def _prepare(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        repair_folder(self._folder)
        self._originals = Originals(self._folder)
        self._may_repeat = self._originals.has_index
        with ExitStack() as opened:
            self._lines = NewLines(opened.enter_context(tempfile.TemporaryFile(dir=self._folder)))
            self._opened = opened.pop_all()
        self._files = WarcFolder(self._folder, self._fields, self._max_bytes, self._originals, self._lines)

    def _close(self) -> None:
        self._originals.close()
        self._files.close()

    async def _attempt(self, work: Callable[[], object]) -> None:
        try:
            await asyncio.to_thread(work)
        except OSError as error:
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> ArchiveFailed:
        return ArchiveFailed(f"the archive {self._folder} cannot be written: {error}")

    # ---------------------------------------------------------------- in the thread

    def _write(self) -> None:
        while (jobs := self._batches.get()) is not None:
            self._write_batch(jobs)

    def _write_batch(self, jobs: list[_Job]) -> None:
        if self._failure is None:
            try:
                self._files.write_packed([packed for packed, _ in jobs], self._now())
            except Exception as error:  # bugs, too: unseen in this thread, they would let all callers wait for ever
                self._failure = error
        self._loop.call_soon_threadsafe(self._tell, [future for _, future in jobs])

    def _tell(self, futures: list[asyncio.Future[None]]) -> None:
        for future in futures:
            if future.done():  # the caller was cancelled
                continue
            if self._failure is None:
                future.set_result(None)
            else:
                future.set_exception(self._lasting(self._failure))

    def _lasting(self, failure: Exception) -> Exception:
        if isinstance(failure, OSError):
            return self._failed(failure)
        broken = ArchiveBroken(f"the archive {self._folder} is no longer being written")
        broken.__cause__ = failure
        return broken


def archive_failure(error: BaseException) -> ArchiveFailed | None:
    """Return the ArchiveFailed that an error is or contains; None if there is any other error.

    For a group in which all errors are ArchiveFailed, this is the first of them.
    """
    if isinstance(error, ArchiveFailed):
        return error
    if isinstance(error, BaseExceptionGroup):
        found = [archive_failure(each) for each in error.exceptions]
        return None if None in found else found[0]
    return None
