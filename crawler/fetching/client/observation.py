"""The interface of observers of requests, and the number of requests in each phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.crawler.fetching.outcomes import OutcomeKind


class Observer:
    """Base class of observers, which are called at each step of each request. This class does nothing.

    The calls are synchronous and made immediately. Times are in seconds.
    """

    def connected(self, host: str, seconds: float) -> None:
        """Note that a TCP connection was made to `host`, such as "https://a.example"."""

    def answered(
        self,
        host: str,
        *,
        first_byte_seconds: float,
        body_seconds: float,
        body_bytes: int,
        rtt: float | None,
    ) -> None:
        """Note that an answer was read.

        `first_byte_seconds` is the time from the request to the end of the answer's head. `body_bytes` counts bytes as
        sent. `rtt` is the last round-trip time of the connection's packets; None if the system does not report it.
        """

    def timed_out(self, host: str, phase: OutcomeKind) -> None:
        """Note that a request ran out of time; `phase` is the kind of outcome reported."""

    def receive_window(self) -> int | None:
        """Return how many bytes a server may send before they are read; None to let the system decide."""
        return None


NO_OBSERVER: Final = Observer()


@dataclass(slots=True)
class PhaseCounts:
    """The number of requests in each phase now. Mutable: the fetcher counts, others only read.

    The requests in `queued` have large bodies, and wait until other large bodies have been read.
    """

    naming: int = 0
    connecting: int = 0
    handshaking: int = 0
    awaiting_first_byte: int = 0
    reading: int = 0
    queued: int = 0

    @property
    def under_way(self) -> int:
        """The number of requests in all phases."""
        return self.naming + self.connecting + self.handshaking + self.awaiting_first_byte + self.reading + self.queued
