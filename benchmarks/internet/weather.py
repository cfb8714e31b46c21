"""The named weathers of the box, and a world drawn from each. Pure, and repeated by a seed.

What is fair was measured by others:

- A look-up takes 60 ms (median), between 20 and 500 ms: with this spread 90 % take less than 275 ms and the mean is
  about 120 ms; Brandhorst and Pras (2005, four Dutch networks) saw 275 ms and 152 ms. The legacy DNS of Ramasubramanian
  and Sirer (SIGCOMM 2004) had a median of 39 ms with caches; cold, without, Moura and others (IMC 2019) saw 183 ms for
  names of one country.
- Names that fail: Brandhorst and Pras saw 9 % NXDOMAIN and 12 % without an answer, Jung and others (2002) 13 % errors
  and 23 % without an answer. Links of pages are better than all that is asked for: `names` has 3 % and 1 %.
- TTLs: 10 % up to a minute, 16 % up to 2, 40 % up to 5, 70 % up to an hour (Denis, 2012, six million names at OpenDNS).
- Round trips of 60 ms (median), 99 % below 400 ms: unimodal with a long tail to the right, and jitter small (Acharya
  and Saltz 1996); 99 % of PlanetLab's pairs were below 500 ms (the Brazilian study of 81 nodes, 2012).
- 38 % of hosts have IPv6, 3.2 % of these do not answer there (Common Crawl's survey of 100,000 hosts, 2025).
- HTML of 18 KB as transferred, median (HTTP Archive, Web Almanac 2024, "Page Weight"); its spread is assumed.
- First byte: 200 ms, median, is assumed: what is published as time to first byte holds the network, too.
"""

from __future__ import annotations

import ipaddress
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from benchmarks.internet.world import Host, Link, Machine, Name, NameKind, Path, Quirk, TlsKind, World

_FIRST_V4: Final = int(ipaddress.IPv4Address("198.18.1.0"))
_FIRST_V6: Final = int(ipaddress.IPv6Address("2001:db8::1:0"))
_MOST_MACHINES: Final = 130_000

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Spread:
    """A log-normal distribution: its median, the sigma of its logarithm, and bounds to which draws are cut."""

    median: float
    sigma: float = 0.0
    least: float = 0.0
    most: float = math.inf

    def draw(self, chance: random.Random) -> float:
        """Return a number."""
        return min(max(self.median * math.exp(self.sigma * chance.gauss(0.0, 1.0)), self.least), self.most)


@dataclass(frozen=True, slots=True)
class NameWeather:
    """How names are answered.

    seconds: until the answer; kinds: share of the names for each unusual answer; lame_seconds: until a lame delegation
    is reported as a failure; ttls: each name has one of them; with_aliases: share of the names with CNAMEs; moving:
    share of the names whose address changes.
    """

    seconds: Spread = Spread(0.0)
    kinds: Mapping[NameKind, float] = field(default_factory=dict)
    lame_seconds: Spread = Spread(0.0)
    ttls: Sequence[int] = (300,)
    with_aliases: float = 0.0
    moving: float = 0.0


@dataclass(frozen=True, slots=True)
class PathWeather:
    """The weather of paths.

    `jitter` is a share of the round trip. `v6` is the share of the machines with IPv6, `v6_broken` the share of these
    on which it does not work.
    """

    rtt: Spread = Spread(0.0)
    jitter: float = 0.0
    loss: float = 0.0
    reorder: float = 0.0
    v6: float = 0.38
    v6_broken: float = 0.0


@dataclass(frozen=True, slots=True)
class ServerWeather:
    """The weather of servers.

    The medians of each host are drawn from `first_byte` and `page_bytes`. `variation` is that of the first byte between
    requests, as in Host.spread. `https` is a share of the hosts; `tls` has shares of these that are not good, `quirks`
    shares of all hosts.
    """

    first_byte: Spread = Spread(0.0)
    variation: float = 0.0
    page_bytes: Spread = Spread(10_000)
    https: float = 0.0
    tls: Mapping[TlsKind, float] = field(default_factory=dict)
    quirks: Mapping[Quirk, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weather:
    """Everything that a world is drawn from.

    In fair weather `resolver_path` is no longer than that to the first router. `resolver_away` is as in World.
    """

    names: NameWeather = NameWeather()
    paths: PathWeather = PathWeather()
    servers: ServerWeather = ServerWeather()
    link: Link = field(default_factory=Link)
    resolver_works: bool = True
    resolver_path: Path = field(default_factory=Path)
    resolver_away: tuple[float, float] = (0.0, 0.0)


# --- the weathers -------------------------------------------------------------------------------

_TTLS: Final = (60, 120, 300, 300, 600, 3600, 3600, 14_400, 14_400, 86_400)
_FAIR: Final = Weather(
    NameWeather(Spread(0.06, 1.19, 0.02, 0.5), ttls=_TTLS, with_aliases=0.2),
    PathWeather(Spread(0.06, 0.81, 0.005, 0.4), jitter=0.02, loss=0.001, v6_broken=0.032),
    ServerWeather(Spread(0.2, 0.8, 0.01, 5.0), 0.3, Spread(18_000, 0.9, 500, 500_000)),
)
_DEAD_NAMES: Final = {
    NameKind.NXDOMAIN: 0.012,
    NameKind.SERVFAIL: 0.008,
    NameKind.LAME: 0.01,
    NameKind.SILENT: 0.01,
    NameKind.TRUNCATED: 0.03,
}
_ODD_NAMES: Final = replace(
    _FAIR.names,
    kinds=_DEAD_NAMES,
    lame_seconds=Spread(6.0, 0.3, 3.0, 10.0),
    ttls=(5, 10, 20, 30, 60, 300),
    with_aliases=0.4,
    moving=0.1,
)
_FOUL_PATHS: Final = PathWeather(
    Spread(0.15, 0.7, 0.02, 0.4), jitter=0.1, loss=0.03, reorder=0.01, v6=0.8, v6_broken=1.0
)
_FOUL_RESOLVER: Final = Path(0.02, 0.002, 0.03, 0.01)
_NARROW: Final = Link(down_bits=10e6, up_bits=2e6, buffer_seconds=0.2)
_BAD_TLS: Final = {
    TlsKind.OLD: 0.15,
    TlsKind.SLOW: 0.05,
    TlsKind.EXPIRED: 0.05,
    TlsKind.WRONG_NAME: 0.05,
    TlsKind.UNKNOWN_CA: 0.05,
}
_EACH_QUIRK: Final[Mapping[Quirk, float]] = {quirk: 0.06 for quirk in Quirk if quirk is not Quirk.NONE}

WEATHERS: Final[Mapping[str, Weather]] = {
    "calm": Weather(),
    "fair": _FAIR,
    "foul": replace(_FAIR, paths=_FOUL_PATHS, resolver_path=_FOUL_RESOLVER),
    "names": replace(_FAIR, names=_ODD_NAMES),
    "narrow": replace(_FAIR, link=_NARROW),
    "tls": replace(_FAIR, servers=replace(_FAIR.servers, https=1.0, tls=_BAD_TLS)),
    "filters": replace(_FAIR, servers=replace(_FAIR.servers, quirks=_EACH_QUIRK)),
    "resolver-gone": replace(_FAIR, resolver_works=False),
    "resolver-away": replace(_FAIR, resolver_away=(0.0, 12.0)),
    "slow-names": replace(_FAIR, names=replace(_FAIR.names, seconds=Spread(3.0))),
    "v6-broken": replace(_FAIR, paths=replace(_FAIR.paths, v6=0.8, v6_broken=1.0)),
    "worst": Weather(
        replace(_ODD_NAMES, seconds=Spread(0.2, 1.0, 0.02, 3.0)),
        _FOUL_PATHS,
        replace(_FAIR.servers, https=0.8, tls=_BAD_TLS, quirks=_EACH_QUIRK),
        _NARROW,
        resolver_path=_FOUL_RESOLVER,
    ),
}


# --- drawing ------------------------------------------------------------------------------------


def draw_world(
    seed: int, *, hosts: int, machines: int, weather: str | Weather = "fair", https: float | None = None
) -> World:
    """Draw a world; the same for the same arguments.

    machines: at most; no more than there are hosts. weather: one of WEATHERS, or one of your own. https: share of the
    hosts; None: that of the weather. Every kind that the weather has occurs if there are hosts enough.
    """
    if hosts < 1 or not 1 <= machines <= _MOST_MACHINES:
        raise ValueError(f"a world needs hosts and 1 to {_MOST_MACHINES} machines, not {hosts} and {machines}")
    if isinstance(weather, str) and weather not in WEATHERS:
        raise ValueError(f"there is no weather {weather!r}; there are {', '.join(WEATHERS)}")
    drawn = WEATHERS[weather] if isinstance(weather, str) else weather
    if https is not None:
        drawn = replace(drawn, servers=replace(drawn.servers, https=https))
    quirks = _dealt(random.Random(f"{seed} quirks"), hosts, drawn.servers.quirks, Quirk.NONE)
    places = _places(random.Random(f"{seed} places"), quirks, min(machines, hosts))
    resolved = _names(random.Random(f"{seed} names"), hosts, drawn.names)
    tls = _tls(random.Random(f"{seed} tls"), hosts, drawn.servers)
    chance = random.Random(f"{seed} hosts")
    servers = drawn.servers
    return World(
        seed,
        _machines(random.Random(f"{seed} machines"), min(machines, hosts), drawn.paths),
        [
            Host(
                f"h{number}.example",
                places[number],
                resolved[number],
                tls[number],
                quirks[number],
                round(servers.first_byte.draw(chance), 6),
                servers.variation,
                int(servers.page_bytes.draw(chance)),
            )
            for number in range(hosts)
        ],
        drawn.link,
        drawn.resolver_works,
        drawn.resolver_path,
        drawn.resolver_away,
    )


def _dealt(chance: random.Random, count: int, shares: Mapping[Kind, float], usual: Kind) -> list[Kind]:
    """`count` kinds in any order: of each as many as its share says, and at least one if there is room for it."""
    dealt: list[Kind] = []
    for kind, share in shares.items():
        dealt += [kind] * max(1, round(share * count)) if share > 0 else []
    dealt = dealt[:count] + [usual] * (count - len(dealt))
    chance.shuffle(dealt)
    return dealt


def _names(chance: random.Random, count: int, weather: NameWeather) -> list[Name]:
    names = []
    for kind in _dealt(chance, count, weather.kinds, NameKind.ANSWERED):
        of_kind = weather.lame_seconds if kind is NameKind.LAME else weather.seconds
        names.append(
            Name(
                kind,
                round(of_kind.draw(chance), 6),
                chance.choice(weather.ttls),
                chance.randint(1, 3) if chance.random() < weather.with_aliases else 0,
                chance.random() < weather.moving,
            )
        )
    return names


def _machines(chance: random.Random, count: int, weather: PathWeather) -> list[Machine]:
    v6 = _dealt(
        chance, count, {"works": weather.v6 * (1 - weather.v6_broken), "broken": weather.v6 * weather.v6_broken}, ""
    )
    machines = []
    for number, family in enumerate(v6):
        rtt = round(weather.rtt.draw(chance), 6)
        path = Path(rtt, round(weather.jitter * rtt, 6), weather.loss, weather.reorder)
        v4_text = str(ipaddress.IPv4Address(_FIRST_V4 + number))
        v6_text = str(ipaddress.IPv6Address(_FIRST_V6 + number)) if family else ""
        machines.append(Machine(v4_text, v6_text, path, family != "broken"))
    return machines


def _places(chance: random.Random, quirks: Sequence[Quirk], machines: int) -> list[int]:
    """Assign a machine to each host.

    Some machines hold many hosts, as those of large providers do; each holds at least one. Hosts that cannot be reached
    have machines of their own, the last ones, because it is the machine that cannot be reached.
    """
    unreachable = (Quirk.DOWN, Quirk.BLACK_HOLE)
    apart = [[number for number, quirk in enumerate(quirks) if quirk is of_these] for of_these in unreachable]
    together = [number for number, quirk in enumerate(quirks) if quirk not in unreachable]
    places = [0] * len(quirks)
    first = machines
    for members in apart:
        if members:
            count = max(1, round(machines * len(members) / len(quirks)))
            first -= count
            if first < (1 if together else 0):
                raise ValueError(f"{machines} machines are too few to keep hosts apart that cannot be reached")
            _deal_places(chance, members, first, count, places)
    if together:
        _deal_places(chance, together, 0, first, places)
    return places


def _deal_places(chance: random.Random, members: Sequence[int], first: int, count: int, places: list[int]) -> None:
    for order, member in enumerate(chance.sample(members, len(members))):
        places[member] = first + (order if order < count else int(count * chance.random() ** 2))


def _tls(chance: random.Random, count: int, weather: ServerWeather) -> list[TlsKind]:
    secure = round(weather.https * count)
    kinds = _dealt(chance, secure, weather.tls, TlsKind.GOOD) + [TlsKind.NONE] * (count - secure)
    chance.shuffle(kinds)
    return kinds
