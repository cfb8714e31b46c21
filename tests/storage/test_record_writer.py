"""Records become batches: in order, together, and the submitter of each learns what became of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from hinterland.storage.record_writer import RecordWriter
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import Record
from tests.support.crawling import wait_until


def record(number: int) -> HostStateRecord:
    return HostStateRecord(number, None, 0.0, 0.0, 0, 0, False)


class Store:
    """Remembers the batches; may be slow, may fail."""

    def __init__(self) -> None:
        self.batches: list[list[Record]] = []
        self.failure: Exception | None = None
        self.may_write = asyncio.Event()
        self.may_write.set()

    async def write(self, records: Sequence[Record]) -> None:
        await self.may_write.wait()
        if self.failure is not None:
            raise self.failure
        self.batches.append(list(records))

    @property
    def written(self) -> list[Record]:
        return [each for batch in self.batches for each in batch]


@asynccontextmanager
async def writing(store: Store, *, commit_seconds: float = 0.0, max_batch: int = 500) -> AsyncIterator[RecordWriter]:
    writer = RecordWriter(store.write, commit_seconds=commit_seconds, max_batch=max_batch)
    running = asyncio.create_task(writer.run())
    yield writer
    writer.close()
    await running


async def test_a_record_is_written_before_its_submitter_goes_on() -> None:
    store = Store()
    async with writing(store) as writer:
        await writer.submit(record(1))
        assert store.batches == [[record(1)]]
        await writer.submit(record(2), record(3))
        assert store.batches == [[record(1)], [record(2), record(3)]]


async def test_records_that_come_within_the_commit_time_share_a_batch_in_their_order() -> None:
    store = Store()
    async with writing(store, commit_seconds=0.02) as writer:
        await asyncio.gather(*(writer.submit(record(number)) for number in range(50)))
    assert store.batches == [[record(number) for number in range(50)]]


async def test_a_full_batch_does_not_wait_for_the_commit_time() -> None:
    store = Store()
    async with writing(store, commit_seconds=60.0, max_batch=10) as writer:
        async with asyncio.timeout(10):
            await asyncio.gather(*(writer.submit(record(number)) for number in range(10)))
    assert len(store.batches) == 1


async def test_what_comes_during_a_write_is_the_next_batch() -> None:
    store = Store()
    store.may_write.clear()
    async with writing(store) as writer:
        first = writer.submit(record(1))
        await wait_until(lambda: not writer._batch)
        rest = [writer.submit(record(number)) for number in (2, 3)]
        assert first is not rest[0]
        store.may_write.set()
        await asyncio.gather(*rest)
        assert first.done()
    assert store.batches == [[record(1)], [record(2), record(3)]]


async def test_closing_writes_what_is_left_and_does_not_wait_for_more() -> None:
    store = Store()
    async with asyncio.timeout(10), writing(store, commit_seconds=60.0) as writer:
        await asyncio.sleep(0)
        last = writer.submit(record(1))
        await asyncio.sleep(0)
    assert store.written == [record(1)]
    assert last.done()


async def test_closing_during_a_write_loses_nothing() -> None:
    store = Store()
    store.may_write.clear()
    async with writing(store) as writer:
        writer.submit(record(1))
        await wait_until(lambda: not writer._batch)
        writer.submit(record(2))
        writer.close()
        store.may_write.set()
    assert store.written == [record(1), record(2)]


async def test_without_records_nothing_is_written() -> None:
    store = Store()
    async with writing(store):
        await asyncio.sleep(0)
    assert store.batches == []


async def test_a_failed_write_fails_its_submitters_and_the_writer() -> None:
    store = Store()
    store.failure = OSError("disk full")
    writer = RecordWriter(store.write, commit_seconds=0.0, max_batch=500)
    commits = [writer.submit(record(number)) for number in range(3)]
    results = await asyncio.gather(writer.run(), *commits, return_exceptions=True)
    assert [str(result) for result in results] == ["disk full"] * 4


async def test_a_failed_write_that_nobody_waits_for_still_fails_the_writer() -> None:
    store = Store()
    store.failure = OSError("disk full")
    writer = RecordWriter(store.write, commit_seconds=0.0, max_batch=500)
    writer.submit(record(1))
    with pytest.raises(OSError, match="disk full"):
        await writer.run()


async def test_a_submitter_that_is_cancelled_does_not_take_its_record_back() -> None:
    store = Store()
    store.may_write.clear()

    async def submit(number: int) -> None:
        await writer.submit(record(number))

    async with writing(store) as writer:
        tasks = [asyncio.create_task(submit(number)) for number in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        store.may_write.set()
    await asyncio.wait(tasks)
    assert store.written == [record(number) for number in range(3)]
