"""Opens a term index on read-only media through a writable folder of links."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LOCK_ENDING: Final = ".lock"
_REMOVALS: Final = 10
_MEMORY: Final = "/dev/shm"
"""An in-memory folder that most systems have, used if there is no other place for temporary files."""


@contextmanager
def linked_folder(folder: Path) -> Iterator[Path]:
    """Provide a temporary folder with links to the files of `folder`, except its locks.

    tantivy needs it only until it has opened the files. Raises OSError if no temporary folder can be made.
    """
    links = Path(tempfile.mkdtemp(prefix="hinterland-", dir=_place()))
    try:
        for file in folder.iterdir():
            if not file.name.endswith(_LOCK_ENDING):
                (links / file.name).symlink_to(file.resolve())
        yield links
    finally:
        _remove(links)


def _remove(folder: Path) -> None:
    """Remove the folder, even if a thread of tantivy creates a lock file in it at the same time.

    Soon after the index is opened, this thread reads the list of segments once more. Its lock file may appear after the
    last link was removed and before the folder is removed.
    """
    for _ in range(_REMOVALS):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _place() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        if os.access(_MEMORY, os.W_OK):
            return _MEMORY
        raise
