"""Opens the fetcher of a crawl, which reports to the flow control and, with `--warc`, to an archive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from hinterland.crawler import __version__
from hinterland.crawler.fetching.access.access import AccessProvider
from hinterland.crawler.fetching.archiving.recorder import Recorder
from hinterland.crawler.fetching.archiving.recording import RecordingWire
from hinterland.crawler.fetching.archiving.recording_fetcher import RecordingFetcher
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.client.observation import Observer
from hinterland.crawler.fetching.flow.flow import Flow
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.loop.crawl_io import PageFetcher
from hinterland.crawler.settings import Settings, user_agent


@asynccontextmanager
async def open_fetcher(
    settings: Settings, archive: Path | None, flow: Flow, now: Callable[[], float], provider: AccessProvider
) -> AsyncIterator[PageFetcher]:
    """Context manager: open the fetcher, which records every request and answer in the folder `archive`, if set.

    `now` returns epoch seconds. `provider` returns what features add to single requests, such as logins.
    """
    agent, observer = user_agent(settings.identity), FlowObserver(flow, now)
    if archive is None:
        async with Fetcher(settings.fetching, agent, now, observer=observer, provider=provider) as fetcher:
            yield fetcher
        return
    fields = {
        "software": f"Hinterland/{__version__}",
        "format": "WARC File Format 1.1",
        "robots": "obey (RFC 9309)",
        "http-header-user-agent": agent,
        "operator": settings.identity.contact,
    }
    async with (
        Recorder(archive, fields, settings.storage.warc_file_mb * 1_000_000, now) as recorder,
        Fetcher(settings.fetching, agent, now, RecordingWire, observer, provider) as fetcher,
    ):
        secret_fields = (*settings.fetching.headers, *provider.secret_fields)
        yield RecordingFetcher(fetcher, recorder.record, now, secret_fields)


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
        """Return how many bytes a server may send before they are read; None to let the system decide."""
        return self._flow.receive_window

    def timed_out(self, host: str, phase: OutcomeKind) -> None:
        """Report a time-out."""
        self._flow.timed_out(host, self._now())
