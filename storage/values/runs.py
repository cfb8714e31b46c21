"""Runs of the crawler as the store tells of them. Plain values, no behaviour; times are epoch seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple


class RunState(StrEnum):
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


class StoredRun(NamedTuple):
    """A run as read back: when it began, epoch seconds, and its settings as it stored them."""

    started_at: float
    settings: str
