"""The manners of all shards of a crawl together, by the server's log, while shards are killed and stopped.

    python -m benchmarks.shard_manners                                   # local:4, an address for each host
    python -m benchmarks.shard_manners --addresses 3                     # hosts share three addresses
    python -m benchmarks.shard_manners --cluster ray:4 --kills 6 --stops 1

Crawls a small web of many sites. Every few seconds a shard is killed (SIGKILL); some are stopped (SIGSTOP) as if their
machine hung, and go on after 40 seconds if they are still there, when others have taken their place. The server, which
is here, has the begin and the end of every request. The exit code is 1 if a host had two open requests or too short a
rest, an address more open requests than it may or two that began too close together, or pages are missing.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvloop

from benchmarks.farm import REPOSITORY
from benchmarks.measuring import command_lines, descendants
from benchmarks.ray_cluster import ACTOR
from tests.support.web import LoopbackWeb, Request, gaps, most_open, overlaps

_STOPPED_SECONDS: Final = 40.0
"""Longer than the supervisor waits for an answer, and than a lease."""
_LATE_SECONDS: Final = 0.1
"""How much later than another a request may arrive that was sent first, on a busy machine.

So requests to an address are checked in runs instead of pairs.
"""
_IN_A_ROW: Final = 10


@dataclass(frozen=True, slots=True)
class Manners:
    """What was asked for. Seconds, and connections to an address."""

    rest: float
    address_rest: float
    connections: int

    def settings(self) -> list[str]:
        """Return the settings of the crawl, as for --set."""
        values = {
            "politeness.delay_seconds": self.rest,
            "politeness.delay_factor": 0,
            "politeness.address_delay_seconds": self.address_rest,
            "politeness.address_connections": self.connections,
            "politeness.backoff_seconds": 0.5,
            "robots.retry_seconds": 1,
            "fetching.allow_networks": "127.0.0.0/8",
        }
        return [f"{name}={value}" for name, value in values.items()]


def main() -> None:
    """Serve, crawl, harm, look at the log."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cluster", default="local:4")
    parser.add_argument("--hosts", type=int, default=24)
    parser.add_argument("--pages", type=int, default=40, help="of each host (default: 40)")
    parser.add_argument("--addresses", type=int, default=0, help="that the hosts share (default: each has its own)")
    parser.add_argument("--rest", type=float, default=2.0, help="politeness.delay_seconds (default: 2)")
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--stops", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="manners-") as folder:
        sys.exit(0 if uvloop.run(_is_polite(arguments, Path(folder))) else 1)


async def _is_polite(arguments: argparse.Namespace, folder: Path) -> bool:
    manners = Manners(arguments.rest, 0.1, 4)
    count = arguments.addresses or arguments.hosts
    addresses = [f"127.0.1.{number}" for number in range(1, count + 1)]
    async with LoopbackWeb(addresses=addresses, latency=0.15) as web:
        hosts = [web.host(f"h{n}.test", addresses[n % count]) for n in range(arguments.hosts)]
        for host, after in itertools.pairwise([*hosts, hosts[0]]):
            for page in range(1, arguments.pages):
                web.page(host, f"/{page - 1}", [f"/{page}", (after, f"/{page}")])
            web.page(host, f"/{arguments.pages - 1}", [])
        started = time.monotonic()
        command = await _begun(web, [web.url(host, "/0") for host in hosts], manners, arguments.cluster, folder)
        harm = asyncio.create_task(_harm(command.pid, arguments, web))
        code = await command.wait()
        harm.cancel()
        log = sorted(web.log, key=lambda request: request.started)
        fetched = {(request.host, request.path) for request in log if request.path != "/robots.txt"}
        missing = arguments.hosts * arguments.pages - len(fetched)
        print(f"{len(log)} requests in {time.monotonic() - started:.0f} s, exit code {code}, {missing} pages missing")
        return not missing and not code and _shows_manners(log, manners)


async def _begun(
    web: LoopbackWeb, seeds: Iterable[str], manners: Manners, cluster: str, folder: Path
) -> asyncio.subprocess.Process:
    where = ",".join(f"{name}={address}" for name, address in web.addresses.items())
    settings = [*manners.settings(), f"fetching.addresses={where}"]
    words = [sys.executable, str(REPOSITORY / "run.py"), "crawl", *seeds, "--scope", "hosts", "--cluster", cluster]
    words += ["--store", str(folder / "all.db"), *(word for each in settings for word in ("--set", each))]
    env = {**os.environ, "HINTERLAND_NO_SETUP": "1"}
    quiet = asyncio.subprocess.DEVNULL
    return await asyncio.create_subprocess_exec(*words, stdin=quiet, stdout=quiet, stderr=quiet, env=env)


async def _harm(command: int, arguments: argparse.Namespace, web: LoopbackWeb) -> None:
    draw, shards = random.Random(arguments.seed), int(arguments.cluster.partition(":")[2].partition("@")[0])
    kinds = [signal.SIGKILL] * arguments.kills + [signal.SIGSTOP] * arguments.stops
    draw.shuffle(kinds)
    waking = set[asyncio.Task[None]]()
    for kind in kinds:
        await asyncio.sleep(2.0 + 2.0 * draw.random())
        shard = draw.choice(await _all_shards(command, shards, web))
        os.kill(shard, kind)
        print(f"  {kind.name} of {shard} after {len(web.log)} requests", flush=True)
        if kind is signal.SIGSTOP:
            waking.add(asyncio.create_task(_wake(shard)))
    await asyncio.gather(*waking)


async def _all_shards(command: int, count: int, web: LoopbackWeb) -> list[int]:
    """Their processes, once they are there."""
    while True:
        found = sorted(await asyncio.to_thread(_shards, command))  # the server, which is here, has to go on
        if len(found) >= count and web.log:
            return found
        await asyncio.sleep(0.1)


async def _wake(shard: int) -> None:
    await asyncio.sleep(_STOPPED_SECONDS)
    try:
        os.kill(shard, signal.SIGCONT)
    except ProcessLookupError:
        return
    print(f"  {shard} goes on", flush=True)


def _shards(command: int) -> set[int]:
    """Return the processes of shards: below the command, or anywhere if they are actors."""
    ours = set(descendants(command))
    return {
        number
        for number, words in command_lines()
        if words.startswith(ACTOR) or (number in ours and b"shard_process" in words)
    }


def _shows_manners(log: list[Request], manners: Manners) -> bool:
    of_hosts, of_addresses = defaultdict(list), defaultdict(list)
    for request in log:
        of_hosts[request.host].append(request)
        of_addresses[request.address].append(request)
    rests = [gap for requests in of_hosts.values() for gap in gaps(requests)]
    rows = [
        (later.started - first.started) / _IN_A_ROW
        for requests in of_addresses.values()
        for first, later in zip(requests, requests[_IN_A_ROW:], strict=False)
    ]
    at_once, twice = max(map(most_open, of_addresses.values())), len(overlaps(log))
    print(f"hosts: {twice} pairs of open requests, shortest rest {min(rests):.3f} s of {manners.rest}")
    print(
        f"addresses: at most {at_once} open requests of {manners.connections}; from begin to begin at least"
        f" {min(rows):.3f} s of {manners.address_rest}, on an average of {_IN_A_ROW} in a row"
    )
    return (
        not twice
        and min(rests) >= manners.rest
        and at_once <= manners.connections
        and min(rows) >= manners.address_rest - _LATE_SECONDS / _IN_A_ROW
    )


if __name__ == "__main__":
    main()
