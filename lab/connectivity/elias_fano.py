"""An ascending sequence in about 2 + log₂(largest / length) bits per number, with random access.

Elias, "Efficient Storage and Retrieval by Content and Address of Static Files" (J. ACM 1974); Fano (1971).
"""

from __future__ import annotations

import numpy as np

from hinterland.analysis.compiled import compiled
from hinterland.analysis.graph import OffsetArray
from hinterland.lab.connectivity.bit_codes import WordArray, leading_zeros, read_bits, write_bits

EliasFano = tuple[WordArray, WordArray, OffsetArray, int]
"""A packed sequence, as a plain tuple that compiled functions accept.

It has the low bits of all numbers; the high parts, in which number i is a 1-bit at position high + i; the position of
every 256th 1-bit; and the number of low bits.
"""

_SAMPLED = 8
"""log₂ of the number of 1-bits between two stored positions."""


def elias_fano(numbers: OffsetArray) -> EliasFano:
    """Pack ascending numbers ≥ 0; repeats are allowed."""
    count, largest = len(numbers), int(numbers[-1]) if len(numbers) else 0
    low = max(0, (largest // max(count, 1)).bit_length() - 1)
    return (*_packed(numbers, low, largest), low)


def byte_count(packed: EliasFano) -> int:
    """Return the size of a packed sequence in memory, in bytes."""
    return sum(array.nbytes for array in packed[:3])


@compiled
def _packed(numbers: OffsetArray, low: int, largest: int) -> tuple[WordArray, WordArray, OffsetArray]:
    count = len(numbers)
    lows = np.zeros(count * low // 64 + 2, np.uint64)
    highs = np.zeros((count + (largest >> low)) // 64 + 2, np.uint64)
    samples = np.empty((count >> _SAMPLED) + 1, np.int64)
    for i in range(count):
        write_bits(lows, i * low, numbers[i], low)
        place = (numbers[i] >> low) + i
        highs[place >> 6] |= np.uint64(1) << np.uint64(63 - (place & 63))
        if i & ((1 << _SAMPLED) - 1) == 0:
            samples[i >> _SAMPLED] = place
    return lows, highs, samples


@compiled
def number_at(packed: EliasFano, i: int) -> int:
    """Return number i of a packed sequence."""
    lows, highs, samples, low = packed
    place = samples[i >> _SAMPLED]
    left = i & ((1 << _SAMPLED) - 1)  # ones to pass
    word = place >> 6
    bits = highs[word] & (np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(place & 63))
    ones = _ones(bits)
    while ones <= left:
        left -= ones
        word += 1
        bits = highs[word]
        ones = _ones(bits)
    for _ in range(left):
        bits &= ~(np.uint64(1) << np.uint64(63 - leading_zeros(bits)))
    high = (word << 6) + leading_zeros(bits) - i
    return int(high << low) | read_bits(lows, i * low, low)


@compiled
def _ones(bits: np.uint64) -> int:
    """Return how many bits of a word are set."""
    bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56)))
