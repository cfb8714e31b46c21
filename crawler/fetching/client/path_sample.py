"""What the system knows of the path that a connection's packets take."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from typing import Final

_RTT_AT: Final = 68  # struct tcp_info of linux/tcp.h, whose fields never move: tcpi_rtt, in microseconds
_MIN_RTT_AT: Final = 148  # tcpi_min_rtt
_SIZE: Final = 152
_FIELD: Final = struct.Struct("=I")
_UNKNOWN: Final = 0xFFFFFFFF  # no sample yet


def round_trips(transport: asyncio.BaseTransport | None) -> tuple[float | None, float | None]:
    """Return the smoothed and the least round-trip time of an open connection, seconds; None where the system does not
    say."""
    if sys.platform != "linux" or transport is None or transport.is_closing():
        return None, None
    sock = transport.get_extra_info("socket")
    if sock is None:
        return None, None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)
    except OSError:
        return None, None  # it has just been closed, or is no TCP socket
    return _seconds(info, _RTT_AT), _seconds(info, _MIN_RTT_AT)


def _seconds(info: bytes, position: int) -> float | None:
    if len(info) < position + _FIELD.size:
        return None
    (microseconds,) = _FIELD.unpack_from(info, position)
    return None if microseconds in (0, _UNKNOWN) else microseconds / 1e6
