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
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol

from hinterland.analysis.compile_events import compiling, watched
from hinterland.analysis.compiled import is_kept
from hinterland.distribution.installation import import_path

_rehearsed: Final = set["Rehearsal"]()
"""What this process is ready for."""


class Rehearsal(Protocol):
    """What a crawl computes with; hashable, and equal to another that compiles the same."""

    @property
    def is_empty(self) -> bool:
        """Whether it computes nothing."""
        ...

    @property
    def command(self) -> Sequence[str]:
        """The arguments of a Python that compiles all of it, and keeps it."""
        ...

    def rehearse(self) -> None:
        """Compute all of it; what was compiled and kept before is read."""


class Preparation:
    """Of one crawl. Mutable: whether all is ready. when_ready: called once, by `run`."""

    def __init__(self, rehearsal: Rehearsal | None = None) -> None:
        self.when_ready: Callable[[], None] = lambda: None
        self._rehearsal = rehearsal
        self._ended = asyncio.Event()
        self._is_stopped = False
        self._compiling_since: float | None = None
        if rehearsal is None or rehearsal.is_empty or rehearsal in _rehearsed:
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
        rehearsal = self._rehearsal
        if self.is_ready or rehearsal is None:
            return
        try:
            if not await asyncio.to_thread(_is_done, rehearsal, _Unwanted(lambda: True)):
                self._compiling_since = asyncio.get_running_loop().time()
                with compiling():
                    if is_kept():
                        await _compiled_elsewhere(rehearsal)
                    await asyncio.to_thread(_is_done, rehearsal, _Unwanted(lambda: self._is_stopped))
            _rehearsed.add(rehearsal)
        finally:
            self._is_stopped = True
            self._compiling_since = None
            self._ended.set()
        self.when_ready()


def _is_done(rehearsal: Rehearsal, unwanted: _Unwanted) -> bool:
    """Whether a rehearsal came to its end. In a thread of its own."""
    unwanted.thread = threading.get_ident()
    with suppress(_NotWanted), watched(unwanted):
        rehearsal.rehearse()
        return True
    return False


async def _compiled_elsewhere(rehearsal: Rehearsal) -> None:
    """In a process of its own, which ends with this one, or when this is cancelled. What it does not compile,
    whatever the reason, is compiled here afterwards.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *rehearsal.command),
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
