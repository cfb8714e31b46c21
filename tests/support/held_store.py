"""Writes pages to a store, and keeps it open until its stdin is closed: `python held_store.py STORE NUMBERS...`."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.records import DiscoveriesRecord, HostRecord, PageRecord


async def hold(store: Path, numbers: list[int]) -> None:
    found = [PageRecord(number, f"http://a.test/{number}", 0, "waiting", 1, 1, None, 0) for number in numbers]
    async with LinkStore(store) as opened:
        await opened.write([DiscoveriesRecord([HostRecord(0, "http://a.test", "a.test")], found)])
        await opened.begin_run(["crawl"], "{}", 1.0)
        print("written by", os.getpid(), flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(hold(Path(sys.argv[1]), list(map(int, sys.argv[2:]))))
