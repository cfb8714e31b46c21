"""The parser processes of this process that live, as Linux knows them."""

from __future__ import annotations

from pathlib import Path


def parser_processes() -> set[int]:
    """Those started by this process; other tests may have left it other children."""
    texts = [file.read_text() for file in Path("/proc/self/task").glob("*/children")]
    return {int(child) for text in texts for child in text.split() if _is_parser(child)}


def _is_parser(process: str) -> bool:
    try:
        command = Path("/proc", process, "cmdline").read_bytes()  # empty once it has ended
    except OSError:  # it has been buried meanwhile
        return False
    return b"crawler.parsing.pool.worker" in command
