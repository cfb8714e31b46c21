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
    """How a host does TLS."""

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
    """How a name is resolved.

    For `kind` see NameKind. The resolver replies after `seconds`; `ttl` is in seconds; `cnames` counts the aliases in
    between; `moves` says that the address changes after the TTL.
    """

    kind: NameKind = NameKind.ANSWERED
    seconds: float = 0.0
    ttl: int = 300
    cnames: int = 0
    moves: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """The path to one machine.

    `rtt_seconds` is the round trip, `jitter_seconds` the most that one way varies; `loss` and `reorder` are shares of
    the packets of each way.
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
    """A host.

    `name` has no port; `machine` is an index. `first_byte_seconds` is the median time until its server answers,
    `spread` the sigma of its logarithm. `page_bytes` is the median size of a page. `pages` counts its pages; 0 means
    endless.
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
    """The crawler's own link to all machines.

    `down_bits` and `up_bits` are per second, 0 for no limit; a packet may wait `buffer_seconds` in its queue before it
    is dropped.
    """

    down_bits: float = 0.0
    up_bits: float = 0.0
    buffer_seconds: float = 0.2


@dataclass(frozen=True, slots=True)
class World:
    """An internet.

    All chance events are drawn from `seed`, too. `resolver_works` says whether the name server replies at all,
    `resolver_path` is the path to it, and `resolver_away` the period, in seconds after the first question, in which it
    does not reply.
    """

    seed: int
    machines: list[Machine]
    hosts: list[Host]
    link: Link = field(default_factory=Link)
    resolver_works: bool = True
    resolver_path: Path = Path()
    resolver_away: tuple[float, float] = (0.0, 0.0)

    def host_url(self, host: Host, http_port: int = 80, https_port: int = 443) -> str:
        """Return the root page of a host, as links write it: with http if it redirects from there."""
        if host.tls is TlsKind.NONE or host.quirk is Quirk.REDIRECTS_TO_TLS:
            return f"http://{host.name}/" if http_port == 80 else f"http://{host.name}:{http_port}/"
        return f"https://{host.name}/" if https_port == 443 else f"https://{host.name}:{https_port}/"
