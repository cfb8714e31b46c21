"""What happens by chance on the web of a box, drawn from numbers alone, so that a run repeats. Pure."""

from __future__ import annotations

from math import exp
from statistics import NormalDist
from typing import Final

from benchmarks.internet.world import Host

_MASK: Final = (1 << 64) - 1
_NORMAL: Final = NormalDist()
_PAGE_SPREAD: Final = 0.8
_LARGEST: Final = 12
"""No page is more than this many times as large as the median of its host."""

_FIRST_BYTE, _PAGE_BYTES = 101, 102


def draw(*numbers: int) -> float:
    """Return a number in [0, 1), always the same for the same whole numbers.

    The hash of a tuple of whole numbers is the same in every process; SplitMix64's last steps spread it.
    """
    state = hash(numbers) & _MASK
    state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    state = ((state ^ state >> 27) * 0x94D049BB133111EB) & _MASK
    return (state ^ state >> 31) / (1 << 64)


def first_byte_seconds(seed: int, index: int, host: Host, request: int) -> float:
    """How long a host thinks about its request with this number (from 0). Log-normal around its median."""
    if not host.first_byte_seconds:
        return 0.0
    return host.first_byte_seconds * exp(host.spread * _normal(seed, _FIRST_BYTE, index, request))


def page_bytes(seed: int, index: int, host: Host, page: int) -> int:
    """Return the size of a page of a host: log-normal around its median, with an upper bound."""
    factor = exp(_PAGE_SPREAD * _normal(seed, _PAGE_BYTES, index, page))
    return int(host.page_bytes * min(factor, _LARGEST))


def _normal(*numbers: int) -> float:
    return _NORMAL.inv_cdf(min(max(draw(*numbers), 1e-9), 1 - 1e-9))
