"""The files and folders that exports write.

They have a temporary name until they are complete, so nobody reads an incomplete export.
"""

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
    """The target of an export exists already, or its folder does not exist; the message says what to do."""


@contextmanager
def new_file(path: Path, *, force: bool) -> Iterator[BinaryIO]:
    """Yield a file that is renamed to `path` if the with block succeeds, and deleted if it fails.

    With `force`, it replaces an existing file, unless this is an SQLite database, which may be the exported store.
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
    """Yield a folder that is renamed to `path` if the with block succeeds.

    With `force`, an existing folder is replaced if the paths of all its files match `names`, which shows that an export
    wrote them.
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
        raise DestinationTaken(f"{path}: the folder {path.parent} does not exist; create it first")


def _check_free(path: Path, *, force: bool) -> None:
    if not force and (path.exists() or path.is_symlink()):
        raise DestinationTaken(f"{path} exists already; add --force to replace it, or choose another --output")


def _check_no_database(path: Path) -> None:
    """Raise DestinationTaken if the file is an SQLite database.

    Only regular files are checked, since reading a pipe would consume its content.
    """
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
                f"{path} contains {each.name}, which no such export writes, so it is not replaced;"
                " choose another --output"
            )
