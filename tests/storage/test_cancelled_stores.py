"""A store whose opening or closing is cancelled leaves nothing behind: no thread, no lock."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from hinterland.storage.link_store import LinkStore


async def opened_and_closed(path: Path) -> None:
    async with LinkStore(path):
        pass


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_whenever_it_is_cancelled_its_threads_end_and_it_can_be_opened_again(tmp_path: Path, times: int) -> None:
    """A leftover thread reports its result to a loop that is closed by then."""
    path, before = tmp_path / "s.db", set(threading.enumerate())
    await opened_and_closed(path)

    for turns in range(60):
        opening = asyncio.create_task(opened_and_closed(path))
        for _ in range(turns):
            await turn()
        for _ in range(times):
            opening.cancel()
            await turn()
        await asyncio.wait([opening])
        left = set(threading.enumerate()) - before
        assert not [each.name for each in left if "connection" in each.name]  # those of the executor wait for more
    await opened_and_closed(path)


async def turn() -> None:
    """Let the loop handle one event, of about sixty in which a store opens and closes."""
    await asyncio.sleep(0.0005)
