"""One request and its response as they went over the wire: plain values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
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

    @property
    def head(self) -> bytes:
        """`head_digest` of the response's head."""
        first, *lines = self.response[: self.response_head_bytes].decode("latin-1").rstrip("\r\n").split("\r\n")
        fields = (line.partition(":") for line in lines)
        return head_digest(first, [(name.strip(), value.strip()) for name, _, value in fields])


def head_digest(status_line: str, fields: Iterable[tuple[str, str]]) -> bytes:
    """Two heads with the same say the same, but for Date, which WARC-Date says as well."""
    said = [status_line, *(f"{name}: {value}" for name, value in fields if name.lower() != "date")]
    return hashlib.blake2b("\n".join(said).encode(), digest_size=8).digest()


@dataclass(frozen=True, slots=True)
class Original:
    """The record of a response that a later one repeats. date, payload_digest, address: as they stand in it. head: see
    `head_digest`.
    """

    date: str
    payload_digest: str
    address: str | None = None
    head: bytes = b""
