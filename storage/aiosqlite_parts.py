"""The private parts of aiosqlite that `batch_connection` relies on: it works in the thread of a connection."""

from __future__ import annotations

from aiosqlite import Connection

from hinterland.distribution.private_parts import require_parts


def check_aiosqlite(connection: Connection) -> None:
    """connection: not yet open. Raises MissingPackage for an aiosqlite that has not got all of them."""
    kind = type(connection)
    require_parts(
        "aiosqlite",
        {
            "Connection._execute": hasattr(kind, "_execute"),
            "Connection._conn": hasattr(kind, "_conn"),
            "Connection._thread": hasattr(connection, "_thread"),
        },
    )
