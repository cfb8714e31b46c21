"""IndexNow notices that wait in a file beside a store: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class KeyState(StrEnum):
    """What is known about a key: whether it was checked, and whether the host confirms it."""

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
    """A key that senders of notices use for a host.

    `host` is scheme and authority; `location` is the URL of the file that must contain the key.
    """

    number: int
    host: str
    location: str
    key: str


@dataclass(frozen=True, slots=True)
class WaitingNotice:
    """A page that has changed according to a notice; `said_at` is when the notice arrived, in epoch seconds."""

    number: int
    url: str
    said_at: float


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """One of the latest notices, with the state of its key; `end` is None while the notice waits."""

    url: str
    said_at: float
    key_state: KeyState
    detail: str
    ended_at: float | None
    end: NoticeOutcome | None
