"""What it costs the store to go on: writing visits, stopping, and beginning again.

    python -m benchmarks.store_growth FILE [--visits 20000]

Writes visits of a crawl into a store of `benchmarks.million_pages make`, without fetching anything: each visits a page
that waits, links to three new pages (two of its own host, one of any host) and nine known ones, the early ones most
often. Tells for each page the CPU time and the bytes given to the system to be written; then what a stop and the next
start cost. The store is changed: measure copies. It is the worst case for the indexes that pages and hosts are anywhere
in the store.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from hinterland.storage.link_store import LinkStore
from hinterland.storage.record_writer import MAX_BATCH
from hinterland.storage.values.compression import packed
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import ContentRecord, LinkColumns, PageRecord, Record, VisitRecord

_NEW, _KNOWN = 3, 9
_TEXT: Final = packed(" ".join(f"word{number * 7919 % 5003}" for number in range(150)))


@dataclass(frozen=True, slots=True)
class Cost:
    """What something cost: CPU and other seconds, and the bytes written."""

    cpu: float
    clock: float
    written: int


class Meter:
    """Measures this process."""

    def __init__(self) -> None:
        """Begin."""
        self._last = self._now()

    def since(self) -> Cost:
        """Return the cost since the last call."""
        last, self._last = self._last, self._now()
        return Cost(self._last.cpu - last.cpu, self._last.clock - last.clock, self._last.written - last.written)

    @staticmethod
    def _now() -> Cost:
        written = Path("/proc/self/io").read_text().partition("wchar: ")[2].split()[0]
        return Cost(time.process_time(), time.perf_counter(), int(written))


class Web:
    """Visits that continue a store."""

    def __init__(self, store: Path, seed: int) -> None:
        """Read what the store knows."""
        self._random = random.Random(seed)
        with closing(sqlite3.connect(store)) as connection:
            self.waiting = connection.execute(
                "SELECT id, host FROM page WHERE state = 'waiting' AND is_local"
            ).fetchall()
            [(self._pages,)] = connection.execute("SELECT max(id) + 1 FROM page")
            [(self._visit,)] = connection.execute("SELECT coalesce(max(visit), 0) FROM fetch")
            self._hosts = [url for (url,) in connection.execute("SELECT url FROM host ORDER BY id")]
        self._random.shuffle(self.waiting)

    def batch(self, size: int) -> list[Record]:
        """Return the records of some visits."""
        return [self._visited(*self.waiting.pop()) for _ in range(size)]

    def _visited(self, page: int, host: int) -> VisitRecord:
        self._visit += 1
        hosts = [host, host, self._random.randrange(len(self._hosts))][:_NEW]
        new = [
            PageRecord(
                number,
                f"{self._hosts[each]}/grown/{number * 2654435761 % 2**32:x}/{number}",
                each,
                "known",
                0,
                9,
                page,
                0,
            )
            for number, each in enumerate(hosts, self._pages)
        ]
        self._pages += len(new)
        known = {int(self._pages * self._random.random() ** 2) for _ in range(_KNOWN)} - {each.number for each in new}
        targets = sorted({*known, *(each.number for each in new)})
        count = len(targets)
        state = HostStateRecord(host, None, 1e9, 1.0, 0, 9, False)
        return VisitRecord(
            self._visit, page, "fetched", "fetched", "", 1, 1e9, 0.2, state,
            status=200, content_type="text/html", charset="utf-8", wire_bytes=4_000, body_bytes=16_000,
            body_hash=sha256(str(page).encode()).digest()[:16], title=f"Page {page}", new_pages=new,
            links=LinkColumns(targets, bytes(count), bytes(count), ["what it says"] * count),
            content=ContentRecord(_TEXT, "[]", None, b""),
        )  # fmt: skip


async def measure(path: Path, visits: int, batch: int) -> None:
    """Write visits, stop and begin again."""
    web = Web(path, 1)
    log = path.with_name(path.name + "-wal")
    meter, longest_log = Meter(), 0
    async with LinkStore(path) as store:
        opened = meter.since()
        run = await store.begin_run([], "{}", 1.0)
        begun = meter.since()
        rest = Cost(0.0, 0.0, 0)
        slowest = 0.0
        meter.since()
        for _ in range(visits // batch):
            records = web.batch(batch)
            meter.since()  # without the time to draw them
            await store.write(records)
            cost = meter.since()
            rest = Cost(rest.cpu + cost.cpu, rest.clock + cost.clock, rest.written + cost.written)
            slowest = max(slowest, cost.cpu)
            longest_log = max(longest_log, _size(log))
        pages = visits // batch * batch
        print(f"opened: {_told(opened)}; begun: {_told(begun)}")
        print(
            f"{pages:,} visits: {rest.cpu / pages * 1e6:.0f} µs of CPU a page, {rest.written / pages / 1e3:.1f} KB"
            f" written; slowest batch {slowest * 1e3:.0f} ms of CPU; log at most {longest_log / 1e6:.0f} MB"
        )
        meter.since()
        await store.end_run(run, "stopped", {}, 2.0)
        ended = meter.since()
    closed = meter.since()
    print(f"stop: {_told(ended)}; close: {_told(closed)}")


def _size(path: Path) -> int:
    return path.stat().st_size


def _told(cost: Cost) -> str:
    return f"{cost.cpu:.2f} s of CPU, {cost.clock:.2f} by the clock, {cost.written / 1e6:.1f} MB written"


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--visits", type=int, default=20_000, help="visits to write (default 20,000)")
    parser.add_argument("--batch", type=int, default=MAX_BATCH, help=f"visits of a transaction (default {MAX_BATCH})")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.store, arguments.visits, arguments.batch))


if __name__ == "__main__":
    main()
