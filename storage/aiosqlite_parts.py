"""The private parts of aiosqlite that `batch_connection` relies on to work in a connection's thread."""

from __future__ import annotations

from aiosqlite import Connection

from hinterland.distribution.private_parts import require_parts


def check_aiosqlite(connection: Connection) -> None:
    """Raise MissingPackage if the installed aiosqlite lacks any of these parts.

    `connection` is not open yet.
    """
    kind = type(connection)
    require_parts(
        "aiosqlite",
        {
            "Connection._execute": hasattr(kind, "_execute"),
            "Connection._conn": hasattr(kind, "_conn"),
            "Connection._thread": hasattr(connection, "_thread"),
        },
    )
