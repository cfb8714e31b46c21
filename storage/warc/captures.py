"""One request and its response as they went over the wire: plain values."""

from __future__ import annotations

from dataclasses import dataclass


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
