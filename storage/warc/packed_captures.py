"""Captures with their packed records. The records are made when they are first needed."""

from __future__ import annotations

from functools import cached_property

from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.records import capture_members, sha1, warc_date


class PackedCapture:
    """A capture with its packed records, digest and date. Not thread-safe."""

    def __init__(self, capture: Capture) -> None:
        """Take a capture. Its records, digest and date are computed later."""
        self.capture = capture

    @cached_property
    def digest(self) -> str:
        """The digest of the payload, as in WARC-Payload-Digest."""
        return sha1(self.capture.payload)

    @cached_property
    def date(self) -> str:
        """The date of the capture, as in WARC-Date."""
        return warc_date(self.capture.captured_at)

    @cached_property
    def members(self) -> tuple[bytes, bytes]:
        """The packed record of the response, and the packed record of the request."""
        return capture_members(self.capture, self.digest, self.date)

    def pack(self) -> None:
        """Make the records now instead of when they are first needed."""
        _ = self.members
