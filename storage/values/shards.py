"""What the shards of a crawl store about each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

SHARDS_SUFFIX: Final = ".shards"
"""The shards of a crawl are in a folder named like the store, with this suffix."""
CLUSTER_FILE: Final = "crawl.json"
"""The file in that folder with what is known about all shards. A running crawl holds its lock, like that of a store."""


@dataclass(frozen=True, slots=True)
class ShardMark:
    """Which shard of which crawl a store is.

    `crawl` is the random name of the crawl, and `number` counts from 0. `epoch` is the epoch of the owner, the only
    process that may write to the store. It stays the owner until a process with a higher epoch claims the store.
    """

    crawl: str
    number: int
    of: int
    epoch: int

    @property
    def has_predecessor(self) -> bool:
        """Whether the shard had an earlier owner; the first owner has epoch 1."""
        return self.epoch > 1


class HandedOver(NamedTuple):
    """A page to be forwarded to another shard, which owns it or must know it; a row of its table."""

    page: int
    shard: int
    depth: int
    redirects: int  # length of the redirect chain that led there


class FoundPage(NamedTuple):
    """A forwarded page as sent to the other shard; `page` is its number in the shard that found it."""

    page: int
    url: str
    depth: int
    redirects: int


@dataclass(frozen=True, slots=True)
class UnacknowledgedRecord:
    """A note that a shard may have lost pages that it had acknowledged, so that they are sent again."""

    shard: int


@dataclass(frozen=True, slots=True)
class AcknowledgedRecord:
    """A note that forwarded pages are in the store of the shard that received them.

    `pages` holds (page, depth at which it was sent).
    """

    shard: int
    pages: Sequence[tuple[int, int]]
