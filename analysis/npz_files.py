"""Recognises archives of numpy arrays (.npz)."""

from __future__ import annotations

from typing import BinaryIO, Final

_BEGINNINGS: Final = (b"PK\3\4", b"PK\5\6")
"""The first bytes of an archive with arrays, and of an empty archive."""


def is_npz(file: BinaryIO) -> bool:
    """Return whether a file starts like an .npz archive.

    For other files, numpy's error message suggests loading them as pickles, which would be unsafe.
    """
    beginning = file.read(4)
    file.seek(0)
    return beginning in _BEGINNINGS
