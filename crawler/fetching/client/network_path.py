"""What the operating system knows about the network path of a connection."""

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


_WIDE_WINDOW: Final = 131_072
"""Receive window, in bytes, that lifts a limit: once a window was limited, the system no longer widens it by itself."""
_WINDOW_OF_BUFFER: Final = 1.5
"""Size of the receive window that Linux announces, divided by the value of SO_RCVBUF."""
_WEIGHT: Final = 8
"""The system's smoothed round-trip time moves by an eighth towards each new one (RFC 6298)."""


class NetworkPath:
    """The measured network path of one connection. Mutable."""

    __slots__ = ("_smoothed", "_window", "sock")

    def __init__(self) -> None:
        """Start with nothing measured and no limit."""
        self._smoothed: float | None = None
        self._window: int | None = None
        self.sock: socket.socket | None = None
        """The socket with which the connection was opened, None if unknown. Without it the socket of the transport is
        used, which is slower because uvloop creates a new socket object for each call."""

    def bound_receive_window(self, transport: asyncio.BaseTransport | None, window: int | None) -> None:
        """Limit how many bytes the server may send before they are read; None lets the system decide."""
        if window == self._window or transport is None or transport.is_closing():
            return
        sock = transport.get_extra_info("socket")
        if sock is not None and set_receive_window(sock, _WIDE_WINDOW if window is None else window):
            self._window = window

    def last_round_trip(self, transport: asyncio.BaseTransport | None) -> float | None:
        """Return the round-trip time of the last request in seconds; None if the system does not report it.

        Call this method after each request: it computes the time from the change of the system's smoothed round-trip
        time since the last call. A new connection has no earlier value; there the smoothed time is still close to the
        time of connecting, and is returned.
        """
        smoothed, least = round_trips(transport, self.sock)
        before, self._smoothed = self._smoothed, smoothed
        if smoothed is None or before is None:
            return smoothed
        return max(before + _WEIGHT * (smoothed - before), least or 0.0)


def set_receive_window(sock: socket.socket, window: int) -> bool:
    """Limit how many bytes the server may send before they are read; return whether that succeeded."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, round(window / _WINDOW_OF_BUFFER))
    except OSError:
        return False  # it has just been closed
    return True


def round_trips(
    transport: asyncio.BaseTransport | None, opened: socket.socket | None = None
) -> tuple[float | None, float | None]:
    """Return the smoothed and the shortest round-trip time of an open connection, in seconds.

    Either is None if the system does not report it. `opened` is the socket of the connection, if it is known.
    """
    if sys.platform != "linux" or transport is None or transport.is_closing():
        return None, None
    sock = opened or transport.get_extra_info("socket")
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
