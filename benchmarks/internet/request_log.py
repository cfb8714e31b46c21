"""What the web side of a box notes of each request: a line of fields with tabs between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Final

_WRITTEN_AT: Final = 1 << 16
"""Characters that are gathered before they are written."""


class Arrival(StrEnum):
    """The kind of connection by which a request came."""

    NEW = "new"  # its first request; with TLS after a full handshake
    RESUMED = "resumed"  # the same after a handshake that resumed a session
    REUSED = "reused"


@dataclass(frozen=True, slots=True)
class Request:
    """A request that a host received.

    `received` is when its header had arrived. `ended` is just before the last byte of the answer was handed to the
    kernel, or when the connection was lost. Both are monotonic seconds. `host` is the scheme and authority requested,
    `address` that of the machine. `status` is 0 if the connection was lost before an answer, negative if during one.
    `retry_after` is the delay that the answer requested, in seconds.
    """

    received: float
    ended: float
    host: str
    address: str
    path: str
    status: int
    arrival: Arrival
    retry_after: int = 0

    @property
    def family(self) -> int:
        """4 or 6."""
        return 6 if ":" in self.address else 4


class RequestLog:
    """A log that is being written."""

    def __init__(self, file: IO[str]) -> None:
        """Log to an open file."""
        self._file = file
        self._lines: list[str] = []
        self._size = 0

    def note(
        self,
        received: float,
        ended: float,
        host: str,
        address: str,
        path: str,
        status: int,
        arrival: Arrival,
        retry_after: int,
    ) -> None:
        """Note a request; see `Request`."""
        line = f"{received:.5f}\t{ended:.5f}\t{host}\t{address}\t{path}\t{status}\t{arrival.value}\t{retry_after}\n"
        self._lines.append(line)
        self._size += len(line)
        if self._size >= _WRITTEN_AT:
            self.flush()

    def flush(self) -> None:
        """Write what was gathered."""
        self._file.write("".join(self._lines))
        self._file.flush()
        self._lines.clear()
        self._size = 0


def read_requests(path: Path) -> Iterator[Request]:
    """Yield the requests of a log in the order of their ends, without a truncated last line."""
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            if line.endswith("\n"):
                received, ended, host, address, asked, status, arrival, retry_after = line[:-1].split("\t")
                yield Request(
                    received=float(received),
                    ended=float(ended),
                    host=host,
                    address=address,
                    path=asked,
                    status=int(status),
                    arrival=Arrival(arrival),
                    retry_after=int(retry_after),
                )
