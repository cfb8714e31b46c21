"""What shards of one crawl know of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

SHARDS_SUFFIX: Final = ".shards"
"""The parts of a crawl are in the folder that has the name of the store, with this at its end."""
CLUSTER_FILE: Final = "crawl.json"
"""In that folder: what is known of all parts. Whoever crawls holds its lock, as that of a store."""


@dataclass(frozen=True, slots=True)
class ShardMark:
    """Which part of which crawl a store is. crawl: its name, chosen by lot; number: from 0; epoch: of its owner, who
    may write to it as long as there is none with a higher one.
    """

    crawl: str
    number: int
    of: int
    epoch: int

    @property
    def has_predecessor(self) -> bool:
        """Whether there was an owner before: epochs begin with 1, and none is given twice."""
        return self.epoch > 1


class HandedOver(NamedTuple):
    """A page that belongs to another shard, or that another has to know of, in the columns of its table."""

    page: int
    shard: int
    depth: int
    redirects: int  # length of the redirect chain that led there


class FoundPage(NamedTuple):
    """The same, as the other shard is told. page: its number with the one that found it."""

    page: int
    url: str
    depth: int
    redirects: int


@dataclass(frozen=True, slots=True)
class UnacknowledgedRecord:
    """That shard may have lost what it had acknowledged."""

    shard: int


@dataclass(frozen=True, slots=True)
class AcknowledgedRecord:
    """These pages, each with its depth then, are in the store of that shard."""

    shard: int
    pages: Sequence[tuple[int, int]]
