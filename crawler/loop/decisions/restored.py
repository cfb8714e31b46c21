"""What a crawl goes on from, as one value. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LeftWaiting:
    """A page outside the domain that an earlier run let wait. retry_at: not to be visited before, epoch seconds."""

    urgency: float
    retry_at: float | None


@dataclass(slots=True)
class RestoredState:
    """What a store tells beside what waits; of a new crawl: nothing.

    fetched_since_refresh: of a policy that goes on from where it was refreshed last; others are refreshed at the start.
    attempts, charges, redirects: of the pages that wait (see PageAttempts); retrying: those of them that a failure, and
    not a user, lets wait again. heard: hosts that have answered, the one asked last at the end. seconds_ahead: by which
    the clock was ahead that wrote the store, as far as one can tell.
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
