"""The link between the crawler and the web: its table made from a world, its program made from `link.c`, its counters.

What it does to packets is in link.c.
"""

from __future__ import annotations

import functools
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from benchmarks.internet.world import Path as NetworkPath
from benchmarks.internet.world import Quirk, World

_SOURCE: Final = Path(__file__).with_name("link.c")
_OPTIONS: Final = ("-O2", "-std=c11", "-Wall")
_TIMEOUT_SECONDS: Final = 120


class LinkUnusable(Exception):
    """Why there is no link, in words."""


@functools.cache
def link_program() -> Path:
    """Compile the link, once in each process, and return a path to it; raises LinkUnusable.

    The file itself is gone already: its open descriptor is all that keeps it, so that nothing is left of it.
    """
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        raise LinkUnusable(f"there is no C compiler {compiler[0]!r} to make the link of the box")
    with tempfile.TemporaryDirectory(prefix="box-link-") as folder:
        program = Path(folder) / "link"
        command = [*compiler, *_OPTIONS, "-o", str(program), str(_SOURCE)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_SECONDS)
        if done.returncode:
            raise LinkUnusable(f"{shlex.join(command)} failed:\n{done.stderr}")
        return Path(f"/proc/{os.getpid()}/fd/{os.open(program, os.O_RDONLY)}")


class Fate(StrEnum):
    """What happens to packets to a machine, as link.c calls it."""

    ARRIVES = "arrives"
    VANISHES = "vanishes"
    REFUSES = "refuses"


# --- the table ----------------------------------------------------------------------------------


def table_lines(world: World, name_server: str) -> Iterator[str]:
    """Yield the lines that link.c reads. name_server: its address."""
    link = world.link
    yield f"link {link.down_bits:f} {link.up_bits:f} {link.buffer_seconds:f} {world.seed % 2**64}"
    yield _line(name_server, world.resolver_path, Fate.ARRIVES)
    for machine, fate in zip(world.machines, fates_of(world), strict=True):
        if machine.v4:
            yield _line(machine.v4, machine.path, fate)
        if machine.v6:
            yield _line(machine.v6, machine.path, fate if machine.v6_works else Fate.VANISHES)


def _line(address: str, path: NetworkPath, fate: Fate) -> str:
    return f"{address} {path.rtt_seconds / 2:.9f} {path.jitter_seconds:.9f} {path.loss:.9f} {path.reorder:.9f} {fate}"


def fates_of(world: World) -> list[Fate]:
    """Return what happens to packets to each machine: it refuses them or swallows them if all hosts on it do."""
    quirks: list[set[Quirk]] = [set() for _ in world.machines]
    for host in world.hosts:
        quirks[host.machine].add(host.quirk)
    fates = {frozenset({Quirk.DOWN}): Fate.REFUSES, frozenset({Quirk.BLACK_HOLE}): Fate.VANISHES}
    return [fates.get(frozenset(of_machine), Fate.ARRIVES) for of_machine in quirks]


# --- the counters -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Way:
    """One direction of the link.

    `packets` and `bytes` were delivered. Of the others, `lost` were lost on a path, `vanished` were sent to unreachable
    machines, `queue_full` were dropped before the bottleneck, and `refused` were sent to machines without a listener.
    `wait_*` are the waits of packets in the queue of the bottleneck, `over_100ms_seconds` the time in which they
    exceeded that; `busy_seconds` is the time for which the bottleneck was sending. `late_*` say how late the link
    delivered because the computer was busy.
    """

    packets: int
    bytes: int
    lost: int
    vanished: int
    queue_full: int
    refused: int
    reordered: int
    busy_seconds: float
    over_100ms_seconds: float
    wait_p50_ms: float
    wait_p95_ms: float
    wait_max_ms: float
    late_p95_ms: float
    late_max_ms: float


@dataclass(frozen=True, slots=True)
class Counters:
    """What the link counted in a second, or since it began.

    These are always since it began: `seconds`; `cpu_seconds` of the link; `unknown`, packets to or from no machine;
    `failed`, packets that the kernel rejected.
    """

    seconds: int
    cpu_seconds: float
    unknown: int
    failed: int
    up: Way
    down: Way


def read_counters(file: Path) -> tuple[list[Counters], Counters | None]:
    """Return what the link counted in each second, and in all until the last of them; None before the first."""
    seconds: list[Counters] = []
    total = None
    for line in file.read_text(encoding="ascii").splitlines(keepends=True):
        if not line.endswith("\n"):  # it is being written
            break
        facts = json.loads(line)
        shared = {name: facts[name] for name in ("seconds", "cpu_seconds", "unknown", "failed")}
        in_second, total = (
            Counters(up=Way(**facts[part]["up"]), down=Way(**facts[part]["down"]), **shared)
            for part in ("second", "total")
        )
        seconds.append(in_second)
    return seconds, total
