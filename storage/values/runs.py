"""Runs of the crawler as the store tells of them. Plain values, no behaviour; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple


class RunState(StrEnum):
    """How a run stands, or the crawl of a whole store: that is STARTING while a process holds the store and has written
    no run of its own, which no run is.
    """

    STARTING = "starting"
    ENDED = "ended"
    RUNNING = "running"
    KILLED = "killed"


@dataclass(frozen=True, slots=True)
class RunReport:
    """One start of the crawler. progress: the counters it last reported, at updated_at."""

    number: int
    state: RunState
    started_at: float
    updated_at: float
    reason: str | None
    command: Sequence[str]
    progress: Mapping[str, Any]


def state_of(runs: Sequence[RunReport], holder: int | None) -> RunState | None:
    """How the crawl of a store stands; None if none has begun. runs: the newest first; holder: the process that holds
    the store, None if none does.
    """
    newest = runs[0].state if runs else None
    return RunState.STARTING if holder is not None and newest is not RunState.RUNNING else newest


class StoredRun(NamedTuple):
    """A run as read back: when it began, epoch seconds, and its settings as it stored them."""

    started_at: float
    settings: str
