"""Each phase of a request has its own clock, its own blame, and is counted while it lasts."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.client.event_loop import CrawlLoop
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.fetching.client.observation import Observer
from hinterland.crawler.fetching.client.request import FetcherState, RequestUnderWay
from hinterland.crawler.fetching.names.lookups import ResolvedAddress
from hinterland.crawler.fetching.names.resolver import NameResolver
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.settings import FetchingSettings
from tests.support.blocked_loop import block_the_loop
from tests.support.crawling import wait_until
from tests.support.web import Answer as Response
from tests.support.web import LoopbackWeb
from tests.support.web_behaviours import OK_PAGE, slow_first_byte, stall
from tests.support.web_thread import served
from tests.support.web_tls import self_signed

LIMITS = BodyLimits(None, 20_000_000)


class Noting(Observer):
    """Keeps the events that it receives."""

    def __init__(self) -> None:
        self.connections: list[str] = []
        self.answers: list[dict[str, Any]] = []
        self.timeouts: list[OutcomeKind] = []

    def connected(self, host: str, seconds: float) -> None:
        assert seconds >= 0.0
        self.connections.append(host)

    def answered(self, host: str, **measured: Any) -> None:
        self.answers.append({"host": host, **measured})

    def timed_out(self, host: str, phase: OutcomeKind) -> None:
        self.timeouts.append(phase)


@asynccontextmanager
async def fetching(addresses: dict[str, str], observer: Observer, **changes: Any) -> AsyncIterator[Fetcher]:
    given: dict[str, Any] = {"allow_networks": ("127.0.0.0/8", "::1/128"), "addresses": addresses, "verify_tls": False}
    settings = FetchingSettings(**(given | changes))
    now = asyncio.get_running_loop().time
    async with Fetcher(settings, "Hinterland/1", now, observer=observer) as fetcher:
        yield fetcher


# --- clocks and blame ---------------------------------------------------------------------------


@pytest.fixture
def deaf() -> Iterator[int]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def test_a_handshake_that_stalls_is_a_failure_of_tls_and_not_of_the_connection(deaf: int) -> None:
    noting = Noting()
    async with fetching({}, noting, tls_timeout_seconds=0.2, connect_timeout_seconds=3600) as fetcher:
        outcome = await fetcher.fetch(f"https://127.0.0.1:{deaf}/", LIMITS)
    assert isinstance(outcome, NoAnswer)
    assert (outcome.kind, outcome.detail) == (OutcomeKind.TLS_FAILURE, "the TLS handshake took more than 0.2 s")
    assert (noting.connections, noting.timeouts) == ([f"https://127.0.0.1:{deaf}"], [OutcomeKind.TLS_FAILURE])


async def test_a_handshake_that_is_broken_off_is_a_failure_of_tls() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.transport.abort()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server, fetching({}, Noting()) as fetcher:
        outcome = await fetcher.fetch(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/", LIMITS)
    assert isinstance(outcome, NoAnswer)
    assert outcome.kind == OutcomeKind.TLS_FAILURE
    assert outcome.detail.startswith("the TLS handshake broke off")


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_the_time_of_one_phase_is_not_taken_from_the_next(scheme: str, tmp_path: Path) -> None:
    """First byte and body each take most of their time; together they take more than either may."""
    tls = None if scheme == "http" else self_signed(tmp_path, ["a.test"])[0]

    async def answer_slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for part in (OK_PAGE.head(Content_Length=str(len(OK_PAGE.body))), OK_PAGE.body):
            await asyncio.sleep(0.6)
            writer.write(part)
        await writer.drain()
        writer.close()

    quick = {"connect_timeout_seconds": 1.0, "first_byte_timeout_seconds": 1.0, "body_timeout_seconds": 1.0}
    server = await asyncio.start_server(answer_slowly, "127.0.0.1", 0, ssl=tls)
    async with server, fetching({}, Noting(), **quick) as fetcher:
        answer = await fetcher.fetch(f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}/", LIMITS)
    assert isinstance(answer, Answer), answer


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_an_answer_that_waits_in_the_socket_of_a_blocked_loop_is_taken(scheme: str, tmp_path: Path) -> None:
    tls = None if scheme == "http" else self_signed(tmp_path, ["a.test"])[0]
    noting = Noting()
    with served(LoopbackWeb(tls=tls)) as web:
        url = web.answer("a.test", "/", slow_first_byte(0.1, OK_PAGE))
        async with fetching(web.addresses, noting, first_byte_timeout_seconds=0.5) as fetcher:
            request = asyncio.ensure_future(fetcher.fetch(url, LIMITS))
            await wait_until(lambda: fetcher.phases.awaiting_first_byte)
            block_the_loop(1.0)
            answer = await request
    assert isinstance(answer, Answer), answer
    assert noting.timeouts == []


async def test_connecting_and_handshaking_survive_a_blocked_loop(tmp_path: Path) -> None:
    noting = Noting()
    quick = {"connect_timeout_seconds": 0.2, "tls_timeout_seconds": 0.2, "first_byte_timeout_seconds": 0.2}
    with served(LoopbackWeb(tls=self_signed(tmp_path, ["a.test"])[0])) as web:
        url = web.answer("a.test", "/", OK_PAGE)
        async with fetching(web.addresses, noting, **quick) as fetcher:
            request = asyncio.ensure_future(fetcher.fetch(url, LIMITS))
            for _ in range(8):  # at whatever step it has come to
                await asyncio.sleep(0)
                block_the_loop(0.3)
            answer = await request
    assert isinstance(answer, Answer), answer
    assert noting.timeouts == []


# --- two families of addresses ------------------------------------------------------------------


async def test_a_family_that_leads_nowhere_costs_a_moment_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """IPv6 packets of this test go nowhere: its listener's queue is full, so the kernel ignores the next connection."""
    async with LoopbackWeb() as web:
        with deaf_listener("::1", web.port):
            for number in range(5):
                web.answer(f"h{number}.test", "/", OK_PAGE)
            _two_addresses(monkeypatch)
            tried: list[str] = []
            _note_attempts(monkeypatch, tried)
            async with fetching({}, Noting()) as fetcher:
                answers = [await fetcher.fetch(web.url(f"h{number}.test"), LIMITS) for number in range(5)]
    assert all(isinstance(answer, Answer) for answer in answers), answers
    assert tried == ["::1", "127.0.0.1"] * 3 + ["127.0.0.1"] * 2, "after three losses, IPv6 is tried last"


@contextmanager
def deaf_listener(address: str, port: int) -> Iterator[None]:
    """Lets all further connections to an IPv6 address and port go unanswered."""
    with ExitStack() as stack:
        hole, *callers = [stack.enter_context(socket.socket(socket.AF_INET6)) for _ in range(4)]
        hole.bind((address, port))
        hole.listen(0)
        for caller in callers:  # they fill its queue
            caller.setblocking(False)
            caller.connect_ex((address, port))
        yield


def _two_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def both(self: NameResolver, name: str, port: int, **_: Any) -> list[ResolvedAddress]:
        return [ResolvedAddress("::1", socket.AF_INET6), ResolvedAddress("127.0.0.1", socket.AF_INET)]

    monkeypatch.setattr(NameResolver, "addresses", both)


def _note_attempts(monkeypatch: pytest.MonkeyPatch, tried: list[str]) -> None:
    connect = CrawlLoop.sock_connect

    async def noting(self: CrawlLoop, sock: socket.socket, address: Any) -> None:
        tried.append(address[0])
        await connect(self, sock, address)

    monkeypatch.setattr(CrawlLoop, "sock_connect", noting)


# --- what is observed ---------------------------------------------------------------------------


async def test_an_observer_receives_connections_and_answers() -> None:
    noting = Noting()
    async with LoopbackWeb() as web:
        url = web.answer("a.test", "/", Response(b"x" * 500_000))
        async with fetching(web.addresses, noting) as fetcher:
            for _ in range(2):
                await fetcher.fetch(url, LIMITS)
    host = url.removesuffix("/")
    assert noting.connections == [host], "the second request went over the same connection"
    assert [each["host"] for each in noting.answers] == [host, host]
    assert all(each["body_bytes"] == 500_000 for each in noting.answers)
    for each in noting.answers:
        assert each["first_byte_seconds"] >= 0.0
        assert each["body_seconds"] >= 0.0
        assert each["rtt"] is None or 0.0 < each["rtt"] < 10.0


async def test_requests_are_counted_in_the_phase_that_they_are_in(deaf: int) -> None:
    async with LoopbackWeb() as web:
        silent = web.answer("a.test", "/silent", stall())
        broken = web.answer("b.test", "/", stall(Response(b"x" * 100).head(Content_Length="100") + b"x"))
        async with fetching(web.addresses, Noting()) as fetcher:
            urls = [silent, broken, f"https://127.0.0.1:{deaf}/"]
            requests = [asyncio.ensure_future(fetcher.fetch(url, LIMITS)) for url in urls]
            phases = fetcher.phases
            await wait_until(lambda: (phases.awaiting_first_byte, phases.reading, phases.handshaking) == (1, 1, 1))
            assert phases.under_way == 3
            for request in requests:
                request.cancel()
            await asyncio.wait(requests)
            assert astuple(phases) == (0, 0, 0, 0, 0, 0)


# --- large bodies -------------------------------------------------------------------------------


@pytest.mark.slow
async def test_large_bodies_wait_for_each_other_and_all_arrive_and_no_failure_is_attributed() -> None:
    noting, hosts, size = Noting(), 100, 2_000_000
    with served(LoopbackWeb()) as web:
        urls = [web.answer(f"h{number}.test", "/", Response(bytes(size))) for number in range(hosts)]
        async with fetching(web.addresses, noting, body_timeout_seconds=10.0) as fetcher:
            most = 0

            async def sizes() -> int:
                nonlocal most
                answers = [asyncio.ensure_future(fetcher.fetch(url, LIMITS)) for url in urls]
                total = 0
                for answered in asyncio.as_completed(answers):
                    most = max(most, fetcher.phases.queued)
                    answer = await answered
                    assert isinstance(answer, Answer), answer
                    total += len(answer.body)
                return total

            assert await sizes() == hosts * size
    assert most > 0, "some have waited"
    assert noting.timeouts == []


# --- what a host rests for ----------------------------------------------------------------------


class Far(Observer):
    """A clock by which each connection takes an hour; nothing else takes any time."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def connected(self, host: str, seconds: float) -> None:
        self.seconds += 3600.0


async def test_a_host_does_not_rest_longer_because_it_is_far_away_to_connect_to() -> None:
    far = Far()
    async with LoopbackWeb() as web:
        url = web.page("a.test", "/")
        settings = FetchingSettings(allow_networks=("127.0.0.0/8",), addresses=web.addresses)
        async with Fetcher(settings, "Hinterland/1", lambda: far.seconds, observer=far) as fetcher:
            answer = await fetcher.fetch(url, LIMITS)
    assert isinstance(answer, Answer)
    assert (far.seconds, answer.seconds) == (3600.0, 0.0)


async def test_a_host_does_not_rest_longer_because_its_large_body_waited_for_others_here() -> None:
    seconds = 0.0
    request = RequestUnderWay(FetcherState(FetchingSettings(), Observer(), lambda: seconds), "http://a.test")
    async with request.deadline:
        request.is_answered()
        seconds += 1.0
        request.waits_for_others()
        seconds += 100.0
        request.goes_on()
        seconds += 2.0
    assert request.host_seconds == 3.0
