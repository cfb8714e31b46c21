"""The web side of a box, over loopback: a client sees of each host what its description promises."""

from __future__ import annotations

import asyncio
import io
import socket
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from benchmarks.internet.certificates import Certificates
from benchmarks.internet.pages import path_of
from benchmarks.internet.request_log import Arrival, Request, RequestLog, read_requests
from benchmarks.internet.web import Web, certificates_of, serving
from benchmarks.internet.web_answers import THROTTLE_REQUESTS, Keeping, keeping_of, patience_of
from benchmarks.internet.web_challenges import CHALLENGES
from benchmarks.internet.web_robots import robots_of
from benchmarks.internet.web_tls import server_name, stall_seconds
from benchmarks.internet.world import Host, Machine, Quirk, TlsKind, World
from benchmarks.internet.world import Path as NetworkPath

LOOPBACK = ("127.0.0.1", "::1")
HOSTS = [Host(f"{quirk.value}-{n}.example", 0, quirk=quirk, page_bytes=4_000) for quirk in Quirk for n in range(6)]
SECURE = [Host(f"tls-{kind.value}.example", 0, tls=kind, page_bytes=4_000) for kind in TlsKind]
WORLD = World(7, [Machine("127.0.0.1", "::1", NetworkPath())], [*HOSTS, *SECURE])


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return certificates_of(WORLD, tmp_path_factory.mktemp("certificates"))


@dataclass(frozen=True, slots=True)
class Seen:
    """What a client has read. whole: the body came to its end."""

    status: int
    fields: Mapping[str, str]
    body: bytes
    version: str
    whole: bool = True


class Client:
    """One connection to a web side."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str) -> None:
        self.reader = reader
        self.writer = writer
        self.name = name

    async def ask(self, path: str, method: str = "GET", **fields: str) -> Seen:
        """Send a request and read its answer. Raises IncompleteReadError if the connection is over."""
        more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
        self.writer.write(f"{method} {path} HTTP/1.1\r\nHost: {self.name}\r\n{more}\r\n".encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        version, status = head[0].split(" ")[:2]
        got = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:-2])}
        try:
            body = b"" if method == "HEAD" or status == "304" else await self._body(got)
        except (asyncio.IncompleteReadError, ConnectionError):
            return Seen(int(status), got, b"", version, whole=False)
        return Seen(int(status), got, body, version)

    async def _body(self, fields: Mapping[str, str]) -> bytes:
        if "content-length" in fields:
            return await self.reader.readexactly(int(fields["content-length"]))
        if fields.get("transfer-encoding") != "chunked":
            return await self.reader.read()
        parts = []
        while size := int(await self.reader.readline(), 16):
            parts.append(await self.reader.readexactly(size))
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)
        return b"".join(parts)

    async def is_over(self) -> bool:
        """Wait for the end of the connection, and return whether nothing came before."""
        return not await self.reader.read()


@dataclass(slots=True)
class Running:
    web: Web
    file: io.StringIO
    log: RequestLog
    certificates: Certificates

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.certificates.authority))

    @asynccontextmanager
    async def client(
        self, name: str, context: ssl.SSLContext | None = None, address: str = "127.0.0.1"
    ) -> AsyncIterator[Client]:
        port = self.web.http_port if context is None else self.web.https_port
        server_hostname = None if context is None else name
        reader, writer = await asyncio.open_connection(
            address, port, ssl=context, server_hostname=server_hostname, limit=1 << 22
        )
        try:
            yield Client(reader, writer, f"{name}:{port}")
        finally:
            writer.transport.abort()

    async def ask(self, host: Host, path: str = "/", context: ssl.SSLContext | None = None) -> Seen:
        """Send one request on a connection of its own."""
        async with self.client(host.name, context) as client:
            return await client.ask(path)

    def requests(self, folder: Path) -> list[Request]:
        self.log.flush()
        (folder / "log").write_text(self.file.getvalue(), encoding="utf-8", newline="\n")
        return list(read_requests(folder / "log"))


@asynccontextmanager
async def running(certificates: Certificates, world: World = WORLD) -> AsyncIterator[Running]:
    file = io.StringIO()
    log = RequestLog(file)
    async with serving(world, log, certificates, addresses=LOOPBACK, ports=(0, 0)) as web:
        yield Running(web, file, log, certificates)


def of(quirk: Quirk) -> list[tuple[int, Host]]:
    return [(index, host) for index, host in enumerate(WORLD.hosts) if host.quirk is quirk and host in HOSTS]


def keeping(index: int) -> Keeping:
    return keeping_of(WORLD.seed, index, WORLD.hosts[index])


# --- pages and connections ----------------------------------------------------------------------


@pytest.mark.slow
async def test_a_usual_host_answers_one_request_after_the_other_with_pages(certificates: Certificates) -> None:
    async with running(certificates) as served:
        for _, host in of(Quirk.NONE):
            async with served.client(host.name) as client:
                seen = [await client.ask(path_of(number)) for number in range(4)]
                assert [each.status for each in seen] == [200] * 4
                assert f"<title>Page 2 of {host.name}</title>".encode() in seen[2].body
                assert (await client.ask("/nothing/here.html")).status == 404


async def test_the_same_page_is_said_again_and_need_not_be_sent_again(certificates: Certificates) -> None:
    async with running(certificates) as served:
        _, host = of(Quirk.NONE)[0]
        async with served.client(host.name) as client:
            first, second = await client.ask("/"), await client.ask("/")
            assert first.body == second.body
            unchanged = await client.ask("/", if_none_match=first.fields["etag"])
            assert (unchanged.status, unchanged.body) == (304, b"")
            assert (await client.ask("/", "HEAD")).status == 200
            assert (await client.ask(path_of(1))).status == 200  # nothing of the HEAD's body was in the way


async def test_robots_txt_is_what_the_judge_of_manners_goes_by(certificates: Certificates) -> None:
    async with running(certificates) as served:
        for index, host in enumerate(HOSTS):
            if host.quirk in (Quirk.NONE, Quirk.FORBIDS, Quirk.CHALLENGE):
                seen, robots = await served.ask(host, "/robots.txt"), robots_of(WORLD.seed, index)
                assert seen.status == (404 if robots is None else 200)
                assert robots is None or robots.text.encode() == seen.body


async def test_a_finite_host_names_all_its_pages_in_its_sitemap(certificates: Certificates) -> None:
    world = replace(WORLD, hosts=[replace(host, pages=7) for host in WORLD.hosts])
    async with running(certificates, world) as served:
        _, host = of(Quirk.NONE)[0]
        sitemap = (await served.ask(host, "/sitemap.xml")).body
        assert sitemap.count(b"<loc>") == 7
        assert f"http://{host.name}:{served.web.http_port}{path_of(6)}</loc>".encode() in sitemap
        assert (await served.ask(host, path_of(6))).status == 200
        assert (await served.ask(host, path_of(7))).status == 404


async def test_a_host_that_is_not_there_or_a_request_that_is_none_is_refused_and_counted(
    certificates: Certificates,
) -> None:
    async with running(certificates) as served:
        async with served.client("nobody.example") as client:
            assert (await client.ask("/")).status == 421
        async with served.client(HOSTS[0].name) as client:
            assert (await client.ask("/", "POST")).status == 400
        assert (served.web.tally.unknown, served.web.tally.bad) == (1, 1)


async def test_hosts_answer_over_ipv6_as_well_and_the_log_tells_by_which_address(
    certificates: Certificates, tmp_path: Path
) -> None:
    async with running(certificates) as served:
        _, host = of(Quirk.NONE)[0]
        for address in LOOPBACK:
            async with served.client(host.name, address=address) as client:
                await client.ask("/")
        assert [(each.address, each.family) for each in served.requests(tmp_path)] == [("127.0.0.1", 4), ("::1", 6)]


async def test_the_log_tells_of_each_request_how_it_came_and_what_was_answered(
    certificates: Certificates, tmp_path: Path
) -> None:
    async with running(certificates) as served:
        _, host = of(Quirk.NONE)[0]
        async with served.client(host.name) as client:
            await client.ask("/")
            await client.ask("/no")
        first, second = served.requests(tmp_path)
    assert (first.path, first.status, first.arrival) == ("/", 200, Arrival.NEW)
    assert (second.path, second.status, second.arrival) == ("/no", 404, Arrival.REUSED)
    assert first.host == f"http://{host.name}:{served.web.http_port}"
    assert first.received <= first.ended <= second.received <= second.ended


async def test_a_request_whose_client_leaves_before_the_answer_is_logged_without_a_status(
    certificates: Certificates, tmp_path: Path
) -> None:
    slow = replace(WORLD, hosts=[replace(host, first_byte_seconds=60.0) for host in WORLD.hosts])
    async with running(certificates, slow) as served:
        async with served.client(HOSTS[0].name) as client:
            client.writer.write(f"GET / HTTP/1.1\r\nHost: {HOSTS[0].name}\r\n\r\n".encode())
            await asyncio.sleep(0.1)
        requests: list[Request] = []
        for _ in range(1_000):
            requests = requests or served.requests(tmp_path)
            await asyncio.sleep(0 if requests else 0.01)
    assert [each.status for each in requests] == [0]


# --- quirks -------------------------------------------------------------------------------------


async def test_http_leads_to_https_and_then_to_www(certificates: Certificates) -> None:
    async with running(certificates) as served:
        _, host = of(Quirk.REDIRECTS_TO_TLS)[0]
        port, context = served.web.https_port, served.trusting()
        first = await served.ask(host, "/a/1.html")
        assert (first.status, first.fields["location"]) == (301, f"https://{host.name}:{port}/a/1.html")
        second = await served.ask(host, path_of(1), context)
        assert second.fields["location"] == f"https://www.{host.name}:{port}{path_of(1)}"
        async with served.client(f"www.{host.name}", context) as client:
            assert (await client.ask(path_of(1))).status == 200


async def test_an_old_server_speaks_http_1_0_and_ends_its_body_with_the_connection(certificates: Certificates) -> None:
    async with running(certificates) as served:
        seen = await served.ask(of(Quirk.HTTP_1_0)[0][1])
        assert (seen.version, seen.status) == ("HTTP/1.0", 200)
        assert "content-length" not in seen.fields
        assert b"</p>" in seen.body


async def test_a_host_of_few_requests_closes_after_its_last_one(certificates: Certificates) -> None:
    kinds = set()
    async with running(certificates) as served:
        for index, host in of(Quirk.FEW_REQUESTS):
            limit = keeping(index)
            async with served.client(host.name) as client:
                assert limit.requests is not None
                seen = [await client.ask("/") for _ in range(limit.requests)]
                assert await client.is_over()
            assert (seen[-1].fields.get("connection") == "close") == limit.says_so
            kinds.add(limit.says_so)
    assert kinds == {True, False}


async def test_a_host_that_closes_idle_connections_does_so_whether_it_announced_that_or_not(
    certificates: Certificates,
) -> None:
    async def waits(index: int, host: Host) -> bool:
        async with served.client(host.name) as client:
            seen, limit = await client.ask("/"), keeping(index)
            announced = seen.fields.get("keep-alive", "")
            assert announced.startswith(f"timeout={limit.idle_seconds:.0f}") if limit.says_so else not announced
            assert await client.is_over()
            return limit.says_so

    async with running(certificates) as served:
        kinds = await asyncio.gather(*(waits(index, host) for index, host in of(Quirk.IDLE_CLOSE)))
    assert set(kinds) == {True, False}


async def test_some_answers_are_reset_in_the_middle_of_their_body(certificates: Certificates, tmp_path: Path) -> None:
    async with running(certificates) as served:
        _, host = of(Quirk.RESETS)[0]
        seen = [await served.ask(host) for _ in range(40)]
        requests = served.requests(tmp_path)
    assert 0 < sum(not each.whole for each in seen) < 40
    assert {each.status for each in seen} == {200}
    assert {each.status for each in requests} == {200, -200}


async def test_a_host_that_forbids_does_so_after_some_requests_but_not_its_robots_txt(
    certificates: Certificates,
) -> None:
    async with running(certificates) as served:
        index, host = of(Quirk.FORBIDS)[0]
        seen = [(await served.ask(host)).status for _ in range(20)]
        patience = patience_of(WORLD.seed, index)
        assert seen == [200] * patience + [403] * (20 - patience)
        assert (await served.ask(host, "/robots.txt")).status in (200, 404)


async def test_a_host_that_throttles_names_a_time_and_keeps_to_it(certificates: Certificates, tmp_path: Path) -> None:
    async with running(certificates) as served:
        kinds = set()
        for _, host in of(Quirk.THROTTLES):
            seen = [await served.ask(host) for _ in range(THROTTLE_REQUESTS + 2)]
            assert [each.status for each in seen] == [200] * THROTTLE_REQUESTS + [429] * 2
            kinds.add(seen[-1].fields["retry-after"].isdigit())
            if not seen[-1].fields["retry-after"].isdigit():
                assert parsedate_to_datetime(seen[-1].fields["retry-after"]).timestamp() > time.time()
        assert all(each.retry_after > 0 for each in served.requests(tmp_path) if each.status == 429)
    assert kinds == {True, False}


async def test_a_host_is_unavailable_now_and_then_and_says_until_when(certificates: Certificates) -> None:
    async with running(certificates) as served:
        _, host = of(Quirk.UNAVAILABLE)[0]
        seen = [await served.ask(host) for _ in range(60)]
    assert {each.status for each in seen} == {200, 503}
    assert all("retry-after" in each.fields for each in seen if each.status == 503)


async def test_a_cookie_gate_redirects_to_itself_until_its_cookie_comes_back(certificates: Certificates) -> None:
    async with running(certificates) as served:
        _, host = of(Quirk.COOKIE_GATE)[0]
        async with served.client(host.name) as client:
            gate = await client.ask(path_of(1))
            assert (gate.status, gate.fields["location"]) == (302, path_of(1))
            cookie = gate.fields["set-cookie"].partition(";")[0]
            assert (await client.ask(path_of(1), cookie=cookie)).status == 200


async def test_a_bot_filter_shows_its_page_after_some_requests(certificates: Certificates) -> None:
    async with running(certificates) as served:
        index, host = of(Quirk.CHALLENGE)[0]
        seen = [await served.ask(host) for _ in range(20)]
        patience = patience_of(WORLD.seed, index)
    assert {each.status for each in seen[:patience]} == {200}
    assert all(b"Page 0 of" in each.body for each in seen[:patience])
    bodies = {(challenge.status, challenge.body) for challenge in CHALLENGES}
    assert {(each.status, each.body) for each in seen[patience:]} < bodies


def test_bot_filters_answer_with_failures_and_with_success() -> None:
    assert {200, 403, 503} <= {challenge.status for challenge in CHALLENGES}


async def test_a_connection_to_a_host_that_is_down_is_reset(certificates: Certificates) -> None:
    async with running(certificates) as served:
        for quirk in (Quirk.DOWN, Quirk.BLACK_HOLE):
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await served.ask(of(quirk)[0][1])


# --- TLS ----------------------------------------------------------------------------------------


def secure(kind: TlsKind) -> tuple[int, Host]:
    return next((index, host) for index, host in enumerate(WORLD.hosts) if host in SECURE and host.tls is kind)


@pytest.mark.parametrize("kind, version", [(TlsKind.GOOD, "TLSv1.3"), (TlsKind.OLD, "TLSv1.2")])
async def test_a_host_speaks_its_version_of_tls(certificates: Certificates, kind: TlsKind, version: str) -> None:
    async with running(certificates) as served:
        _, host = secure(kind)
        async with served.client(host.name, served.trusting()) as client:
            assert client.writer.get_extra_info("ssl_object").version() == version
            assert [(await client.ask(path_of(number))).status for number in range(3)] == [200] * 3


@pytest.mark.parametrize(
    "kind, complaint",
    [
        (TlsKind.EXPIRED, "certificate has expired"),
        (TlsKind.WRONG_NAME, "Hostname mismatch"),
        (TlsKind.UNKNOWN_CA, "unable to get local issuer certificate"),
    ],
)
async def test_a_bad_certificate_is_bad_in_its_own_way(
    certificates: Certificates, kind: TlsKind, complaint: str
) -> None:
    async with running(certificates) as served:
        with pytest.raises(ssl.SSLCertVerificationError, match=complaint):
            await served.ask(secure(kind)[1], context=served.trusting())


async def test_a_slow_handshake_stalls_and_then_succeeds(certificates: Certificates) -> None:
    async with running(certificates) as served:
        index, host = secure(TlsKind.SLOW)
        began = time.monotonic()
        assert (await served.ask(host, context=served.trusting())).status == 200
        assert time.monotonic() - began >= stall_seconds(WORLD.seed, index)


async def test_a_host_with_tls_redirects_from_http_and_one_without_refuses_tls(certificates: Certificates) -> None:
    async with running(certificates) as served:
        _, host = secure(TlsKind.GOOD)
        seen = await served.ask(host, path_of(1))
        assert seen.fields["location"] == f"https://{host.name}:{served.web.https_port}{path_of(1)}"
        with pytest.raises((ConnectionError, ssl.SSLError)):
            await served.ask(secure(TlsKind.NONE)[1], context=served.trusting())


@pytest.mark.parametrize("kind", [TlsKind.GOOD, TlsKind.OLD])
def test_a_session_can_be_resumed_and_the_log_tells(kind: TlsKind, certificates: Certificates, tmp_path: Path) -> None:
    """By hand, for asyncio's own TLS resumes no session."""

    async def resumes() -> list[Request]:
        async with running(certificates) as served:
            context, session = served.trusting(), None
            for _ in range(2):
                session = await asyncio.to_thread(_one_request, served, secure(kind)[1], context, session)
            return served.requests(tmp_path)

    assert [each.arrival for each in asyncio.run(resumes())] == [Arrival.NEW, Arrival.RESUMED]


def _one_request(
    served: Running, host: Host, context: ssl.SSLContext, session: ssl.SSLSession | None
) -> ssl.SSLSession | None:
    with (
        socket.create_connection(("127.0.0.1", served.web.https_port)) as plain,
        context.wrap_socket(plain, server_hostname=host.name, session=session) as secured,
    ):
        secured.sendall(f"GET / HTTP/1.1\r\nHost: {host.name}\r\nConnection: close\r\n\r\n".encode())
        while secured.recv(1 << 16):
            pass
        return secured.session


def test_a_server_name_is_read_once_its_record_is_whole() -> None:
    context, incoming, outgoing = ssl.create_default_context(), ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(incoming, outgoing, server_hostname="a.host.example")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    hello = outgoing.read()
    assert server_name(hello) == "a.host.example"
    assert [server_name(hello[:size]) for size in (0, 4, len(hello) - 1)] == [None] * 3
    assert server_name(b"GET / HTTP/1.1\r\n\r\n") == ""
    assert server_name(b"\x16\x03\x01\x00\x05hello") == ""
