"""Runs of the crawler as the store reports them. Plain values; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple


class RunState(StrEnum):
    """The state of a run, or of the crawl of a whole store.

    Only a crawl can be STARTING: a process holds the store, but has not stored a run of its own yet.
    """

    STARTING = "starting"
    ENDED = "ended"
    RUNNING = "running"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class RunReport:
    """One start of the crawler; `progress` holds the counters as last reported, at `updated_at` (epoch seconds)."""

    number: int
    state: RunState
    started_at: float
    updated_at: float
    reason: str | None
    command: Sequence[str]
    progress: Mapping[str, Any]


def state_of(runs: Sequence[RunReport], holder: int | None) -> RunState | None:
    """Return the state of the crawl of a store; None if none has begun.

    `runs` are the newest first; `holder` is the id of the process that holds the store, None if none does.
    """
    newest = runs[0].state if runs else None
    return RunState.STARTING if holder is not None and newest is not RunState.RUNNING else newest


class StoredRun(NamedTuple):
    """A stored run: when it began, in epoch seconds, and its settings."""

    started_at: float
    settings: str
