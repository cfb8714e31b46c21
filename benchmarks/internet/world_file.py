"""A world written to a file, from which the programs of the box read it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from benchmarks.internet.world import World


def write_world(world: World, path: Path) -> None:
    """Write a world as JSON."""
    path.write_bytes(msgspec.json.encode(world))


def read_world(path: Path) -> World:
    """Read what `write_world` wrote."""
    return msgspec.json.decode(path.read_bytes(), type=World)
