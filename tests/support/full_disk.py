"""A disk that is full."""

from __future__ import annotations

import errno
import os
from typing import NoReturn


def write_to_full_disk(*_: object, **__: object) -> NoReturn:
    """In place of what writes a file."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
