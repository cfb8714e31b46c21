"""Only the last owner of a shard writes to it."""

from __future__ import annotations

import fcntl
from dataclasses import replace
from pathlib import Path

import pytest

from hinterland.storage.link_store import LinkStore
from hinterland.storage.shard_fence import Fenced
from hinterland.storage.store_connections import StoreError
from hinterland.storage.values.records import DiscoveriesRecord, HostRecord
from hinterland.storage.values.shards import ShardMark
from tests.support.crawling import rows

MARK = ShardMark("a crawl", 0, 4, 1)
FOUND = DiscoveriesRecord([HostRecord(0, "https://a.example", "a.example")])


async def test_a_commit_of_an_earlier_owner_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "0.db"
    monkeypatch.delattr(fcntl, "F_OFD_SETLK")  # as on another machine, where no lock holds
    async with LinkStore(path) as zombie:
        await zombie.own(MARK)
        path.with_name("0.db.lock").unlink()
        async with LinkStore(path) as store:
            await store.own(replace(MARK, epoch=2))
            with pytest.raises(Fenced, match="its epoch is 2, not 1"):
                await zombie.write([FOUND])
            assert rows(path, "SELECT count(*) FROM host") == [(0,)]
            await store.write([FOUND])
    assert rows(path, "SELECT count(*) FROM host") == [(1,)]


async def test_an_earlier_owner_does_not_come_back(tmp_path: Path) -> None:
    async with LinkStore(tmp_path / "0.db") as store:
        await store.own(replace(MARK, epoch=2))
        with pytest.raises(Fenced, match="taken over by a later process"):
            await store.own(MARK)


@pytest.mark.parametrize(
    "other, message",
    [
        (replace(MARK, crawl="other"), "belong to different crawls"),
        (replace(MARK, number=1), "is shard 1 of 4, not shard 2 of 4"),
        (replace(MARK, of=8), "is shard 1 of 4, not shard 1 of 8"),
    ],
)
async def test_a_store_of_something_else_is_not_owned(tmp_path: Path, other: ShardMark, message: str) -> None:
    async with LinkStore(tmp_path / "0.db") as store:
        await store.own(MARK)
        with pytest.raises(StoreError, match=message):
            await store.own(other)


async def test_a_whole_crawl_is_not_a_shard(tmp_path: Path) -> None:
    async with LinkStore(tmp_path / "0.db") as store:
        await store.begin_run(["crawl"], "{}", 0.0)
        with pytest.raises(StoreError, match="holds a whole crawl"):
            await store.own(MARK)
