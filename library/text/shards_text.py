"""The state of a crawl in shards before they are joined, in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.library.text.wording import counted, duration, number, size, table
from hinterland.storage.values.pages import PageCounts
from hinterland.storage.values.runs import RunState

SHARD_STATES: Final = ("fetched", "waiting", "failed", "refused")
"""The states that are counted. A page in one of these states is counted only by the shard to which it belongs."""
RUN_WORDS: Final[dict[RunState | None, str]] = {
    RunState.STARTING: "starting",
    RunState.RUNNING: "running",
    RunState.ENDED: "ended",
    RunState.KILLED: "not running here",
    None: "empty",
}


@dataclass(frozen=True, slots=True)
class ShardReport:
    """The state of a shard.

    `number` counts from 1. `run` is the state of its last run, None if it has begun no run. `written_at` is in epoch
    seconds.
    """

    number: int
    counts: PageCounts
    run: RunState | None
    size_bytes: int
    written_at: float


def shards_lines(name: str, parts: Sequence[ShardReport], now: float) -> list[str]:
    """Return the state of all shards as a table. `name` is the store into which they will be joined."""
    rows = [["shard", *SHARD_STATES, "size", "written", ""]]
    for part in parts:
        counts = [number(part.counts.of(state)) for state in SHARD_STATES]
        ago = f"{duration(max(0.0, now - part.written_at))} ago"
        rows.append([str(part.number), *counts, size(part.size_bytes), ago, RUN_WORDS[part.run]])
    sums = [number(sum(part.counts.of(state) for part in parts)) for state in SHARD_STATES]
    rows.append(["all", *sums, size(sum(part.size_bytes for part in parts)), "", ""])
    return [
        f"{name} does not exist yet: its crawl has {counted(len(parts), 'shard')}, which are joined when it ends.",
        *table(rows, right=range(1, 6)),
        "For a crawl on a Ray cluster these are copies, up to a minute old.",
    ]
