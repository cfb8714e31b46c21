"""Reports the outcome and timing of a crawl's requests to its flow control."""

from __future__ import annotations

from collections.abc import Callable

from hinterland.crawler.fetching.client.observation import Observer
from hinterland.crawler.fetching.flow.flow import Flow
from hinterland.crawler.fetching.outcomes import OutcomeKind


class FlowObserver(Observer):
    """An observer of requests that reports to the flow control."""

    def __init__(self, flow: Flow, now: Callable[[], float]) -> None:
        """`now` is the clock of the flow, in epoch seconds."""
        self._flow = flow
        self._now = now

    def answered(
        self,
        host: str,
        *,
        first_byte_seconds: float,
        body_seconds: float,
        body_bytes: int,
        rtt: float | None,
    ) -> None:
        """Report an answer and its round-trip time."""
        self._flow.answered(host, rtt=rtt, now=self._now())

    def receive_window(self) -> int | None:
        """Return how many bytes a server may send unread; None to leave it to the system."""
        return self._flow.receive_window

    def timed_out(self, host: str, phase: OutcomeKind) -> None:
        """Report a time-out."""
        self._flow.timed_out(host, self._now())
