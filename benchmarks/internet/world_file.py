"""A world as a file, by which the programs of the box are told of it."""

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
