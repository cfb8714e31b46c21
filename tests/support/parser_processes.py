"""The parser processes of this process that live, as Linux knows them."""

from __future__ import annotations

import os
from pathlib import Path


def parser_processes() -> set[int]:
    """Those forked for this process; other tests may have left it other children."""
    return {parser for server in fork_servers() for parser in children(server)}


def fork_servers() -> set[int]:
    return {child for child in children(os.getpid()) if _is_fork_server(child)}


def children(process: int) -> set[int]:
    """Without those that have ended and were not buried yet."""
    found: set[int] = set()
    try:
        threads = list(Path(f"/proc/{process}/task").iterdir())
    except OSError:  # it has ended meanwhile
        return found
    for thread in threads:
        try:
            found.update(map(int, (thread / "children").read_text().split()))
        except OSError:  # it has been buried meanwhile
            continue
    return {child for child in found if _command(child)}


def _is_fork_server(process: int) -> bool:
    return b"crawler.parsing.pool.fork_server" in _command(process)


def _command(process: int) -> bytes:
    """Empty once it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
