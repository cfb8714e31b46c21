"""Names of pages that are the same in all processes of a crawl: hashes of their URLs.

A name has 48 bits of BLAKE2b, and is sent between shards in this form. The probability that two of n URLs share a name
is about n**2 / 2**49: 0.2 % for a million. Two pages with the same name are ranked as one page; nothing else confuses
them.
"""

from __future__ import annotations

from collections.abc import Collection
from hashlib import blake2b
from typing import Final

import numpy as np

from hinterland.analysis.graph_delta import NAME_BYTES, NameArray

_ZEROS: Final = bytes(8 - NAME_BYTES)


class UrlNames:
    """The names of the known pages. Mutable: grows by 8 bytes a page."""

    def __init__(self) -> None:
        """Begin with no name."""
        self._names = bytearray()

    def __len__(self) -> int:
        """Return the number of pages that have names."""
        return len(self._names) // 8

    def add_all(self, urls: Collection[str]) -> None:
        """Compute the names of further pages; the first of them gets the page number len(self)."""
        self._names += b"".join([blake2b(url.encode(), digest_size=NAME_BYTES).digest() + _ZEROS for url in urls])

    def since(self, first: int) -> NameArray:
        """Return the names of the pages with numbers from `first` on; a copy."""
        return np.frombuffer(self._names, "<u8", offset=8 * first).astype(np.uint64)
