"""The state from which a crawl continues, as one value. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LeftWaiting:
    """A page outside the domain that an earlier run left waiting.

    `retry_at` is the earliest time of its next visit, in epoch seconds; None means that it may be visited immediately.
    """

    urgency: float
    retry_at: float | None


@dataclass(slots=True)
class RestoredState:
    """The state that is restored from the store, apart from the frontier; empty for a new crawl.

    `fetched_since_refresh` is for policies that continue from their last refresh; all others are refreshed at the
    start. `attempts`, `charges` and `redirects` hold numbers for the waiting pages (see PageAttempts). `retrying` are
    the waiting pages that are retried because of a failure, not by request of a user. `heard` are hosts that have
    answered, in the order of their last request. `seconds_ahead` is an estimate of how far the clock that wrote the
    store was ahead of this one.
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
