"""IndexNow notices as they wait beside a store: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class KeyState(StrEnum):
    """What is known about the key of a notice."""

    UNCHECKED = "unchecked"
    GOOD = "good"
    BAD = "bad"


class NoticeOutcome(StrEnum):
    """What became of a notice."""

    VISITED = "visited"  # the page was visited after the notice
    OUTSIDE = "outside"  # the page is outside the scope of the crawl
    REFUSED = "refused"  # the key is not the host's


@dataclass(frozen=True, slots=True)
class IndexNowKey:
    """A key of a host.

    `host` is scheme and authority; `location` is the URL of the file that must contain the key.
    """

    number: int
    host: str
    location: str
    key: str


@dataclass(frozen=True, slots=True)
class WaitingNotice:
    """A page that has changed according to a notice; `said_at` is when it arrived, in epoch seconds."""

    number: int
    url: str
    said_at: float


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """One of the latest notices, with the state of its key; `end` is None while it waits."""

    url: str
    said_at: float
    key_state: KeyState
    detail: str
    ended_at: float | None
    end: NoticeOutcome | None
