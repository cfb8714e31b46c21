"""What the box holds: hosts, their names, the machines they live on and the paths to these. Pure, and drawn by a seed.

A `World` is all that the name server, the link, the web server and the ideal schedule need to know, so that a run can
be repeated and a schedule that knows every latency can be computed for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class NameKind(StrEnum):
    """What the recursive name server does with a question for a name."""

    ANSWERED = "answered"
    NXDOMAIN = "nxdomain"  # the name does not exist; with an SOA, so that it can be cached
    SERVFAIL = "servfail"  # at once
    LAME = "lame"  # SERVFAIL, after the resolver has tried for several seconds
    SILENT = "silent"  # no reply at all
    TRUNCATED = "truncated"  # TC over UDP, the answer over TCP


class TlsKind(StrEnum):
    NONE = "none"  # http
    GOOD = "good"  # 1.3
    OLD = "old"  # 1.2 at most
    SLOW = "slow"  # the handshake stalls for seconds
    EXPIRED = "expired"
    WRONG_NAME = "wrong_name"
    UNKNOWN_CA = "unknown_ca"


class Quirk(StrEnum):
    """What is odd about a host's answers."""

    NONE = "none"
    REDIRECTS_TO_TLS = "redirects_to_tls"  # http -> https -> www; the name server knows www.NAME of it, too
    HTTP_1_0 = "http_1_0"  # closes after each answer
    FEW_REQUESTS = "few_requests"  # closes a connection after some requests
    IDLE_CLOSE = "idle_close"  # closes idle connections soon, as the next request is under way
    RESETS = "resets"  # resets some connections in the middle of a body
    FORBIDS = "forbids"  # 403 after a number of requests
    THROTTLES = "throttles"  # 429 with Retry-After after a number of requests in a time
    UNAVAILABLE = "unavailable"  # 503 with Retry-After now and then
    COOKIE_GATE = "cookie_gate"  # redirects to itself until a cookie comes back
    CHALLENGE = "challenge"  # a bot filter's page, with 403 or 200, after a number of requests
    DOWN = "down"  # nothing listens: refused
    BLACK_HOLE = "black_hole"  # packets vanish


@dataclass(frozen=True, slots=True)
class Name:
    """kind: see NameKind; seconds: until the resolver replies; ttl: of the answer, seconds; cnames: names in between;
    moves: whether the address is another one after the ttl.
    """

    kind: NameKind = NameKind.ANSWERED
    seconds: float = 0.0
    ttl: int = 300
    cnames: int = 0
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """To one machine. rtt_seconds: there and back; jitter_seconds: of one way, at most; loss, reorder: shares of the
    packets of each way.
    """

    rtt_seconds: float = 0.0
    jitter_seconds: float = 0.0
    loss: float = 0.0
    reorder: float = 0.0


@dataclass(frozen=True, slots=True)
class Machine:
    """v4, v6: its addresses; v6 "" if it has none. v6_works: else packets to it vanish."""

    v4: str
    v6: str
    path: Path
    v6_works: bool = True


@dataclass(frozen=True, slots=True)
class Host:
    """name: without port. machine: index. first_byte_seconds: median time of the server until it answers; spread: sigma
    of the logarithm of it. page_bytes: median size of a page. pages: how many the host has; 0: endless.
    """

    name: str
    machine: int
    resolved: Name = Name()
    tls: TlsKind = TlsKind.NONE
    quirk: Quirk = Quirk.NONE
    first_byte_seconds: float = 0.0
    spread: float = 0.0
    page_bytes: int = 10_000
    pages: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """The crawler's own link to all machines. down_bits, up_bits: a second, 0 for no limit; buffer_seconds: how long a
    packet may wait in its queue before it is dropped.
    """

    down_bits: float = 0.0
    up_bits: float = 0.0
    buffer_seconds: float = 0.2


@dataclass(frozen=True, slots=True)
class World:
    """seed: from which everything that happens by chance is drawn, too. resolver_works: whether the name server replies
    to anything; resolver_path: to it; resolver_away: seconds after the first question from which and until which it
    replies to nothing.
    """

    seed: int
    machines: list[Machine]
    hosts: list[Host]
    link: Link = field(default_factory=Link)
    resolver_works: bool = True
    resolver_path: Path = Path()
    resolver_away: tuple[float, float] = (0.0, 0.0)

    def host_url(self, host: Host, http_port: int = 80, https_port: int = 443) -> str:
        """The root page of a host, as links name it: with http if it redirects from there."""
        if host.tls is TlsKind.NONE or host.quirk is Quirk.REDIRECTS_TO_TLS:
            return f"http://{host.name}/" if http_port == 80 else f"http://{host.name}:{http_port}/"
        return f"https://{host.name}/" if https_port == 443 else f"https://{host.name}:{https_port}/"
