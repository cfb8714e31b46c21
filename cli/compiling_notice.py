"""Notices on stderr that loops are being compiled. Without these notices, a command that compiles seems to hang."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from hinterland.analysis.compile_events import watched
from hinterland.library.text.wording import duration

COMPILING: Final = "compiling, once on this machine"
_AGAIN_SECONDS: Final = 10.0
_CALM_SECONDS: Final = 1.0
"""Compilation counts as finished when nothing was compiled for this long: each loop is compiled at its first call."""
_LOOK_SECONDS: Final = 0.25


def _on_stderr(text: str) -> None:
    """Print a line to the current stderr. If there is a live display, the line appears above it."""
    print(text, file=sys.stderr, flush=True)


class CompilingNotice:
    """A Watcher (analysis.compiled) that prints notices. Mutable; called in any thread.

    It prints a line when compilation begins, after ten, twenty, forty seconds and so on, and when it ends. If the same
    command compiles again later, this is mentioned only if it takes ten seconds.
    """

    def __init__(self, say: Callable[[str], None] = _on_stderr, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with no compilation under way; `clock` returns seconds from any origin."""
        self._say = say
        self._clock = clock
        self._lock = threading.Lock()
        self._under_way = 0
        self._began: float | None = None
        self._ended, self._is_done = 0.0, True
        self._due = 0.0
        self._is_first, self._is_told = True, False

    def begins(self) -> None:
        """Record that a compilation has begun. Announce it if no other compilation is under way."""
        with self._lock:
            self._under_way += 1
            if self._began is None:
                self._began = self._clock()
                self._due = self._began + _AGAIN_SECONDS
                self._is_told = self._is_first
                if self._is_first:
                    self._say(COMPILING)
                self._is_first = False

    def ended(self, is_done: bool) -> None:
        """Record that a compilation has ended. `is_done` is False if it was interrupted."""
        with self._lock:
            self._under_way -= 1
            self._is_done = is_done
            self._ended = self._clock()

    def look(self) -> None:
        """Print how long the compilation has taken so far, if a notice is due."""
        with self._lock:
            if self._began is None:
                return
            now = self._clock()
            if not self._under_way and now - self._ended >= _CALM_SECONDS:
                self._end(self._began)
            elif now >= self._due:
                self._due = now + (now - self._began)
                self._is_told = True
                self._say(f"{COMPILING}: {duration(now - self._began)}")

    def close(self) -> None:
        """Print how long the compilation took, unless this has been printed already."""
        with self._lock:
            if self._began is not None:
                self._end(self._began)

    def _end(self, began: float) -> None:
        if self._is_told:
            took = duration(self._ended - began)
            self._say(f"compiled in {took}" if self._is_done else f"compiling was interrupted after {took}")
        self._began = None


@contextmanager
def compiling_notices(notice: CompilingNotice | None = None) -> Iterator[None]:
    """Print notices of compilations that happen inside the with block."""
    told, over = notice or CompilingNotice(), threading.Event()

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            told.look()

    threading.Thread(target=look, daemon=True, name="compiling notice").start()
    try:
        with watched(told):
            yield
    finally:
        over.set()
        told.close()
