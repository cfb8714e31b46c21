"""Stops a crawl on Ctrl-C, SIGTERM, SIGHUP or a call.

At the first signal or call, the crawl finishes the visits in flight. At the second, it stops immediately. SIGHUP, which
comes when the terminal is closed, counts only if it is the first: shells and the system may both send it.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics
from hinterland.library.crawls.observer import CrawlObserver
from hinterland.library.text.wording import counted

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stoppable(Protocol):
    """A crawl that can be stopped, or several crawls that act as one."""

    def stop(self) -> None:
        """Finish the visits in flight and end."""

    def statistics(self) -> CrawlStatistics:
        """Return the counters of the crawl."""


class Interruption:
    """Knows which crawl to stop, and how often the user has asked for it. Mutable."""

    def __init__(self, observer: CrawlObserver) -> None:
        """Start without a crawl; `observer` receives notes on the effect of each Ctrl-C."""
        self._observer = observer
        self._task: asyncio.Task[object] | None = None
        self._presses = 0
        self.crawl: Stoppable | None = None
        self.is_abort = False
        self.is_over = False
        """Whether the crawl has ended, and only its summary is missing; signals are then ignored."""

    @property
    def reason(self) -> EndReason:
        """Why the running task was cancelled. One signal while no crawl is running counts as a normal stop."""
        return EndReason.STOPPED if self.crawl is None and self._presses == 1 else EndReason.ABORTED

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Handle signals for the running task inside the with block; signals after the second are ignored.

        Signals reach only the main thread: in other threads, call `press` instead.
        """
        loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        handlers = self._handlers() if threading.current_thread() is threading.main_thread() else {}
        for number, handler in handlers.items():
            loop.add_signal_handler(number, handler)
        try:
            yield
        finally:
            for number in handlers:
                loop.remove_signal_handler(number)

    def _handlers(self) -> dict[signal.Signals, Callable[[], None]]:
        handlers: dict[signal.Signals, Callable[[], None]] = dict.fromkeys(_SIGNALS, self.press)
        if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # nohup ignores it
            handlers[signal.SIGHUP] = self._hang_up
        return handlers

    async def settle(self) -> None:
        """Drop a cancellation that reached the task when its work was already done."""
        if self.is_abort and self._task is not None:
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                self._task.uncancel()

    def _hang_up(self) -> None:
        if not self._presses:
            self.press()

    def press(self) -> None:
        """Act as if the user had pressed Ctrl-C."""
        if self.is_over or self.is_abort:
            return
        self._presses += 1
        if self.crawl is not None and self._presses == 1:
            self.crawl.stop()
            statistics = self.crawl.statistics()
            visits = counted(statistics.frontier.in_flight + statistics.parser_backlog, "visit")
            self._observer.note(f"finishing {visits} in flight; Ctrl-C again stops at once")
            return
        self.is_abort = True
        if self.crawl is not None:
            self._observer.note("stopping at once; what was fetched is kept")
        assert self._task is not None
        self._task.cancel()
