"""A store whose opening or closing is cancelled leaves nothing behind: no thread, no lock."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from hinterland.storage.link_store import LinkStore
from tests.support.crawling import wait_until


async def opened_and_closed(path: Path) -> None:
    async with LinkStore(path):
        pass


async def test_whenever_it_is_cancelled_its_threads_end_and_it_can_be_opened_again(tmp_path: Path) -> None:
    """A leftover thread reports its result to a loop that is closed by then."""
    path, before = tmp_path / "s.db", set(threading.enumerate())
    await opened_and_closed(path)

    def left() -> list[str]:
        """Threads of connections; those of the loop's executor wait for more."""
        return [each.name for each in set(threading.enumerate()) - before if "connection" in each.name]

    for step in range(60):
        opening = asyncio.create_task(opened_and_closed(path))
        await asyncio.sleep(step / 4000)
        opening.cancel()
        await asyncio.wait([opening])
        await wait_until(lambda: not left())
    await opened_and_closed(path)
