"""One request and its response as they went over the wire: plain values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_STATUS: Final = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?!\d)")


@dataclass(frozen=True, slots=True)
class Capture:
    """request, response: HTTP messages as sent, chunks and content coding included.

    response_head_bytes: length of the response's status line and header fields, the empty line included.
    captured_at: when the request began, epoch seconds. address: IP address it went to, if known. truncated: why
    the response is not whole, a value of WARC-Truncated ("length", "time", "disconnect", "unspecified"); "" if it is.
    """

    url: str
    captured_at: float
    address: str | None
    request: bytes
    response: bytes
    response_head_bytes: int
    truncated: str = ""

    @property
    def status(self) -> int | None:
        """Of the response; None if its first line has none."""
        found = _STATUS.match(self.response)
        return None if found is None else int(found[1])

    @property
    def payload(self) -> memoryview:
        return memoryview(self.response)[self.response_head_bytes :]


@dataclass(frozen=True, slots=True)
class Original:
    """The record of a response that a later one repeats. date, payload_digest: as they stand in it."""

    date: str
    payload_digest: str
