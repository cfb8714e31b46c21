"""What the box's recursive name server answers to each question, and after what delay.

Pure: the time is an argument. Like a real resolver it caches answers: only the first question for the records of a name
takes the time of the name; until the TTL is over, others are answered at once, with the remaining TTL. Failures are not
cached.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import Final

from benchmarks.internet.dns_messages import (
    AAAA,
    ASKED_NAME,
    CNAME,
    NOERROR,
    NXDOMAIN,
    SERVFAIL,
    A,
    Question,
    absence_record,
    address_record,
    below_asked,
    encode_answer,
    record,
)
from benchmarks.internet.link import Fate, fates_of
from benchmarks.internet.world import Host, Machine, Name, NameKind, Quirk, World

WITH_WWW: Final = "www."
"""How the second name begins that hosts have which redirect to it."""

_STRANGER: Final = Name(NameKind.NXDOMAIN, ttl=60)
"""A name that the world does not have."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; `message` is None if none is sent, `seconds` the delay before it, `outcome` one word."""

    message: bytes | None
    seconds: float
    outcome: str


@dataclass(slots=True)
class Names:
    """The names of a world. moved_to: for each machine the one that names move to and back from, in turns of a TTL."""

    world: World
    hosts: dict[str, Host] = field(init=False)
    moved_to: list[int] = field(init=False)
    _known_at: dict[tuple[str, int], float] = field(init=False, default_factory=dict)
    _first_at: float | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Index the hosts by their names."""
        redirecting = (host for host in self.world.hosts if host.quirk is Quirk.REDIRECTS_TO_TLS)
        self.hosts = {WITH_WWW + host.name.lower(): host for host in redirecting}
        self.hosts |= {host.name.lower(): host for host in self.world.hosts}
        self.moved_to = _next_reachable(self.world)

    def reply(self, question: Question, at: float, *, over_tcp: bool = False) -> Reply:
        """Return what is answered to a question that is asked `at` seconds after the start."""
        if self._first_at is None:
            self._first_at = at
        host, links = self._host(question.name)
        resolved = host.resolved if host is not None else _STRANGER
        if not self._works(at - self._first_at) or resolved.kind is NameKind.SILENT:
            return Reply(None, 0.0, "silence")
        if resolved.kind in (NameKind.SERVFAIL, NameKind.LAME):
            seconds = resolved.seconds if resolved.kind is NameKind.LAME else 0.0
            return Reply(encode_answer(question, SERVFAIL), seconds, resolved.kind.value)
        seconds, ttl = self._when(question, resolved, at)
        if resolved.kind is NameKind.TRUNCATED and not over_tcp:
            return Reply(encode_answer(question, is_truncated=True), seconds, "truncated")
        if host is None or resolved.kind is NameKind.NXDOMAIN:
            absent = [absence_record(question.name, ttl)]
            return Reply(encode_answer(question, NXDOMAIN, authority=absent), seconds, "nxdomain")
        address = _address(self.machine_of(host, at + seconds), question.type)
        if address is None:
            absent = [absence_record(question.name, ttl)]
            return Reply(encode_answer(question, NOERROR, authority=absent), seconds, "nodata")
        owner, records = ASKED_NAME, []
        for link in range(1, links + 1):
            alias = below_asked(f"c{link}")
            records.append(record(owner, CNAME, ttl, alias))
            owner = alias
        records.append(address_record(owner, ttl, address))
        return Reply(encode_answer(question, answers=records), seconds, "answered")

    def machine_of(self, host: Host, at: float) -> Machine:
        """Return the machine that the name of a host leads to, `at` seconds after the start."""
        has_moved = host.resolved.moves and _turn(host.resolved, at) % 2
        return self.world.machines[self.moved_to[host.machine] if has_moved else host.machine]

    def _works(self, since_first: float) -> bool:
        """Whether the server replies to anything, this many seconds after the first question."""
        begin, end = self.world.resolver_away
        return self.world.resolver_works and not begin <= since_first < end

    def _host(self, name: str) -> tuple[Host | None, int]:
        """Return the host of a name, and how many aliases lie between; aliases themselves are found, too."""
        host = self.hosts.get(name)
        if host is not None:
            return host, host.resolved.cnames
        alias, _, rest = name.partition(".")
        host = self.hosts.get(rest)
        if host is not None and alias in {f"c{link}" for link in range(1, host.resolved.cnames + 1)}:
            return host, 0
        return None, 0

    def _when(self, question: Question, resolved: Name, at: float) -> tuple[float, int]:
        """How long it takes to answer, and the TTL that is left then."""
        key = question.name, question.type
        known_at = self._known_at.get(key)
        if known_at is None or at >= _end(resolved, known_at):
            known_at = self._known_at[key] = at + resolved.seconds
        answered_at = max(at, known_at)
        return answered_at - at, max(1, int(_end(resolved, known_at) - answered_at))


def _turn(resolved: Name, at: float) -> int:
    return int(at / max(resolved.ttl, 1))


def _end(resolved: Name, known_at: float) -> float:
    """Until when an answer holds that was found then."""
    if resolved.moves:
        return float((_turn(resolved, known_at) + 1) * max(resolved.ttl, 1))
    return known_at + resolved.ttl


def _address(machine: Machine, record_type: int) -> bytes | None:
    text = machine.v4 if record_type == A else machine.v6 if record_type == AAAA else ""
    return ipaddress.ip_address(text).packed if text else None


def _next_reachable(world: World) -> list[int]:
    """Return for each machine the next one that packets reach; itself if there is no other."""
    fates = fates_of(world)
    count = len(fates)
    following, found = list(range(count)), None
    for at in reversed(range(2 * count)):
        if found is not None:
            following[at % count] = found
        if fates[at % count] is Fate.ARRIVES:
            found = at % count
    return following
