"""The value of --cluster, and whether what it asks for is available."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.cluster.launcher import Launcher
from hinterland.crawler.cluster.processes import LocalLauncher
from hinterland.distribution.extras import need
from hinterland.library.errors import HinterlandError

MOST_SHARDS: Final = 64
_CONNECT_SECONDS: Final = 5.0
_FORM: Final = re.compile(r"(local|ray)(?::([0-9]+))?(?:@(.+:[0-9]+))?")


@dataclass(frozen=True, slots=True)
class ClusterChoice:
    """How many shards crawl, and where.

    With `is_ray`, they crawl on the machines of the Ray cluster whose head is at `address`; if `address` is None, a Ray
    cluster is started on this machine.
    """

    shards: int
    is_ray: bool = False
    address: str | None = None

    def __str__(self) -> str:
        """Return the choice as the text that `cluster_of` reads."""
        return f"{'ray' if self.is_ray else 'local'}:{self.shards}" + (f"@{self.address}" if self.address else "")


def cluster_of(text: str) -> ClusterChoice:
    """Read "local:4", "ray:4" or "ray:4@HOST:PORT". Without a number, there is one shard per processor.

    Raises HinterlandError.
    """
    if "ray://" in text:
        raise HinterlandError(
            f"--cluster {text}: the Ray Client cannot supervise a crawl. Run this on a machine that has joined the"
            " cluster (`ray start --address HOST:6379`), with --cluster ray:N@HOST:6379"
        )
    found = _FORM.fullmatch(text)
    number = int((found and found[2]) or os.cpu_count() or 1)
    if found is None or not 1 <= number <= MOST_SHARDS or (found[1] == "local" and found[3]):
        raise HinterlandError(
            f"--cluster {text}: expected local:N, ray:N or ray:N@HOST:PORT, with N shards from 1 to {MOST_SHARDS}"
        )
    return ClusterChoice(number, found[1] == "ray", found[3])


async def launcher_of(choice: ClusterChoice, crawl: str, module: str) -> Launcher:
    """Return the launcher of the shards of a crawl.

    `crawl` is the name of the crawl, and `module` is what the process of each shard runs.

    Raises HinterlandError and MissingExtra.
    """
    if not choice.is_ray:
        return LocalLauncher(module)
    if choice.address is not None:
        await asyncio.to_thread(_require_head, choice.address)
    need("cluster", by="--cluster ray")
    from hinterland.crawler.cluster import ray_launcher  # importing it takes a second

    try:
        return await asyncio.to_thread(ray_launcher.connected, choice.address, crawl, choice.shards)
    except ray_launcher.ClusterUnusable as error:
        raise HinterlandError(str(error)) from error


def _require_head(address: str) -> None:
    """Raise HinterlandError if no Ray cluster answers at the address. Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise HinterlandError(
            f"no head of a Ray cluster answers at {address}: {error}; `ray start --head` starts one and prints where"
        ) from error
