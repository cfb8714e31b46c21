"""The state that a crawl continues from, as one value. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LeftWaiting:
    """A page outside the domain that an earlier run left waiting, not to be visited before `retry_at`.

    The time is in epoch seconds; None means at once.
    """

    urgency: float
    retry_at: float | None


@dataclass(slots=True)
class RestoredState:
    """State restored from the store, other than the frontier; empty for a new crawl.

    `fetched_since_refresh` is for a policy that continues from its last refresh; others are refreshed at the start.
    `attempts`, `charges` and `redirects` are those of the waiting pages (see PageAttempts). `retrying` are the waiting
    pages that are retried after a failure, not on a user's request. `heard` are hosts that have answered, the one asked
    last at the end. `seconds_ahead` is by how much the clock that wrote the store was ahead, as far as one can tell.
    """

    pages_fetched: int = 0
    fetched_since_refresh: int = 0
    last_visit: int = 0
    seconds_ahead: float = 0.0
    attempts: dict[int, int] = field(default_factory=dict)
    charges: dict[int, int] = field(default_factory=dict)
    retrying: list[int] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    redirects: dict[int, int] = field(default_factory=dict)
