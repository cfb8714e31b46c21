"""Runs asynchronous work for a program that may or may not have an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import uvloop

from hinterland.crawler.fetching.client import event_loop

T = TypeVar("T")


def run_to_end(work: Callable[[], Coroutine[Any, Any, T]], interrupt: Callable[[], None] | None = None) -> T:
    """Run asynchronous work to its end, and return its result.

    If an event loop is running already, as in a notebook, the work runs in another thread with a loop of its own.
    Ctrl-C then calls `interrupt` in that loop; if `interrupt` is None, Ctrl-C cancels the work.
    """
    if is_in_event_loop():
        return run_in_thread(work, interrupt)
    return uvloop.run(work(), loop_factory=event_loop.CrawlLoop)


def is_in_event_loop() -> bool:
    """Return whether an event loop is running in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def run_in_thread(work: Callable[[], Coroutine[Any, Any, T]], interrupt: Callable[[], None] | None = None) -> T:
    """Run asynchronous work in a thread with its own event loop, and wait for the result; see `run_to_end`."""
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []
    has_begun = threading.Event()

    async def begun() -> T:
        running.append((asyncio.get_running_loop(), asyncio.current_task()))
        has_begun.set()
        return await work()

    with ThreadPoolExecutor(1, "hinterland") as threads:
        result = threads.submit(uvloop.run, begun(), loop_factory=event_loop.CrawlLoop)
        while True:
            try:
                return result.result()
            except KeyboardInterrupt:
                has_begun.wait()
                loop, task = running[0]
                loop.call_soon_threadsafe(interrupt or (task.cancel if task is not None else loop.stop))
