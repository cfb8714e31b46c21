"""Which failures a crawl recorded in a box: those of living hosts, which are wrong, and those of dead ones. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from benchmarks.internet.crawls import Failure
from benchmarks.internet.ideal import lives
from benchmarks.internet.web_answers import names_of
from benchmarks.internet.world import NameKind, Quirk, TlsKind, World

_RIGHTLY: Final = {
    Quirk.RESETS: {"truncated", "disconnected"},
    Quirk.THROTTLES: {"throttled"},
    Quirk.UNAVAILABLE: {"throttled", "unavailable"},
    Quirk.FORBIDS: {"client_error", "throttled"},
    Quirk.COOKIE_GATE: {"bad_redirect", "too_many_redirects", "redirected"},
}
"""What a crawl may say of living hosts with a quirk."""
_SHUT_OUT: Final = (Quirk.CHALLENGE, "challenged")
"""The quirk of a host, and what a crawl must call it, for giving it up to be right: a bot filter answers each visit."""


@dataclass(frozen=True, slots=True)
class Blame:
    """How a crawler attributed failures.

    `wrongly` counts living hosts for each kind of failure that is not theirs; `given_up` counts living hosts that were
    given up. `outcomes` counts hosts by (sort, kind): what the crawler says about each sort of host. `examples` are in
    words.
    """

    wrongly: Counter[str]
    given_up: int
    hosts: int
    outcomes: Counter[tuple[str, str]]
    examples: list[str]


def blame_of(world: World, failures: Iterable[Failure]) -> Blame:
    """Which failures are said of hosts, and which of them wrongly."""
    found = names_of(world.hosts)
    of_host = defaultdict[int, set[str]](set)
    wrong = defaultdict[int, set[str]](set)
    given_up: set[int] = set()
    examples: list[str] = []
    for failure in failures:
        if (place := found.get(failure.host)) is None:
            continue
        index = place[0]
        host = world.hosts[index]
        if failure.kind:
            of_host[index].add(failure.kind)
        if not lives(world, host):
            continue
        if failure.is_given_up and index not in given_up and (host.quirk, failure.kind) != _SHUT_OUT:
            given_up.add(index)
            examples.append(f"{host.name} ({sort_of(world, index)}) was given up: {failure.detail}")
        if failure.kind and not is_rightly_said(host.quirk, failure.kind) and failure.kind not in wrong[index]:
            wrong[index].add(failure.kind)
            examples.append(f"{host.name} ({sort_of(world, index)}): {failure.kind} {failure.detail}")
    return Blame(
        wrongly=Counter(kind for kinds in wrong.values() for kind in kinds),
        given_up=len(given_up),
        hosts=len(given_up | {index for index, kinds in wrong.items() if kinds}),
        outcomes=Counter((sort_of(world, index), kind) for index, kinds in of_host.items() for kind in kinds),
        examples=examples[:20],
    )


def is_rightly_said(quirk: Quirk, kind: str) -> bool:
    """Whether a failure of this kind is what a living host with this quirk does."""
    return quirk is Quirk.CHALLENGE or kind in _RIGHTLY.get(quirk, ())


def sort_of(world: World, index: int) -> str:
    """Return what a host is, in a few words, such as "nxdomain" or "fair https"."""
    host = world.hosts[index]
    if not world.resolver_works:
        return "resolver gone"
    if host.resolved.kind not in (NameKind.ANSWERED, NameKind.TRUNCATED):
        return f"name {host.resolved.kind}"
    odd = [] if host.quirk is Quirk.NONE else [host.quirk.value]
    odd += [] if host.tls in (TlsKind.NONE, TlsKind.GOOD) else [f"tls {host.tls}"]
    odd += ["name truncated"] if host.resolved.kind is NameKind.TRUNCATED else []
    machine = world.machines[host.machine]
    odd += ["v6 broken"] if machine.v6 and not machine.v6_works else []
    return ", ".join(odd) or "usual"
