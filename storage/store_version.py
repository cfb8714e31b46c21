"""Detects whether a store was written to, from the metadata of its files."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hinterland.storage.store_name import name_with_log

_SETTLED_SECONDS: Final = 1.0
"""File timestamps tick some hundred times a second at best; some file systems round to more."""


@dataclass(frozen=True, slots=True)
class StoreVersion:
    """The version of a store. Equal versions mean that the store was not written to in between.

    `parts` holds (device, inode, size in bytes, time of the last write in ns) of the file and of its log.
    """

    parts: tuple[tuple[int, int, int, int], ...]


def store_version(path: Path) -> StoreVersion | None:
    """Return the version of a store, None if it is unknown.

    The version is unknown if there is no store, or if the store was written so recently that a further write could have
    the same timestamp. Every commit writes to the file or to its log, and merging the log writes to both.
    """
    try:
        stats = [path.stat()]
    except OSError:
        return None
    name = name_with_log(path)
    try:
        log = name.with_name(name.name + "-wal").stat()
    except OSError:
        log = None
    if log is not None and log.st_size:  # readers may leave an empty log
        stats.append(log)
    now = time.time()
    if not all(each.st_mtime < now - _SETTLED_SECONDS for each in stats):
        return None
    return StoreVersion(tuple(map(_part, stats)))


def _part(stat: os.stat_result) -> tuple[int, int, int, int]:
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns
