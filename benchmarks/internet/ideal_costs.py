"""What the parts of a visit cost in the ideal schedule, in seconds; `ideal` says why. Pure."""

from __future__ import annotations

from math import ceil, log2
from typing import Final

from benchmarks.internet.world import Host, Path, Quirk, TlsKind

_SEGMENT, _FIRST_WINDOW = 1_448, 10
_RETRANSMISSION: Final = 0.2
HEAD_BYTES: Final = 300
"""The size of an answer's header, in bytes."""


def round_trip(path: Path) -> float:
    """Return the seconds of a round trip with its jitter."""
    return path.rtt_seconds + path.jitter_seconds


def losses(path: Path, *, flights: int) -> float:
    """Seconds that flights of one round trip each wait for retransmissions, on average."""
    lost = 1 - (1 - path.loss) ** 2
    return flights * lost * (round_trip(path) + _RETRANSMISSION)


def connecting(host: Host, path: Path, has_session: bool) -> float:
    """Return the seconds that a connection takes, TLS included."""
    lost = 1 - (1 - path.loss) ** 2
    seconds = round_trip(path) + lost + 2 * lost**2 + 4 * lost**3
    if host.tls is TlsKind.NONE and host.quirk is not Quirk.REDIRECTS_TO_TLS:
        return seconds
    flights = 2 if host.tls is TlsKind.OLD and not has_session else 1
    return seconds + flights * round_trip(path) + losses(path, flights=flights)


def body(path: Path, size: int) -> float:
    """Seconds from the first segment of a body to its last."""
    segments = ceil((size + HEAD_BYTES) / _SEGMENT)
    rounds = max(ceil(log2(segments / _FIRST_WINDOW + 1)) - 1, 0)
    return rounds * round_trip(path) + path.loss * round_trip(path) * (segments + 1)
