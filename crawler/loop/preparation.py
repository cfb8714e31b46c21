"""Compiles the numerical code of a crawl while its first visits are made.

The first compilation on a machine takes half a minute of CPU time and holds the interpreter's lock; loading the
compiled code takes two or three seconds. So another process compiles and caches the code, and this one only loads it.
Until then, pages are visited in the order that the policy gave them at their discovery, and no sampling round begins.
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

_warmed_up: Final = set["WarmUp"]()
"""The computations whose compiled code this process has loaded already."""


class WarmUp(Protocol):
    """The computations of a crawl that need compiling. Hashable; objects that compile the same code are equal."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing needs to be compiled."""
        ...

    @property
    def command(self) -> Sequence[str]:
        """The arguments of a Python process that compiles and caches everything."""
        ...

    def run(self) -> None:
        """Run every computation once; cached code is only loaded."""


class Preparation:
    """Compiles the code of one crawl, and says whether it is ready. Mutable. `run` calls `when_ready` once."""

    def __init__(self, warm_up: WarmUp | None = None) -> None:
        """Start unprepared if there is something to compile that this process has not loaded before."""
        self.when_ready: Callable[[], None] = lambda: None
        self._warm_up = warm_up
        self._ended = asyncio.Event()
        self._is_stopped = False
        self._compiling_since: float | None = None
        if warm_up is None or warm_up.is_empty or warm_up in _warmed_up:
            self._ended.set()

    @property
    def is_ready(self) -> bool:
        """Whether everything is compiled, or `run` has ended early."""
        return self._ended.is_set()

    @property
    def compiling_seconds(self) -> float | None:
        """How long the compilation under way has taken so far, in seconds; None if there is none."""
        since = self._compiling_since
        return None if since is None else asyncio.get_running_loop().time() - since

    async def wait(self) -> None:
        """Wait until everything is compiled, or `run` has ended early."""
        await self._ended.wait()

    async def run(self) -> None:
        """Compile alongside the crawl; call it only once, even if it was cancelled."""
        warm_up = self._warm_up
        if self.is_ready or warm_up is None:
            return
        try:
            if not await asyncio.to_thread(_is_done, warm_up, _Unwanted(lambda: True)):
                self._compiling_since = asyncio.get_running_loop().time()
                with compiling():
                    if is_kept():
                        await _compiled_elsewhere(warm_up)
                    await asyncio.to_thread(_is_done, warm_up, _Unwanted(lambda: self._is_stopped))
            _warmed_up.add(warm_up)
        finally:
            self._is_stopped = True
            self._compiling_since = None
            self._ended.set()
        self.when_ready()


def _is_done(warm_up: WarmUp, unwanted: _Unwanted) -> bool:
    """Make the computations in the calling thread; return whether that was completed."""
    unwanted.thread = threading.get_ident()
    with suppress(_NotWanted), watched(unwanted):
        warm_up.run()
        return True
    return False


async def _compiled_elsewhere(warm_up: WarmUp) -> None:
    """Compile in another process, which ends when this process does or when this task is cancelled.

    What the other process fails to compile is compiled in this process afterwards.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *warm_up.command),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is meant for the crawl
            env={**os.environ, "PYTHONPATH": import_path()},
        )
    except OSError:  # too many processes, or out of memory
        return
    try:
        await process.wait()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


class _NotWanted(Exception):
    """Raised to cancel a compilation that is no longer wanted."""


class _Unwanted:
    """A Watcher that cancels compilations in one thread while they are unwanted."""

    def __init__(self, is_unwanted: Callable[[], bool]) -> None:
        """`is_unwanted` is called before each compilation in the thread."""
        self.thread = 0
        self._is_unwanted = is_unwanted

    def begins(self) -> None:
        """Raise _NotWanted if this thread is about to compile something unwanted."""
        if threading.get_ident() == self.thread and self._is_unwanted():
            raise _NotWanted

    def ended(self, is_done: bool) -> None:
        """Ignore the end of a compilation."""
