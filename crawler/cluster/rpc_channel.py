"""Remote calls in both directions over one stream of bytes, between two processes of this program."""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from hinterland.crawler.features.exchange.url_forwarding import ShardUnavailable

_LENGTH: Final = struct.Struct("<I")
Answer = Callable[[str, Any], Awaitable[Any]]
"""Answers a call, given its name and argument. An exception that it raises is raised in the caller."""


class RpcChannel:
    """A channel for remote calls; `run` it until the other side hangs up.

    Messages are pickled, so both sides must be the same program.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer) -> None:
        """Open a channel over a stream; `answer` answers the calls of the other side."""
        self._reader = reader
        self._writer = writer
        self._answer = answer
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._number = 0
        self._is_open = True

    async def call(self, what: str, about: Any = None) -> Any:
        """Make a call and return its result.

        Raises what the other side raises, and ShardUnavailable if it has hung up.
        """
        if not self._can_send:
            raise ShardUnavailable
        self._number += 1
        number, answered = self._number, asyncio.get_running_loop().create_future()
        self._asked[number] = answered
        self._send((number, what, about))
        try:
            with suppress(ConnectionError):
                await self._writer.drain()
            return await answered
        finally:
            self._asked.pop(number, None)

    def tell(self, what: str, about: Any) -> None:
        """Make a call without waiting for its result."""
        if self._can_send:
            self._send((0, what, about))

    async def run(self) -> None:
        """Read messages until the other side hangs up.

        After that, open calls raise ShardUnavailable, and the stream is closed.
        """
        answering = set[asyncio.Task[None]]()
        try:
            while True:
                number, what, about = pickle.loads(await self._frame())
                if number < 0:
                    self._answered(-number, what, about)
                    continue
                task = asyncio.create_task(self._reply(number, what, about))
                answering.add(task)
                task.add_done_callback(answering.discard)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._is_open = False
            for answered in self._asked.values():
                if not answered.done():
                    answered.set_exception(ShardUnavailable())
            for task in answering:
                task.cancel()
            self._writer.close()

    async def _frame(self) -> bytes:
        [length] = _LENGTH.unpack(await self._reader.readexactly(_LENGTH.size))
        return await self._reader.readexactly(length)

    async def _reply(self, number: int, what: str, about: Any) -> None:
        try:
            reply = (-number, "done", await self._answer(what, about))
        except Exception as error:  # the caller has to know, whatever it is
            reply = (-number, "raised", error)
        if number and self._can_send:
            self._send(reply)

    def _answered(self, number: int, how: str, value: Any) -> None:
        answered = self._asked.pop(number, None)
        if answered is None or answered.done():
            return
        if how == "raised":
            answered.set_exception(value)
        else:
            answered.set_result(value)

    @property
    def _can_send(self) -> bool:
        """Whether messages can still be written to the stream.

        A failed write closes the stream before `run` notices it, and uvloop refuses to write to a closed stream.
        """
        return self._is_open and not self._writer.is_closing()

    def _send(self, message: Any) -> None:
        frame = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._writer.write(_LENGTH.pack(len(frame)) + frame)
