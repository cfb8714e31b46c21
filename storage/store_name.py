"""The name of a store beside which SQLite keeps its log, of all names that the file has.

SQLite finds the log by name. Of a file with several names (hard links, a file mounted elsewhere) only one has it, and
who opened the file by another would see half of it, and destroy it by writing. So the name is noted at the file, in an
extended attribute, from when a crawl opens it until its log is written back. Without such attributes nothing is noted.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_NOTE: Final = "user.hinterland.opened_as"


def has_log(name: Path) -> bool:
    """Return whether there is a log with something in it."""
    try:
        return name.with_name(name.name + "-wal").stat().st_size > 0
    except OSError:
        return False


def name_with_log(store: Path) -> Path:
    """Return the name to open a store by: what symbolic links lead to, or another name of that file that has a log."""
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
    """Note that a file is opened by this name, and no other."""
    if hasattr(os, "setxattr"):
        with suppress(OSError):
            os.setxattr(name, _NOTE, os.fsencode(name))


def forget_name(name: Path) -> None:
    """Forget the name of a file that is closed, unless its log is still there."""
    if hasattr(os, "removexattr") and not has_log(name):
        with suppress(OSError):
            os.removexattr(name, _NOTE)
