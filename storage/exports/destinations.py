"""Where an export goes: under a temporary name until it is whole, so that nobody ever sees half of one."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_DATABASE = b"SQLite format 3\0"


class DestinationTaken(Exception):
    """There is something already, or no place; the message says what to do."""


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """A file that appears as `path` when the block ends well, and not at all if it does not.

    With `force` it replaces what is there, but no database: that may be the very store that is exported.
    """
    _check_place(path)
    if path.is_dir():
        raise DestinationTaken(f"{path} is a folder; name a file with --output")
    _check_free(path, force=force)
    _check_no_database(path)
    part = _part_of(path)
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _check_free(path, force=force)
        part.replace(path)
    except BaseException:
        with suppress(OSError):  # on a disk that is read-only, this fails as well
            part.unlink()
        raise


@contextmanager
def new_folder(path: Path, names: str, *, force: bool) -> Iterator[Path]:
    """The same for a folder. With `force` one that is there is replaced if the path of everything in it matches
    `names`: then an export has written it.
    """
    _check_place(path)
    _check_free(path, force=force)
    if path.exists():
        _check_ours(path, names)
    part = _part_of(path)
    try:
        part.mkdir()
        yield part
        if path.exists():
            old = path.with_name(f"{part.name}.old")
            path.rename(old)
            part.rename(path)
            shutil.rmtree(old)
        else:
            part.rename(path)
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(part)
        raise


def _part_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def _check_place(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise DestinationTaken(f"{path}: there is no folder {path.parent}")


def _check_free(path: Path, *, force: bool) -> None:
    if not force and (path.exists() or path.is_symlink()):
        raise DestinationTaken(f"{path} is there already; add --force to replace it, or choose another --output")


def _check_no_database(path: Path) -> None:
    """What is not a regular file is left alone: reading a pipe would take from it."""
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(_DATABASE)) == _DATABASE:
                raise DestinationTaken(f"{path} is an SQLite database, perhaps a store; choose another --output")


def _check_ours(path: Path, names: str) -> None:
    if not path.is_dir():
        raise DestinationTaken(f"{path} is not a folder, and this format needs one; choose another --output")
    for each in path.rglob("*"):
        if not re.fullmatch(names, each.relative_to(path).as_posix()):
            raise DestinationTaken(
                f"{path} holds {each.name}, which no such export writes, so it is not replaced; choose another --output"
            )
