"""A deadline is kept, and does not run out while the event loop is kept from its work."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hinterland.crawler.fetching.client.deadline import Deadline, LoopDelays
from tests.support.blocked_loop import block_the_loop


@contextmanager
def delays() -> Iterator[LoopDelays]:
    measured = LoopDelays()
    measured.start()
    try:
        yield measured
    finally:
        measured.stop()


async def for_ever(deadline: Deadline, *allowed: float, blocked: float = 0.0) -> None:
    """Wait for what never comes, as long as the deadline allows. blocked: how long the event loop is, seconds."""
    async with deadline:
        for seconds in allowed:
            deadline.allow(seconds)
        await asyncio.sleep(0)
        block_the_loop(blocked)
        await asyncio.Event().wait()


async def test_a_block_that_takes_too_long_is_broken_off() -> None:
    with delays() as measured, pytest.raises(TimeoutError):
        await for_ever(Deadline(measured), 0.05)


async def test_a_block_that_is_over_in_time_leaves_nothing_behind() -> None:
    with delays() as measured:
        deadline = Deadline(measured)
        async with deadline:
            deadline.allow(0.02)
        await asyncio.sleep(0.06)


async def test_a_later_deadline_takes_the_place_of_an_earlier_one_and_the_other_way_round() -> None:
    with delays() as measured:
        deadline = Deadline(measured)
        async with deadline:
            deadline.allow(0.02)
            deadline.allow(3600.0)
            await asyncio.sleep(0.06)
        with pytest.raises(TimeoutError):
            await for_ever(Deadline(measured), 3600.0, 0.02)


async def test_while_it_is_suspended_the_time_stands_still() -> None:
    with delays() as measured:
        deadline = Deadline(measured)
        async with deadline:
            deadline.allow(0.02)
            deadline.suspend()
            await asyncio.sleep(0.06)
            deadline.allow(3600.0)


async def test_cancelling_the_task_is_no_timeout() -> None:
    async def waits() -> None:
        with delays() as measured:
            deadline = Deadline(measured)
            async with deadline:
                deadline.allow(3600.0)
                await asyncio.Event().wait()

    task = asyncio.ensure_future(waits())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


async def test_what_was_ready_when_the_loop_was_blocked_is_in_time() -> None:
    with delays() as measured:
        ready = asyncio.get_running_loop().create_future()
        deadline = Deadline(measured)
        async with deadline:
            deadline.allow(0.1)
            asyncio.get_running_loop().call_later(0.09, ready.set_result, None)
            await asyncio.sleep(0)
            block_the_loop(0.5)
            await ready


async def test_time_in_which_the_loop_was_blocked_does_not_count_even_if_it_is_over_before_the_deadline() -> None:
    with delays() as measured:
        deadline = Deadline(measured)
        async with deadline:
            deadline.allow(1.0)
            await asyncio.sleep(0.01)
            block_the_loop(0.8)
            await asyncio.sleep(0.5)


async def test_a_loop_that_was_blocked_once_does_not_excuse_a_peer_that_never_answers() -> None:
    with delays() as measured, pytest.raises(TimeoutError):
        await for_ever(Deadline(measured), 0.1, blocked=0.3)


async def drips(deadline: Deadline, late: float) -> None:
    """Read a thousand bytes, one a millisecond; each earns a microsecond. late: seconds since when it is over."""
    async with deadline:
        due = asyncio.get_running_loop().time() - late
        for byte in range(1000):
            deadline.allow_until(due + byte * 1e-6)
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("late", [0.05, 1.0, 3600.0])
async def test_a_body_that_drips_cannot_put_off_the_end_with_each_byte(late: float) -> None:
    with delays() as measured, pytest.raises(TimeoutError):
        await drips(Deadline(measured), late)
