"""A two-way message channel over a socket."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Awaitable
from typing import Any, Final, Generic, TypeVar

import msgspec

from hinterland.crawler.parsing.messages import FrameReader, frame

T = TypeVar("T")
_RECEIVE_BYTES: Final = 1 << 18


class Channel(Generic[T]):
    """A channel on which one task may call `receive`, and any number of tasks `send`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kinds: Any) -> None:
        """Wrap a connection; `kinds` is the type of the incoming messages, equal to T."""
        self._reader = reader
        self._writer = writer
        self._frames = FrameReader()
        self._payloads: deque[bytes] = deque()
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder: msgspec.msgpack.Decoder[T] = msgspec.msgpack.Decoder(kinds)

    async def receive(self) -> T:
        """Return the next message.

        Raises EOFError if the other side is gone, and msgspec.DecodeError for an invalid message.
        """
        while not self._payloads:
            try:
                data = await self._reader.read(_RECEIVE_BYTES)
            except ConnectionError:
                data = b""
            if not data:
                raise EOFError
            self._payloads.extend(self._frames.feed(data))
        return self._decoder.decode(self._payloads.popleft())

    def send(self, message: msgspec.Struct) -> Awaitable[None]:
        """Send a message; this waits if the other side reads too slowly.

        Raises ConnectionError if the other side is gone.
        """
        self._writer.write(frame(message, self._encoder))
        return self._writer.drain()

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


async def channel(end: socket.socket, kinds: Any) -> Channel[Any]:
    """Return a channel over a connected socket; `kinds` is the type of the incoming messages."""
    reader, writer = await asyncio.open_unix_connection(sock=end)
    return Channel(reader, writer, kinds)
