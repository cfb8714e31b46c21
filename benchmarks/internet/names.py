"""The recursive name server of the box, over UDP and TCP.

    python -m benchmarks.internet.names WORLD.json --log questions.jsonl

It says "ready PORT" when it can be asked, and ends at SIGTERM or SIGINT. The log is written once a second and in the
end; `names_log` reads it. Bad messages are counted and told in the end.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, cast

import uvloop

from benchmarks.internet.dns_messages import BadMessage, read_question
from benchmarks.internet.names_answers import Names
from benchmarks.internet.names_log import QuestionLog
from benchmarks.internet.network import NAME_SERVER
from benchmarks.internet.world import World
from benchmarks.internet.world_file import read_world

_FLUSH_SECONDS: Final = 1.0
_RECEIVE_BYTES: Final = 4 << 20
"""The receive buffer for questions: none may be lost because this computer is busy."""
_BACKLOG: Final = 4096
"""Connections that may wait to be accepted: a crawl asks for many names at once."""


class NameServer:
    """Answers the questions for a world's names. bad_messages: what came that was no question."""

    def __init__(self, world: World, log: QuestionLog) -> None:
        """Start with no question answered."""
        self.bad_messages = 0
        self._names = Names(world)
        self._log = log
        self._began = time.monotonic()

    def answer(self, message: bytes, *, over_tcp: bool) -> tuple[bytes, float] | None:
        """Return the reply to a message and in how many seconds it is due; None if there is none."""
        now = time.monotonic()
        try:
            question = read_question(message)
        except BadMessage:
            self.bad_messages += 1
            return None
        reply = self._names.reply(question, now - self._began, over_tcp=over_tcp)
        self._log.add(now, question.name, question.type, over_tcp, reply.seconds, reply.outcome)
        return None if reply.message is None else (reply.message, reply.seconds)


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)  # uvloop's is not derived from it

    def datagram_received(self, data: bytes, addr: tuple[str | object, int]) -> None:
        due = self._server.answer(data, over_tcp=False)
        if due is None:
            return
        reply, seconds = due
        if seconds > 0:
            asyncio.get_running_loop().call_later(seconds, self._send, reply, addr)
        else:
            self._send(reply, addr)

    def _send(self, reply: bytes, address: tuple[str | object, int]) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.sendto(reply, address)


async def _answer_stream(server: NameServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the questions of one TCP connection, each as soon as it is due (RFC 7766 allows any order)."""
    loop = asyncio.get_running_loop()

    def send(reply: bytes) -> None:
        if not writer.is_closing():
            writer.write(len(reply).to_bytes(2) + reply)

    try:
        while True:
            size = int.from_bytes(await reader.readexactly(2))
            due = server.answer(await reader.readexactly(size), over_tcp=True)
            if due is not None:
                loop.call_later(due[1], send, due[0])
    except (asyncio.IncompleteReadError, ConnectionError):
        pass  # the client may leave at any time
    finally:
        writer.close()


@asynccontextmanager
async def serving_names(server: NameServer, address: str = "127.0.0.1", port: int = 0) -> AsyncIterator[int]:
    """Serve over UDP and TCP, yield the port, and stop."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _answer_stream(server, reader, writer)

    streams = await asyncio.start_server(take, address, port, backlog=_BACKLOG)
    port = streams.sockets[0].getsockname()[1]
    transport: asyncio.DatagramTransport | None = None
    try:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        datagrams = socket.socket(family, socket.SOCK_DGRAM)
        datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BYTES)
        datagrams.setblocking(False)
        datagrams.bind((address, port))
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(server), sock=datagrams)
        yield port
    finally:
        streams.close()
        if transport is not None:
            transport.close()


async def _serve(arguments: argparse.Namespace) -> None:
    ending = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    with arguments.log.open("w", encoding="utf-8") as file:
        log = QuestionLog(file)
        server = NameServer(read_world(arguments.world), log)
        async with serving_names(server, arguments.address, arguments.port) as port:
            print(f"ready {port}", flush=True)
            while not ending.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(ending.wait(), _FLUSH_SECONDS)
                log.flush()
        log.flush()
    if server.bad_messages:
        print(f"{server.bad_messages} messages were no questions and had no reply", file=sys.stderr)


def main() -> None:
    """Answer the names of a world until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world", type=Path, help="written by world_file.write_world")
    parser.add_argument("--log", type=Path, required=True, metavar="FILE", help="of the questions, as JSON lines")
    parser.add_argument("--address", default=NAME_SERVER, help=f"default {NAME_SERVER}")
    parser.add_argument("--port", type=int, default=53, help="default 53; 0: any")
    uvloop.run(_serve(parser.parse_args()))


if __name__ == "__main__":
    main()
