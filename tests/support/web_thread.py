"""A web served from a thread, for tests of what runs an event loop of its own in the main one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

W = TypeVar("W")
_SECONDS = 60.0


@contextmanager
def served(web: AbstractAsyncContextManager[W]) -> Iterator[W]:
    """The web, open until the block ends; pages may be added meanwhile."""
    opened: list[W] = []
    is_open, over = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with web as each:
            opened.append(each)
            is_open.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert is_open.wait(_SECONDS)
    try:
        yield opened[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(_SECONDS)
        loop.close()
