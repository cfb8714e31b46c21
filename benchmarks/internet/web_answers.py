"""What each host of a box answers to a request, its quirk included. Pure but for the memory of each host."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from math import ceil
from typing import Final, Protocol
from xml.sax.saxutils import escape

from benchmarks.internet.pages import path_of
from benchmarks.internet.web_challenges import CHALLENGES
from benchmarks.internet.web_chance import draw, first_byte_seconds
from benchmarks.internet.web_robots import robots_of
from benchmarks.internet.world import Host, Quirk, TlsKind, World

ROBOTS_PATH: Final = "/robots.txt"
SITEMAP_PATH: Final = "/sitemap.xml"
GATE_COOKIE: Final = "passed=yes"
_QUIRK_DRAW, _EACH_DRAW, _KIND_DRAW = 401, 402, 403
_SITEMAP_URLS: Final = 5_000

RESETS_SHARE: Final = 0.2
UNAVAILABLE_SHARE: Final = 0.1
THROTTLE_SECONDS, THROTTLE_REQUESTS = 10.0, 4


class Pages(Protocol):
    """The source of the pages."""

    def page(self, index: int, path: str) -> bytes | None:
        """Return the page of a host at a path; None if there is none."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request. host: index; is_www: the name had www. before; is_tls: by https."""

    host: int
    path: str
    is_www: bool
    is_tls: bool
    cookie: str = ""
    etag: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    `fields` are without those about the length of the body. `delay` is the time until its first byte, `retry_after` the
    requested delay, both in seconds. `is_chunked` is the coding of the body. After `cut_at` bytes of the body the
    connection is reset; None: never.
    """

    status: int
    body: bytes = b""
    fields: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    retry_after: int = 0
    is_chunked: bool = False
    cut_at: int | None = None


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a host keeps connections alive.

    `requests` is the limit per connection, None if there is none; `idle_seconds` the time until it closes an idle one;
    `says_so` whether it announces both. `is_chunked` is the coding of its pages.
    """

    requests: int | None
    idle_seconds: float
    says_so: bool
    is_http_1_0: bool = False
    is_chunked: bool = False


@dataclass(slots=True)
class _Memory:
    """The requests so far, the times of recent ones, and until when it throttles."""

    requests: int = 0
    recent: deque[float] = field(default_factory=deque)
    closed_until: float = 0.0


class Hosts:
    """The hosts of a world and what they remember. names: as `names_of`."""

    def __init__(self, world: World, pages: Pages, urls: Sequence[str], secure_urls: Sequence[str]) -> None:
        """Start with the roots as links write them, and those of https, both in the order of the hosts."""
        self.world = world
        self.names = names_of(world.hosts)
        self._pages = pages
        self._urls = urls
        self._secure_urls = secure_urls
        self._memories = [_Memory() for _ in world.hosts]
        self._keeping = [keeping_of(world.seed, index, host) for index, host in enumerate(world.hosts)]

    def keeping(self, index: int) -> Keeping:
        """How a host keeps its connections."""
        return self._keeping[index]

    def reply(self, asked: Asked, now: float, epoch: float) -> Reply:
        """Answer a request that came now (monotonic seconds; epoch: the same as a date)."""
        index = asked.host
        host, memory = self.world.hosts[index], self._memories[index]
        number = memory.requests
        memory.requests += 1
        delay = first_byte_seconds(self.world.seed, index, host, number)
        if (target := self._redirect(asked, host)) is not None:
            return Reply(301, fields=(("Location", target),), delay=delay)
        return self._quirk(asked, host, number, delay, now, epoch) or self._content(asked, host, number, delay)

    def _redirect(self, asked: Asked, host: Host) -> str | None:
        secure = self._secure_urls[asked.host]
        if host.quirk is Quirk.REDIRECTS_TO_TLS and asked.is_tls and not asked.is_www:
            return f"https://www.{secure.removeprefix('https://')}{asked.path[1:]}"
        if not asked.is_tls and (host.tls is not TlsKind.NONE or host.quirk is Quirk.REDIRECTS_TO_TLS):
            return f"{secure}{asked.path[1:]}"
        return None

    def _quirk(self, asked: Asked, host: Host, number: int, delay: float, now: float, epoch: float) -> Reply | None:
        """Return what the host answers because of its quirk; None if it answers as usual."""
        index, seed = asked.host, self.world.seed
        if asked.path == ROBOTS_PATH and host.quirk is not Quirk.THROTTLES:
            return None
        match host.quirk:
            case Quirk.FORBIDS if number >= patience_of(seed, index):
                return Reply(403, b"<h1>403 Forbidden</h1>\n", (_HTML,), delay)
            case Quirk.CHALLENGE if number >= patience_of(seed, index):
                challenge = CHALLENGES[int(len(CHALLENGES) * draw(seed, _KIND_DRAW, index))]
                return Reply(challenge.status, challenge.body, (_HTML, *challenge.fields), delay)
            case Quirk.COOKIE_GATE if GATE_COOKIE not in asked.cookie:
                return Reply(302, b"", (("Location", asked.path), ("Set-Cookie", f"{GATE_COOKIE}; Path=/")), delay)
            case Quirk.UNAVAILABLE if draw(seed, _EACH_DRAW, index, number) < UNAVAILABLE_SHARE:
                seconds = 2 + int(4 * draw(seed, _KIND_DRAW, index))
                return self._later(503, seconds, index, epoch, delay)
            case Quirk.THROTTLES if (seconds := self._throttled(index, now)) > 0:
                return self._later(429, seconds, index, epoch, delay)
        return None

    def _throttled(self, index: int, now: float) -> int:
        """Return for how many seconds no more requests are accepted; 0 if this one is."""
        memory = self._memories[index]
        if now < memory.closed_until:
            return ceil(memory.closed_until - now)
        while memory.recent and memory.recent[0] <= now - THROTTLE_SECONDS:
            memory.recent.popleft()
        memory.recent.append(now)
        if len(memory.recent) <= THROTTLE_REQUESTS:
            return 0
        seconds = 3 + int(5 * draw(self.world.seed, _KIND_DRAW, index))
        memory.recent.clear()
        memory.closed_until = now + seconds
        return seconds

    def _later(self, status: int, seconds: int, index: int, epoch: float, delay: float) -> Reply:
        """Half of the hosts name seconds, the others a date."""
        as_date = draw(self.world.seed, _QUIRK_DRAW, index, 7) < 0.5
        value = formatdate(epoch + delay + seconds + 0.999, usegmt=True) if as_date else str(seconds)
        fields = (_HTML, ("Retry-After", value))
        return Reply(status, f"<h1>{status}</h1>\n".encode(), fields, delay, retry_after=seconds)

    def _content(self, asked: Asked, host: Host, number: int, delay: float) -> Reply:
        index, seed = asked.host, self.world.seed
        if asked.path == ROBOTS_PATH:
            robots = robots_of(seed, index)
            if robots is None:
                return Reply(404, b"<h1>404 Not Found</h1>\n", (_HTML,), delay)
            sitemap = f"Sitemap: {self._own_root(asked)}{SITEMAP_PATH[1:]}\n" if host.pages else ""
            return Reply(200, (robots.text + sitemap).encode(), (("Content-Type", "text/plain"),), delay)
        if asked.path == SITEMAP_PATH and host.pages:
            return Reply(200, self._sitemap(asked, host), (("Content-Type", "application/xml"),), delay)
        body = self._pages.page(index, asked.path)
        if body is None:
            return Reply(404, b"<h1>404 Not Found</h1>\n", (_HTML,), delay)
        etag = f'"{index}-{len(body)}"'
        if asked.etag == etag:
            return Reply(304, b"", (("ETag", etag),), delay)
        cuts = host.quirk is Quirk.RESETS and draw(seed, _EACH_DRAW, index, number) < RESETS_SHARE
        return Reply(
            200,
            body,
            (_HTML, ("ETag", etag)),
            delay,
            is_chunked=self._keeping[index].is_chunked,
            cut_at=len(body) // 2 if cuts else None,
        )

    def _own_root(self, asked: Asked) -> str:
        url = self._secure_urls[asked.host] if asked.is_tls else self._urls[asked.host]
        return url.replace("://", "://www.", 1) if asked.is_www else url

    def _sitemap(self, asked: Asked, host: Host) -> bytes:
        root = self._own_root(asked)
        urls = (f"<url><loc>{escape(root + path_of(n)[1:])}</loc></url>" for n in range(min(host.pages, _SITEMAP_URLS)))
        return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(urls)}</urlset>'.encode()


_HTML: Final = ("Content-Type", "text/html; charset=utf-8")


def names_of(hosts: Sequence[Host]) -> Mapping[str, tuple[int, bool]]:
    """Each name that a host answers to, its index, and whether it is the one with www. before."""
    names = {host.name: (index, False) for index, host in enumerate(hosts)}
    redirecting = ((index, host) for index, host in enumerate(hosts) if host.quirk is Quirk.REDIRECTS_TO_TLS)
    return names | {f"www.{host.name}": (index, True) for index, host in redirecting}


def patience_of(seed: int, index: int) -> int:
    """Return the number of requests after which a host that forbids or challenges does so."""
    return 8 + int(9 * draw(seed, _QUIRK_DRAW, index, 1))


def keeping_of(seed: int, index: int, host: Host) -> Keeping:
    """Return how a host keeps connections alive.

    It behaves like nginx (75 s, not announced) or Apache (5 s, 100 requests, announced), unless its quirk says
    otherwise.
    """
    announces = draw(seed, _QUIRK_DRAW, index, 2) < 0.5
    match host.quirk:
        case Quirk.HTTP_1_0:
            return Keeping(1, 5.0, says_so=False, is_http_1_0=True)
        case Quirk.FEW_REQUESTS:
            return Keeping(3 + int(4 * draw(seed, _QUIRK_DRAW, index, 4)), 15.0, says_so=announces)
        case Quirk.IDLE_CLOSE if announces:
            return Keeping(None, 1.0 + int(2 * draw(seed, _QUIRK_DRAW, index, 5)), says_so=True)
        case Quirk.IDLE_CLOSE:
            return Keeping(None, 0.5 + 2.5 * draw(seed, _QUIRK_DRAW, index, 5), says_so=False)
    is_chunked = draw(seed, _QUIRK_DRAW, index, 3) < 0.3
    if announces:
        return Keeping(100, 5.0, says_so=True, is_chunked=is_chunked)
    return Keeping(1_000, 75.0, says_so=False, is_chunked=is_chunked)
