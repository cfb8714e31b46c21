"""Tells the flow of a crawl what its requests have met."""

from __future__ import annotations

from collections.abc import Callable

from hinterland.crawler.fetching.client.observation import Observer
from hinterland.crawler.fetching.flow.flow import Flow
from hinterland.crawler.fetching.outcomes import OutcomeKind


class FlowObserver(Observer):
    """now: the clock of the flow."""

    def __init__(self, flow: Flow, now: Callable[[], float]) -> None:
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
        self._flow.answered(host, rtt=rtt, now=self._now())

    def receive_window(self) -> int | None:
        return self._flow.receive_window

    def timed_out(self, host: str, phase: OutcomeKind) -> None:
        self._flow.timed_out(host, self._now())
