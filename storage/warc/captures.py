"""One request and its response as sent over the wire: plain values."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_STATUS: Final = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?!\d)")


@dataclass(frozen=True, slots=True)
class Capture:
    """One request and its response.

    `request` and `response` are HTTP messages as sent, including chunks and content coding. `response_head_bytes` is
    the length of the response's status line and header fields, including the empty line. `captured_at` is when the
    request began, in epoch seconds. `address` is the IP address to which the request was sent, if known. `truncated`
    says why the response is incomplete, a value of WARC-Truncated ("length", "time", "disconnect", "unspecified"), or
    is "". `opened_by` names the kinds of logins that the request used, such as "basic"; "" without a login.
    """

    url: str
    captured_at: float
    address: str | None
    request: bytes
    response: bytes
    response_head_bytes: int
    truncated: str = ""
    opened_by: str = ""

    @property
    def status(self) -> int | None:
        """The status of the response; None if its first line has no valid status."""
        found = _STATUS.match(self.response)
        return None if found is None else int(found[1])

    @property
    def payload(self) -> memoryview:
        """The body of the response as sent."""
        return memoryview(self.response)[self.response_head_bytes :]

    @property
    def head(self) -> bytes:
        """The `head_digest` of the response's head."""
        first, *lines = self.response[: self.response_head_bytes].decode("latin-1").rstrip("\r\n").split("\r\n")
        fields = (line.partition(":") for line in lines)
        return head_digest(first, [(name.strip(), value.strip()) for name, _, value in fields])


def head_digest(status_line: str, fields: Iterable[tuple[str, str]]) -> bytes:
    """Return a digest of a response head without its Date field, which WARC-Date repeats."""
    said = [status_line, *(f"{name}: {value}" for name, value in fields if name.lower() != "date")]
    return hashlib.blake2b("\n".join(said).encode(), digest_size=8).digest()


@dataclass(frozen=True, slots=True)
class Original:
    """An earlier response that a later response repeats, as found in its record.

    `date`, `payload_digest` and `address` are as in the record; for `head` see `head_digest`.
    """

    date: str
    payload_digest: str
    address: str | None = None
    head: bytes = b""
