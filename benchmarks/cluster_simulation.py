"""How many pages a second many machines fetch together, under a virtual clock with costs that were measured.

    python -m benchmarks.cluster_simulation                          # 1, 4, 16 and 64 machines, 100,000 hosts
    python -m benchmarks.cluster_simulation --machines 64 --addresses turns

Each shard is a frontier of the crawl itself, with its share of the hosts, its turns at addresses, and one processor,
which takes --page-ms for a page and --message-ms for each message that is sent to another shard or comes from one. As
shards do nothing together but that, some of them are simulated (--sampled) and stand for the others. All hosts are
known and ready from the start. Efficiency: pages a second, as a share of what one process would fetch that many times
over.

The hosts: sites have one host, or by Zipf's law more; four sites in five have an address to themselves, of the others
fifty share one on the average. A host answers after 80 ms in the median (lognormal), and rests as the defaults ask for.

--addresses told: as the crawl does, with turns where several shards visit an address. turns: at all of them. none: no
budget of addresses (politeness.address_delay_seconds = 0, politeness.address_connections = 0).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from math import exp
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.exchanging import gathering_seconds
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.turns import Turns
from hinterland.crawler.frontier.visits import Visit, Wait
from hinterland.crawler.settings import PolitenessSettings

_WARM_SECONDS: Final = 5.0
_SECONDS: Final = 20.0
_BEGIN: Final = 1.7e9
_FOREVER: Final = 1e18
_URLS_A_PAGE: Final = 0.33
"""Distinct ones that belong to other shards: of the webfarm's full set with many shards."""
_URL_SECONDS: Final = 29e-6
"""To hand one over and to take one up."""
_LOOKS_A_SECOND: Final = 5
"""How often a shard is asked how it stands."""
_LongArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of one processor."""

    page: float
    message: float

    def of_page(self, shards: int) -> float:
        """With all that goes to other shards and comes from them while a page is fetched."""
        if shards == 1:
            return self.page
        gather = gathering_seconds(shards - 1)
        urls = _URLS_A_PAGE * (shards - 1) / shards
        a_second = urls / self.page / (shards - 1)  # to each of the others
        messages = (shards - 1) * (1 - exp(-a_second * gather)) / gather
        share = self.message * (2 * messages + _LOOKS_A_SECOND)  # as many come as are sent
        if share >= 1:
            raise SystemExit(f"{shards} shards do nothing but send messages")
        return (self.page + urls * _URL_SECONDS) / (1 - share)


@dataclass(frozen=True, slots=True)
class Hosts:
    """Of the whole web: names, and numbers of addresses, shape (n,)."""

    names: list[str]
    addresses: _LongArray

    @staticmethod
    def drawn(count: int) -> Hosts:
        rng = np.random.default_rng(1)
        sizes = np.minimum(rng.zipf(2.5, count), 2000)
        ends = np.cumsum(sizes)
        sizes = sizes[: int(np.searchsorted(ends, count)) + 1]
        sites = np.repeat(np.arange(len(sizes)), sizes)[:count]
        is_alone = rng.random(len(sizes)) < 0.8
        shared = len(sizes) + rng.integers(0, max(1, len(sizes) // 250), len(sizes))
        own = np.where(is_alone, np.arange(len(sizes)), shared)
        names = [f"http://h{number}.s{site}.test" for number, site in enumerate(sites.tolist())]
        return Hosts(names, own[sites])


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `of`: its hosts' addresses, and which of these no other shard visits; cost: seconds a page."""

    number: int
    of: int
    addresses: _LongArray
    is_alone: NDArray[np.bool_]
    cost: float
    in_flight: int
    politeness: PolitenessSettings

    def pages_a_second(self) -> float:
        frontier, rng = self._frontier(), np.random.default_rng(self.number)
        latencies = np.maximum(0.01, rng.lognormal(np.log(0.08), 0.7, len(self.addresses)))
        answers: list[tuple[float, int, Visit | None]] = []
        now, free_at, under_way, done, fetched = _BEGIN, _BEGIN, 0, 0, 0
        while True:
            wait = _FOREVER
            while under_way < self.in_flight:
                said = frontier.next_visit(now)
                if not isinstance(said, Visit):
                    wait = said.until if isinstance(said, Wait) else _FOREVER
                    break
                under_way += 1
                heappush(answers, (now + float(latencies[said.host]), done, said))
                done += 1
            if not answers or wait < answers[0][0]:
                now = max(now, wait)
            else:
                now, _, visit = heappop(answers)
                if visit is None:
                    under_way -= 1
                    fetched += now >= _BEGIN + _WARM_SECONDS
                else:
                    frontier.finished(visit, now, float(latencies[visit.host]))
                    free_at = max(free_at, now) + self.cost
                    heappush(answers, (free_at, done, None))
                    done += 1
            if now >= _BEGIN + _WARM_SECONDS + _SECONDS:
                return fetched / _SECONDS

    def _frontier(self) -> Frontier:
        turns = Turns(self.number, self.of) if self.of > 1 else None
        frontier = Frontier(self.politeness, random=lambda: 0.5, turns=turns)
        hosts = len(self.addresses)
        for _ in range(hosts):
            frontier.restore_robots(frontier.add_host(), _FOREVER, None)
        each = min(30, 3 + round(4 * (_WARM_SECONDS + _SECONDS) / (self.cost * hosts)))
        pages = np.arange(each * hosts, dtype=np.int32)
        frontier.add(pages, pages % hosts, np.ones(len(pages)), _BEGIN)
        visits = []
        while isinstance(visit := frontier.next_visit(_BEGIN), Visit):
            visits.append(visit)
        for visit in visits:
            frontier.resolved(visit, str(self.addresses[visit.host]), _BEGIN)
        alone = map(str, self.addresses[self.is_alone].tolist())
        frontier.addresses_told(list(alone), list(map(str, self.addresses[~self.is_alone].tolist())))
        return frontier


def _politeness(addresses: str, shards: int) -> PolitenessSettings:
    default = PolitenessSettings()
    if addresses == "none":
        return replace(default, address_delay_seconds=0.0, address_connections=0)
    return replace(default, address_connections=max(1, default.address_connections // shards))


def _efficiency(
    hosts: Hosts, machines: int, costs: Costs, arguments: argparse.Namespace, tell: Callable[[str], None]
) -> float:
    """Pages a second of so many machines, a shard each."""
    owner = Shards(machines).owner
    owners = np.array([owner(name) for name in hosts.names])
    visits = np.unique(hosts.addresses * machines + owners) // machines
    shards_at = np.bincount(visits)
    rates, cost = [], costs.of_page(machines)
    for number in range(0, machines, max(1, machines // arguments.sampled)):
        addresses = hosts.addresses[owners == number]
        is_alone = (shards_at[addresses] == 1) & (arguments.addresses == "told")
        politeness = _politeness(arguments.addresses, machines)
        shard = Shard(number, machines, addresses, is_alone, cost, arguments.in_flight, politeness)
        rates.append(shard.pages_a_second())
    tell(f"{1e3 * cost:.2f} ms a page; {min(rates):.0f} to {max(rates):.0f} pages/s in {len(rates)} shards")
    return machines * float(np.mean(rates))


def main() -> None:
    """One process, and then so many machines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", type=int, nargs="+", default=[4, 16, 64])
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--addresses", choices=("told", "turns", "none"), default="told")
    parser.add_argument("--page-ms", type=float, default=1.43, help="CPU of a page (default: 1.43, 700 pages/s)")
    parser.add_argument("--message-ms", type=float, default=0.85, help="CPU of a message at either end (default: 0.85)")
    parser.add_argument("--in-flight", type=int, default=200, help="requests of a shard (default: 200)")
    parser.add_argument("--sampled", type=int, default=4, help="shards to simulate (default: 4)")
    arguments = parser.parse_args()
    costs = Costs(arguments.page_ms / 1e3, arguments.message_ms / 1e3)
    hosts, lines = Hosts.drawn(arguments.hosts), list[str]()
    alone = _efficiency(hosts, 1, costs, arguments, lines.append)
    print(f"1 machine: {alone:.0f} pages/s ({lines[-1]})", flush=True)
    for machines in arguments.machines:
        rate = _efficiency(hosts, machines, costs, arguments, lines.append)
        share = rate / machines / alone
        print(f"{machines} machines: {rate:.0f} pages/s, efficiency {share:.0%} ({lines[-1]})", flush=True)


if __name__ == "__main__":
    main()
