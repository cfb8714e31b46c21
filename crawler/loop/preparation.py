"""Has what a crawl computes with compiled while its first visits are made.

To compile it takes half a minute of a processor, the first time on a machine, and holds the interpreter's lock; to
read what was kept takes two or three seconds. So it is compiled in a process of its own, which keeps it, and only read
here. Until that is done, pages are visited in the order that the policy gives them when they are found, and no round of
a hinterland begins.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple
from typing import Final

from hinterland.analysis.compile_events import compiling, watched
from hinterland.analysis.compiled import is_kept
from hinterland.crawler.assembly.rehearsal import Needs
from hinterland.distribution.installation import import_path

_rehearsed: Final = set[Needs]()
"""What this process is ready for."""


class Preparation:
    """Of one crawl. Mutable: whether all is ready. when_ready: called once, by `run`."""

    def __init__(self, needs: Needs) -> None:
        self.when_ready: Callable[[], None] = lambda: None
        self._needs = needs
        self._ended = asyncio.Event()
        self._is_stopped = False
        self._compiling_since: float | None = None
        if needs == Needs() or needs in _rehearsed:
            self._ended.set()

    @property
    def is_ready(self) -> bool:
        return self._ended.is_set()

    @property
    def compiling_seconds(self) -> float | None:
        """How long it has been compiling; None if it is not."""
        since = self._compiling_since
        return None if since is None else asyncio.get_running_loop().time() - since

    async def wait(self) -> None:
        """Until all is ready, or `run` has ended without that."""
        await self._ended.wait()

    async def run(self) -> None:
        """Beside the crawl; once, and not again when it was cancelled."""
        if self.is_ready:
            return
        try:
            if not await asyncio.to_thread(self._rehearsed, _Unwanted(lambda: True)):
                self._compiling_since = asyncio.get_running_loop().time()
                with compiling():
                    if is_kept():
                        await self._compiled_elsewhere()
                    await asyncio.to_thread(self._rehearsed, _Unwanted(lambda: self._is_stopped))
            _rehearsed.add(self._needs)
        finally:
            self._is_stopped = True
            self._compiling_since = None
            self._ended.set()
        self.when_ready()

    def _rehearsed(self, unwanted: _Unwanted) -> bool:
        """Whether it came to its end. In a thread of its own."""
        unwanted.thread = threading.get_ident()
        with suppress(_NotWanted), watched(unwanted):
            self._needs.rehearse()
            return True
        return False

    async def _compiled_elsewhere(self) -> None:
        """In a process of its own, which ends with this one, or when this is cancelled. What it does not compile,
        whatever the reason, is compiled here afterwards."""
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", f"{__package__}.rehearsal", *astuple(self._needs)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for whoever crawls
                env={**os.environ, "PYTHONPATH": import_path()},
            )
        except OSError:  # there are too many processes, or there is no memory
            return
        try:
            await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class _NotWanted(Exception):
    """Something was to be compiled that should not be."""


class _Unwanted:
    """A Watcher that ends what is compiled in one thread, if that is not wanted, or not any more."""

    def __init__(self, is_unwanted: Callable[[], bool]) -> None:
        self.thread = 0
        self._is_unwanted = is_unwanted

    def begins(self) -> None:
        if threading.get_ident() == self.thread and self._is_unwanted():
            raise _NotWanted

    def ended(self, is_done: bool) -> None:
        pass
