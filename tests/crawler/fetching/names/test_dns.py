"""Lookups by c-ares and by the system, asked of a small name server on loopback."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from hinterland.crawler.fetching.names.dns import DnsLookups
from hinterland.crawler.fetching.names.lookups import FoundName, LookupFailed, LookupProblem, ResolvedAddress
from hinterland.crawler.fetching.names.system import SystemLookups
from tests.support.crawling import wait_until

_NXDOMAIN, _SERVFAIL = 3, 2


class NameServer(asyncio.DatagramProtocol):
    """Answers by the first label: a name that begins with "dead" does not exist, "broken" is SERVFAIL, "mute" gets no
    reply; all others are at 192.0.2.1 for 77 seconds. Answers wait until they may go out."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self._answers = set[asyncio.Task[None]]()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport  # uvloop's is no asyncio.DatagramTransport

    def datagram_received(self, data: bytes, sender: tuple[str | Any, int]) -> None:
        labels, place = [], 12
        while data[place]:
            labels.append(data[place + 1 : place + 1 + data[place]].decode())
            place += 1 + data[place]
        kind = struct.unpack(">H", data[place + 1 : place + 3])[0]
        name, question = ".".join(labels), data[12 : place + 5]
        if kind == 1:
            self.asked.append(name)
        code = _NXDOMAIN if name.startswith("dead") else _SERVFAIL if name.startswith("broken") else 0
        is_found = kind == 1 and not code
        answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 77, 4) + bytes([192, 0, 2, 1]) if is_found else b""
        head = data[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, int(is_found), 0, 0)
        if not name.startswith("mute"):
            task = asyncio.ensure_future(self._answer(head + question + answer, sender))
            self._answers.add(task)
            task.add_done_callback(self._answers.discard)

    async def _answer(self, message: bytes, receiver: tuple[str | Any, int]) -> None:
        await self.may_answer.wait()
        self._transport.sendto(message, receiver)


@asynccontextmanager
async def name_server() -> AsyncIterator[tuple[NameServer, DnsLookups]]:
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(NameServer, ("127.0.0.1", 0))
    lookups = DnsLookups((f"127.0.0.1:{transport.get_extra_info('sockname')[1]}",))
    try:
        yield server, lookups
    finally:
        lookups.close()
        transport.close()


async def test_a_name_brings_its_addresses_and_their_ttl() -> None:
    async with name_server() as (_, lookups):
        found = await lookups.look_up("a.test")
    assert found == FoundName((ResolvedAddress("192.0.2.1", socket.AF_INET),), 77.0)


@pytest.mark.parametrize(
    "name, problem, may_be_ours",
    [
        ("dead.test", LookupProblem.NO_SUCH_NAME, False),
        ("broken.test", LookupProblem.SERVER_FAILED, True),
        ("n" * 64 + ".test", LookupProblem.BAD_NAME, False),
        ("two..dots.test", LookupProblem.BAD_NAME, False),
    ],
)
async def test_a_name_without_an_address_says_why(name: str, problem: LookupProblem, may_be_ours: bool) -> None:
    async with name_server() as (_, lookups):
        with pytest.raises(LookupFailed) as failed:
            await lookups.look_up(name)
    assert (failed.value.problem, failed.value.may_be_ours) == (problem, may_be_ours)


@pytest.mark.slow
async def test_hundreds_of_lookups_wait_beside_each_other_and_a_mute_one_holds_up_none() -> None:
    async with name_server() as (server, lookups):
        server.may_answer.clear()
        mute = asyncio.ensure_future(lookups.look_up("mute.test"))
        all_others = asyncio.gather(*(lookups.look_up(f"h{number}.test") for number in range(300)))
        await wait_until(lambda: len(set(server.asked)) == 301)
        server.may_answer.set()
        found = await all_others
        assert not mute.done()
        mute.cancel()
    assert len(found) == 300


async def test_a_name_is_asked_for_once_until_the_lookups_are_to_forget_it() -> None:
    async with name_server() as (server, lookups):
        for _ in range(2):
            await lookups.look_up("a.test")
        lookups.forget()
        await lookups.look_up("a.test")
    assert server.asked == ["a.test", "a.test"]


@pytest.mark.slow
async def test_no_lookup_fails_while_what_was_known_before_is_forgotten_again_and_again() -> None:
    async with name_server() as (server, lookups):
        for number in range(1000):
            mute = asyncio.ensure_future(lookups.look_up("mute.test"))  # makes c-ares close a socket in its own thread
            await lookups.look_up(f"h{number}.test")
            mute.cancel()
            lookups.forget()
    assert len(set(server.asked)) == 1001


async def test_a_name_server_that_is_gone_may_be_ours() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    lookups = DnsLookups((f"127.0.0.1:{port}",))
    with pytest.raises(LookupFailed) as failed:
        await lookups.look_up("a.test")
    lookups.close()
    assert failed.value.problem is LookupProblem.NO_REPLY
    assert failed.value.may_be_ours


@pytest.mark.parametrize("kind", [DnsLookups, SystemLookups])
async def test_this_machine_knows_itself(kind: type[DnsLookups] | type[SystemLookups]) -> None:
    lookups = kind()
    found = await lookups.look_up("localhost")
    lookups.close()
    assert {each.address for each in found.addresses} <= {"127.0.0.1", "::1"}
