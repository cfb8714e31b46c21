"""The reading side of one connection: bytes go in, whole bodies or prompt errors come out."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from aiohttp.client_proto import ResponseHandler

from hinterland.crawler.fetching.client.framing import with_one_framing
from hinterland.crawler.fetching.client.wire import ChunkSizes, ResponseWire, StaleConnection, mend

HEAD = b"HTTP/1.1 200 OK\r\n"


class Plug(asyncio.Transport):
    """The end of a connection that leads nowhere."""

    def close(self) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


def begun(wire: ResponseWire) -> ResponseWire:
    """Let a request begin on the wire, as aiohttp does."""
    wire.set_response_params(timer=None, skip_payload=False, read_until_eof=True, auto_decompress=False)
    return wire


def new_wire() -> ResponseWire:
    wire = ResponseWire(asyncio.get_running_loop())
    wire.connection_made(Plug())
    return begun(wire)


async def body_of(wire: ResponseWire, *parts: bytes) -> bytes:
    """The body of the response that arrives in these parts."""
    for part in parts:
        wire.data_received(part)
    _, body = await asyncio.wait_for(wire.read(), 5)
    return await asyncio.wait_for(body.read(), 5)


# --- whole bodies -------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", [b"\r\n", b"\n"])
async def test_a_response_is_the_same_however_it_is_cut(ending: bytes) -> None:
    response = HEAD + b"Content-Length: 5" + ending + b"X: y" + ending + ending + b"12345"
    for cut in range(len(response) + 1):
        assert await body_of(new_wire(), response[:cut], response[cut:]) == b"12345"
    assert await body_of(new_wire(), *(response[n : n + 1] for n in range(len(response)))) == b"12345"


async def test_surplus_bytes_after_the_body_do_not_cost_the_body() -> None:
    for fields in (b"Content-Length: 5\r\n\r\n", b"Connection: close\r\nContent-Length: 5\r\n\r\n"):
        assert await body_of(new_wire(), HEAD + fields + b"12345 and more") == b"12345"


async def test_interim_responses_are_passed_over() -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    final = HEAD + b"Connection: close\r\nContent-Length: 2\r\n\r\nok surplus"
    wire = new_wire()
    wire.data_received(hints + hints + final)
    codes = []
    while True:
        message, body = await asyncio.wait_for(wire.read(), 5)
        codes.append(message.code)
        if message.code == 200:
            break
    assert codes == [103, 103, 200]
    assert await body.read() == b"ok"


async def test_two_responses_on_one_connection_do_not_mix() -> None:
    wire = new_wire()
    assert await body_of(wire, HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n") == b"one"
    assert await body_of(begun(wire), HEAD + b"Content-Length: 3\r\n\r\ntwo") == b"two"


# --- errors come at once ------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [b"zz\r\n", b"5  \r\nhello\r\n", b"5\nhello", b"-1\r\n"])
async def test_a_broken_chunk_reaches_the_reader_that_already_waits_for_the_body(broken: bytes) -> None:
    wire = new_wire()
    wire.data_received(HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n")
    _, body = await wire.read()
    reading = asyncio.ensure_future(body.read())
    await asyncio.sleep(0)
    wire.data_received(broken)
    with pytest.raises(aiohttp.ClientPayloadError):
        await asyncio.wait_for(reading, 5)


# --- stale connections --------------------------------------------------------------------------


async def test_a_connection_lost_before_the_first_answer_is_not_stale() -> None:
    wire = new_wire()
    reading = asyncio.ensure_future(wire.read())
    await asyncio.sleep(0)
    wire.connection_lost(None)
    with pytest.raises(aiohttp.ServerDisconnectedError) as caught:
        await reading
    assert not isinstance(caught.value, StaleConnection)


@pytest.mark.parametrize("error", [None, ConnectionResetError()])
async def test_a_connection_lost_when_used_again_is_stale(error: Exception | None) -> None:
    wire = new_wire()
    await body_of(wire, HEAD + b"Content-Length: 0\r\n\r\n")
    begun(wire)
    reading = asyncio.ensure_future(wire.read())
    await asyncio.sleep(0)
    wire.connection_lost(error)
    with pytest.raises(StaleConnection):
        await reading


async def test_a_connection_lost_in_the_middle_of_a_second_answer_is_not_stale() -> None:
    wire = new_wire()
    await body_of(wire, HEAD + b"Content-Length: 0\r\n\r\n")
    begun(wire)
    wire.data_received(HEAD)
    reading = asyncio.ensure_future(wire.read())
    await asyncio.sleep(0)
    wire.connection_lost(None)
    with pytest.raises(aiohttp.ClientError) as caught:
        await reading
    assert not isinstance(caught.value, StaleConnection)


# --- chunk sizes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body, is_valid",
    [
        (b"5\r\nhello\r\n0\r\n\r\n", True),
        (b"5;name=value\r\nhello\r\n0\r\n\r\n", True),
        (b"5 ;name=value\r\nhello\r\n0\r\n\r\n", True),
        (b"5 \r\nhello\r\n0\r\n\r\n", False),
        (b"5\t\r\nhello\r\n0\r\n\r\n", False),
        (b"5\r\nhello\r\n0 \r\n\r\n", False),
        (b"5\r\n4 \r\n \r\n0\r\n\r\n", True),  # looks like a chunk size, but is data
        (b"5\r\nhello\r\n0\r\n7 \r\n\r\n", True),  # a trailer
        (b"what is this", True),  # a fault for the parser to find
        (b"5" + b";x" * 10_000 + b"\r\nhello\r\n0 \r\n", False),
    ],
)
def test_white_space_after_a_chunk_size_is_seen_however_the_body_is_cut(body: bytes, is_valid: bool) -> None:
    cuts = range(len(body)) if len(body) < 100 else (1, 50, 64, 65, 5000)
    for cut in cuts:
        sizes = ChunkSizes()
        assert (sizes.are_valid_in(body[:cut]) and sizes.are_valid_in(body[cut:])) is is_valid
    sizes = ChunkSizes()
    verdicts = [sizes.are_valid_in(body[n : n + 1]) for n in range(len(body))]
    assert all(verdicts) is is_valid


# --- the seam in aiohttp ------------------------------------------------------------------------


async def test_the_private_attribute_that_mend_sets_is_still_the_one_that_makes_connections() -> None:
    connector = aiohttp.TCPConnector()
    try:
        assert isinstance(connector._factory(), ResponseHandler)
        mend(connector)
        assert isinstance(connector._factory(), ResponseWire)
    finally:
        await connector.close()


# --- the same length several times --------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 5\r\nX: y\r\nContent-Length: 5\r\n",
        b"content-length:5\r\nContent-Length: 5\r\nCONTENT-LENGTH:  5 \r\n",
        b"Content-Length: 5, 5\r\n",
        b"Content-Length: 5,5\r\nX: y\r\nContent-Length: 5\r\n",
        b"Content-Length: 5\nContent-Length: 5\n",
    ],
)
async def test_a_length_that_is_said_several_times_is_one_length(fields: bytes) -> None:
    assert await body_of(new_wire(), HEAD + fields + b"\r\n12345 and more") == b"12345"


@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 5\r\nContent-Length: 4\r\n",
        b"Content-Length: 5, 4\r\n",
        b"Content-Length: 5\r\nContent-Length: \r\n",
        b"Content-Length: 5\r\nContent-Length: five\r\n",
        b"Content-Length: 5,\r\n",
    ],
)
async def test_lengths_that_differ_are_no_answer(fields: bytes) -> None:
    wire = new_wire()
    wire.data_received(HEAD + fields + b"\r\n12345")
    with pytest.raises(aiohttp.http_exceptions.HttpProcessingError):
        await asyncio.wait_for(wire.read(), 5)


def test_a_head_with_one_length_is_parsed_as_it_came() -> None:
    for head in (HEAD + b"Content-Length: 5\r\nX: 1, 2\r\n\r\n", HEAD + b"X: content-length: 1, 1\r\n\r\n", HEAD):
        assert with_one_framing(head) == head
