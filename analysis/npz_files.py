"""Files of arrays as numpy archives them (.npz)."""

from __future__ import annotations

from typing import BinaryIO, Final

_BEGINNINGS: Final = (b"PK\3\4", b"PK\5\6")
"""With arrays, and without any."""


def is_npz(file: BinaryIO) -> bool:
    """Whether it begins as one. What does not, numpy takes for a pickle, and advises to load it as one."""
    beginning = file.read(4)
    file.seek(0)
    return beginning in _BEGINNINGS
