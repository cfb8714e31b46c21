"""Opens a term index on read-only media, by way of a writable folder of links."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LOCK_ENDING: Final = ".lock"
_MEMORY: Final = "/dev/shm"
"""An in-memory folder that most systems have, used if there is no other place for temporary files."""


@contextmanager
def linked_folder(folder: Path) -> Iterator[Path]:
    """Provide a temporary folder with links to the files of `folder`, except its locks.

    tantivy needs it only until it has opened the files. Raises OSError if no temporary folder can be made.
    """
    with tempfile.TemporaryDirectory(prefix="hinterland-", dir=_place()) as name:
        for file in folder.iterdir():
            if not file.name.endswith(_LOCK_ENDING):
                Path(name, file.name).symlink_to(file.resolve())
        yield Path(name)


def _place() -> str:
    try:
        return tempfile.gettempdir()
    except OSError:
        if os.access(_MEMORY, os.W_OK):
            return _MEMORY
        raise
