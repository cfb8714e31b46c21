"""Finds out under which of a store's file names SQLite keeps its log.

SQLite finds the log by the file's name. A file with several names (hard links, bind mounts) has a log beside only one
of them. A process that opens it by another name sees an incomplete store, and destroys it by writing. So a crawl
records the name in an extended attribute of the file until the log is written back. If the file system has no such
attributes, nothing is recorded.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_NOTE: Final = "user.hinterland.opened_as"


def has_log(name: Path) -> bool:
    """Return whether there is a log that is not empty."""
    try:
        return name.with_name(name.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def name_with_log(store: Path) -> Path:
    """Return the name by which to open a store.

    Symbolic links are followed. If the file has several names, the name beside which SQLite keeps the log is returned.
    """
    own = Path(os.path.realpath(store))
    if not hasattr(os, "getxattr"):
        return own
    try:
        noted = Path(os.fsdecode(os.getxattr(own, _NOTE)))
    except (OSError, ValueError):
        return own
    if noted != own and has_log(noted) and not has_log(own):
        with suppress(OSError):
            if noted.samefile(own):
                return noted
    return own


def note_name(name: Path) -> None:
    """Record in an attribute of the file that it is open under this name."""
    if hasattr(os, "setxattr"):
        with suppress(OSError):
            os.setxattr(name, _NOTE, os.fsencode(name))


def forget_name(name: Path) -> None:
    """Remove the recorded name from a closed file, unless its log is still there."""
    if hasattr(os, "removexattr") and not has_log(name):
        with suppress(OSError):
            os.removexattr(name, _NOTE)
