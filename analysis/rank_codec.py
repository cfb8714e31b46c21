"""Packs the ranks of an estimate for the store.

The result is small, and can be read with zlib and the array types of any language.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # it imports a compiler, which showing a page does not need
    from hinterland.analysis.graph import FloatArray, IntArray


def packed(pages: IntArray, ranks: FloatArray) -> bytes:
    """Pack k page numbers as int32 and k ranks as float32, little-endian, under zlib.

    Rounding to float32 changes a distribution by less than 1e-7 (L1), which is negligible for a history.
    """
    return zlib.compress(pages.astype("<i4").tobytes() + ranks.astype("<f4").tobytes())


def unpacked(blob: bytes) -> tuple[IntArray, FloatArray]:
    """Return (pages, ranks), shape (k,) each."""
    data = zlib.decompress(blob)
    half = len(data) // 2
    return np.frombuffer(data[:half], "<i4").astype(np.int32), np.frombuffer(data[half:], "<f4").astype(np.float64)
