"""SIGINT and SIGTERM before a crawl has begun; tests/cli/test_process.py has those of a crawl under way."""

from __future__ import annotations

import asyncio
import os
import signal
from unittest.mock import create_autospec

import pytest

from crawler.cli.display import Display
from crawler.cli.interruption import Interruption
from crawler.endings import EndReason


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_who_is_told_once_with_nothing_under_way_has_stopped_as_it_should(number: signal.Signals) -> None:
    interruption = Interruption(create_autospec(Display, instance=True))
    with interruption.watching():
        os.kill(os.getpid(), number)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(60)
    task = asyncio.current_task()
    assert task is not None
    task.uncancel()
    assert interruption.is_abort
    assert interruption.reason is EndReason.STOPPED
