"""A folder of the terms of an index as one that can be written: for media that cannot, such as a read-only mount."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LOCK_ENDING: Final = ".lock"
_MEMORY: Final = "/dev/shm"
"""A folder in memory that most systems have, where a read-only one has no other for temporary files."""


@contextmanager
def linked_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder with links to the files of `folder`, but for its locks. tantivy needs it only until it has
    opened them. Raises OSError if there is nowhere to make one.
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
