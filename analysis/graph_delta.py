"""What one shard has learnt about links since the last request, as sent to the process that joins all shards."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, gathered
from hinterland.analysis.compiled import compiled
from hinterland.analysis.gap_coding import coded, coded_rows, decoded, decoded_rows, inflated
from hinterland.analysis.graph import BoolArray, Graph, IntArray, OffsetArray

NameArray = NDArray[np.uint64]
"""Names of pages that all shards agree on: 48-bit hashes of their URLs."""


NAME_BYTES: Final = 6

Urgencies = NDArray[np.float32]
"""Urgencies of waiting pages, as sent back to a shard; exact enough to sort by."""


class Cursor(NamedTuple):
    """How much of a shard the receiver knows: the numbers of its pages, hosts and crawled pages."""

    pages: int = 0
    hosts: int = 0
    crawled: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class GraphDelta:
    """What a shard has learnt; pages and hosts have the shard's own numbers.

    since         what the receiver knew before this delta
    hosts         the URLs of new hosts
    page_hosts    the host of each of the n known pages, shape (n,)
    is_local      which known pages are local, shape (n,)
    names         the names of new pages whose hosts belong to other shards, in the order of their numbers
    asked         new pages about which another shard had asked before this shard knew them
    asked_names   the names of these pages
    order         the newly crawled pages; see CrawledGraph, which also explains `ends` and `targets`
    waiting       the waiting pages, ascending
    """

    since: Cursor
    hosts: Sequence[str]
    page_hosts: IntArray
    names: NameArray
    asked: IntArray
    asked_names: NameArray
    is_local: BoolArray
    order: IntArray
    ends: OffsetArray
    targets: IntArray
    waiting: IntArray

    @property
    def until(self) -> Cursor:
        """What the receiver knows after it has taken this delta."""
        since = self.since
        return Cursor(len(self.is_local), since.hosts + len(self.hosts), since.crawled + len(self.order))

    def packed(self) -> PackedDelta:
        """Return the packed delta, which does not keep the crawl order.

        Pages are grouped by host and, within a host, numbered in order of discovery. Most links of a page then lead to
        pages with similar numbers.
        """
        ranks = _ranks_by_host(self.page_hosts, self.until.hosts)
        graph = Graph.from_rows(ranks[self.order], self.ends, ranks[self.targets], len(ranks))
        crawled = np.sort(ranks[self.order])
        waits = np.zeros(len(self.is_local), np.bool_)
        waits[self.waiting] = True
        return PackedDelta(
            since=self.since,
            until=self.until,
            links=len(self.targets),
            hosts=zlib.compress("\n".join(self.hosts).encode()),
            page_hosts=coded(self.page_hosts[self.since.pages :]),
            names=_packed_names(self.names),
            asked=coded(self.asked),
            asked_names=_packed_names(self.asked_names),
            is_local=_packed_bits(self.is_local),
            waits=_packed_bits(waits),
            rows=coded_rows(crawled, graph.offsets[1:][crawled], graph.targets),
        )


@dataclass(frozen=True, slots=True)
class PackedDelta:
    """A packed GraphDelta. Names are hashes, so they are not compressed.

    `waits` has one bit for each known page, which says whether the page is waiting.
    """

    since: Cursor
    until: Cursor
    links: int
    hosts: bytes
    page_hosts: bytes
    names: bytes
    asked: bytes
    asked_names: bytes
    is_local: bytes
    waits: bytes
    rows: bytes

    @property
    def size(self) -> int:
        """The size in bytes."""
        values = [getattr(self, field.name) for field in fields(self)]
        return sum(len(value) for value in values if isinstance(value, bytes))

    def unpacked(self, page_hosts: IntArray, zeros: Allocator = np.zeros) -> GraphDelta:
        """Return the delta.

        `page_hosts` holds the hosts of the pages that the receiver knew before; `zeros` allocates links. Raises
        ValueError for a damaged delta.
        """
        since, until = self.since, self.until
        asked_names = _unpacked_names(self.asked_names)
        page_hosts = np.concatenate([page_hosts, decoded(self.page_hosts, until.pages - since.pages)])
        ranks = _ranks_by_host(page_hosts, until.hosts)
        pages = np.empty_like(ranks)
        pages[ranks] = np.arange(len(ranks), dtype=np.int32)
        text = inflated(self.hosts).tobytes().decode()
        order, ends, targets = decoded_rows(self.rows, until.crawled - since.crawled, self.links)
        return GraphDelta(
            since=since,
            hosts=text.split("\n") if text else [],
            page_hosts=page_hosts,
            names=_unpacked_names(self.names),
            asked=decoded(self.asked, len(asked_names)),
            asked_names=asked_names,
            is_local=_unpacked_bits(self.is_local, until.pages),
            order=pages[order],
            ends=ends,
            targets=gathered(pages, targets, zeros),
            waiting=np.flatnonzero(_unpacked_bits(self.waits, until.pages)).astype(np.int32),
        )


@compiled
def _ranks_by_host(page_hosts: IntArray, hosts: int) -> IntArray:
    """Return the place, from 0, of each page if pages are sorted by host and then by number; shape (n,)."""
    places = np.zeros(hosts + 1, np.int32)
    for host in page_hosts:
        places[host + 1] += 1
    for host in range(hosts):
        places[host + 1] += places[host]
    ranks = np.empty(len(page_hosts), np.int32)
    for page in range(len(page_hosts)):
        ranks[page] = places[page_hosts[page]]
        places[page_hosts[page]] += 1
    return ranks


def _packed_names(names: NameArray) -> bytes:
    return names.astype("<u8").view(np.uint8).reshape(-1, 8)[:, :NAME_BYTES].tobytes()


def _unpacked_names(code: bytes) -> NameArray:
    names = np.zeros((len(code) // NAME_BYTES, 8), np.uint8)
    names[:, :NAME_BYTES] = np.frombuffer(code, np.uint8).reshape(-1, NAME_BYTES)
    return names.view("<u8").ravel().astype(np.uint64)


def _packed_bits(flags: BoolArray) -> bytes:
    return zlib.compress(np.packbits(flags).data)


def _unpacked_bits(code: bytes, count: int) -> BoolArray:
    return np.unpackbits(inflated(code), count=count).astype(np.bool_)


def warm_up() -> None:
    """Compile the functions that pack deltas, so that the first delta does not have to wait."""
    none, flags = np.empty(0, np.int32), np.empty(0, np.bool_)
    names, ends = np.empty(0, np.uint64), np.empty(0, np.int64)
    empty = GraphDelta(
        since=Cursor(),
        hosts=[],
        page_hosts=none,
        names=names,
        asked=none,
        asked_names=names,
        is_local=flags,
        order=none,
        ends=ends,
        targets=none,
        waiting=none,
    )
    empty.packed().unpacked(none)
