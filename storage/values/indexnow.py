"""Notices by which sites tell of changes, as they wait beside a store: plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class KeyState(StrEnum):
    """What is known of a key that came with a notice."""

    UNCHECKED = "unchecked"
    GOOD = "good"
    BAD = "bad"


class NoticeOutcome(StrEnum):
    """What became of a notice."""

    VISITED = "visited"  # the page was looked at since
    OUTSIDE = "outside"  # it is none that is crawled
    REFUSED = "refused"  # the key is not the host's


@dataclass(frozen=True, slots=True)
class IndexNowKey:
    """host: scheme and authority. location: the URL of the file that is to hold it."""

    number: int
    host: str
    location: str
    key: str


@dataclass(frozen=True, slots=True)
class WaitingNotice:
    """A page that is said to have changed; said_at: when that was said, epoch seconds."""

    number: int
    url: str
    said_at: float


@dataclass(frozen=True, slots=True)
class ShownNotice:
    """One of the latest, with what is known of its key. end: None while it waits."""

    url: str
    said_at: float
    key_state: KeyState
    detail: str
    ended_at: float | None
    end: NoticeOutcome | None
