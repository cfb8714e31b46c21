"""A second connection to a host resumes the TLS session of the first, and no other; both show the certificate."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.fetching.answers import PLAIN, Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.settings import FetchingSettings
from hinterland.storage.values.times import DAY
from tests.support.web_tls import self_signed

LIMITS = BodyLimits(None, 1000)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n%s\r\n\r\nok"
CLOSED_BY_SERVER = b"Connection: close"
CLOSED_BY_CLIENT = b"Keep-Alive: timeout=0"


class Server:
    """Answers one request a connection; `resumed` says of each connection whether its session was."""

    def __init__(self, context: ssl.SSLContext, ending: bytes = CLOSED_BY_SERVER) -> None:
        self._context = context
        self._ending = ending
        self.resumed: list[tuple[str, bool]] = []

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        host = head.partition(b"Host: ")[2].partition(b":")[0].decode()
        self.resumed.append((host, writer.get_extra_info("ssl_object").session_reused))
        writer.write(ANSWER % self._ending)
        if self._ending == CLOSED_BY_CLIENT:
            await reader.read()
        writer.close()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0, ssl=self._context)
        async with server:
            yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def fetching(**changes: Any) -> AsyncIterator[Fetcher]:
    names = dict.fromkeys(("a.test", "b.test"), "127.0.0.1")
    settings = FetchingSettings(**({"allow_networks": ("127.0.0.0/8",), "addresses": names} | changes))
    async with Fetcher(settings, "Hinterland/1", asyncio.get_running_loop().time) as fetcher:
        yield fetcher


@pytest.mark.parametrize("ending", [CLOSED_BY_SERVER, CLOSED_BY_CLIENT])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_the_second_connection_to_a_host_resumes_and_other_hosts_do_not(
    version: ssl.TLSVersion, ending: bytes, tmp_path: Path
) -> None:
    context, ca_file = self_signed(tmp_path, ["a.test", "b.test"])
    context.minimum_version = context.maximum_version = version
    server = Server(context, ending)
    async with server.listening() as port, fetching(ca_file=str(ca_file)) as fetcher:
        for host in ("a.test", "a.test", "b.test", "a.test", "b.test"):
            answer = await fetcher.fetch(f"https://{host}:{port}/", LIMITS)
            assert isinstance(answer, Answer), answer
    assert server.resumed == [
        ("a.test", False),
        ("a.test", True),
        ("b.test", False),
        ("a.test", True),
        ("b.test", True),
    ]


async def test_a_session_that_was_begun_without_checking_is_not_used_where_certificates_are_checked(
    tmp_path: Path,
) -> None:
    context, _ = self_signed(tmp_path, ["a.test"])
    server = Server(context)
    async with server.listening() as port:
        url = f"https://a.test:{port}/"
        async with fetching(verify_tls=False) as trusting, fetching() as checking:
            assert isinstance(await trusting.fetch(url, LIMITS), Answer)
            assert isinstance(await checking.fetch(url, LIMITS), NoAnswer)
            assert isinstance(await trusting.fetch(url, LIMITS), Answer)
    assert server.resumed == [("a.test", False), ("a.test", True)]


async def test_a_server_that_has_forgotten_the_session_is_connected_to_as_if_there_were_none(tmp_path: Path) -> None:
    context, ca_file = self_signed(tmp_path, ["a.test"])
    again = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    again.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    async with fetching(ca_file=str(ca_file)) as fetcher:
        for each in (context, again):
            server = Server(each)
            async with server.listening() as port:
                assert isinstance(await fetcher.fetch(f"https://a.test:{port}/", LIMITS), Answer)
            assert server.resumed == [("a.test", False)]


async def test_an_answer_shows_how_long_the_certificate_of_its_host_is_valid_if_it_was_checked(tmp_path: Path) -> None:
    context, ca_file = self_signed(tmp_path, ["a.test"])
    async with Server(context).listening() as port:
        url = f"https://a.test:{port}/"
        async with fetching(ca_file=str(ca_file)) as checking, fetching(verify_tls=False) as trusting:
            answers = [await each.fetch(url, LIMITS) for each in (checking, checking, trusting)]
    first, resumed, unchecked = [each.connection for each in answers if isinstance(each, Answer)]
    assert first.certificate is not None
    assert first.certificate.until - first.certificate.since == 2 * DAY
    assert resumed == first
    assert unchecked == PLAIN
