"""Fingerprints by which the faults of two audits are compared. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

SIZE: Final = 8
"""Bytes of a fingerprint. Two of a million URLs have the same fingerprint in one of forty million audits."""
Prints = NDArray[np.uint64]


def prints_of(urls: Iterable[str]) -> Prints:
    """Return the fingerprint of each URL, shape (k,)."""
    joined = b"".join(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest() for url in urls)
    return np.frombuffer(joined, np.uint64)
