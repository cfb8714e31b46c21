"""Records the requests of a crawl with `--warc`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hinterland.crawler import __version__
from hinterland.crawler.fetching.archiving.recorder import Recorder
from hinterland.crawler.fetching.archiving.recording_fetcher import RecordingFetcher
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.settings import Settings, user_agent


def recorder_of(folder: Path, settings: Settings, now: Callable[[], float]) -> Recorder:
    """Return the recorder that writes an archive to a folder; `now` returns epoch seconds."""
    fields = {
        "software": f"Hinterland/{__version__}",
        "format": "WARC File Format 1.1",
        "robots": "obey (RFC 9309)",
        "http-header-user-agent": user_agent(settings.identity),
        "operator": settings.identity.contact,
    }
    return Recorder(folder, fields, settings.storage.warc_file_mb * 1_000_000, now)


def recording(fetcher: Fetcher, recorder: Recorder, settings: Settings, now: Callable[[], float]) -> RecordingFetcher:
    """Return the fetcher, wrapped so that it records every request and answer."""
    return RecordingFetcher(fetcher, recorder.record, now, dict(settings.fetching.headers))
