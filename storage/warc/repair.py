"""Repairs WARC files that a killed crawl has left behind.

Such files still have the name of an open file, and their last record may be incomplete.
"""

from __future__ import annotations

import fcntl
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hinterland.storage.warc.folder import OPEN

_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class RepairedFile:
    """A repaired file; `lost_bytes` is the size of the incomplete record that was cut off."""

    name: str
    lost_bytes: int


def repair_folder(folder: Path) -> list[RepairedFile]:
    """Cut every abandoned open file after its last complete record, and give it its final name.

    A file without a complete record is deleted. Files that another process is writing are left alone. Raises OSError.
    """
    repaired = []
    for path in sorted(folder.glob(f"*.warc.gz{OPEN}")):
        with _locked(path) as handle:
            if handle is None:
                continue
            size = os.fstat(handle).st_size
            whole = whole_members(handle)
            if whole:
                os.ftruncate(handle, whole)
                path.rename(path.with_name(path.name.removesuffix(OPEN)))
            else:
                path.unlink()
            repaired.append(RepairedFile(path.name.removesuffix(OPEN), size - whole))
    return repaired


def whole_members(handle: int) -> int:
    """Return how many bytes from the start of a file are complete gzip members, each of which is one record."""
    os.lseek(handle, 0, os.SEEK_SET)
    whole = 0
    for length in _members(handle):
        whole += length
    return whole


def _members(handle: int) -> Iterator[int]:
    """Yield the lengths of the complete members, up to the first incomplete one."""
    member, length = zlib.decompressobj(wbits=31), 0
    data = b""
    while data := data or os.read(handle, _BLOCK):
        try:
            member.decompress(data, _BLOCK)
            while not member.eof and member.unconsumed_tail:
                member.decompress(member.unconsumed_tail, _BLOCK)
        except zlib.error:
            return
        rest = member.unused_data
        length += len(data) - len(rest)
        if member.eof:
            yield length
            member, length = zlib.decompressobj(wbits=31), 0
        data = rest


@contextmanager
def _locked(path: Path) -> Iterator[int | None]:
    """Yield the open file, locked; None if another process holds the lock."""
    handle = os.open(path, os.O_RDWR)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        yield handle
    finally:
        os.close(handle)
