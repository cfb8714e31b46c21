"""The codes of WebGraph: unary, γ, δ and ζ_k, in 64-bit words, the most significant bit first.

Elias, "Universal Codeword Sets" (IEEE Trans. Inf. Theory 1975); Boldi & Vigna, "Codes for the World Wide Web" (Internet
Mathematics 2005). Bit p is bit 63 - p % 64 of word p // 64. A whole word must follow the last bit, because codes are
read 64 bits at a time.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.compiled import compiled

WordArray = NDArray[np.uint64]

UNARY: Final = 0
GAMMA: Final = 1
DELTA: Final = 2
ZETA: Final = 3


@compiled
def peek(words: WordArray, position: int) -> Any:
    """Return the next 64 bits as uint64."""
    word = position >> 6
    shift = np.uint64(position & 63)
    return (words[word] << shift) | ((words[word + 1] >> np.uint64(1)) >> (np.uint64(63) - shift))


@compiled
def leading_zeros(bits: Any) -> int:
    """Return the number of leading zeros of a uint64; 64 for zero."""
    if bits == np.uint64(0):
        return 64
    zeros = 0
    for step in (32, 16, 8, 4, 2, 1):
        if bits >> np.uint64(64 - step) == np.uint64(0):
            bits <<= np.uint64(step)
            zeros += step
    return zeros


@compiled
def most_significant_bit(value: int) -> int:
    """Return the index of the highest bit that is set, from 0; `value` is at least 1."""
    return 63 - leading_zeros(np.uint64(value))


# ---------------------------------------------------------------- reading


@compiled
def read_bits(words: WordArray, position: int, count: int) -> int:
    """Return the next `count` bits, at most 63, as a number."""
    return int(np.int64((peek(words, position) >> np.uint64(1)) >> np.uint64(63 - count)))


@compiled
def read_unary(words: WordArray, position: int) -> tuple[int, int]:
    """Read a number in unary. Return the number and the position after it, as all these readers do."""
    value = 0
    bits = peek(words, position)
    while bits == np.uint64(0):
        value += 64
        bits = peek(words, position + value)
    value += leading_zeros(bits)
    return value, position + value + 1


@compiled
def read_gamma(words: WordArray, position: int) -> tuple[int, int]:
    """Read a number below 2³¹ in γ code."""
    bits = peek(words, position)
    size = leading_zeros(bits)
    return int(np.int64(bits >> np.uint64(63 - 2 * size))) - 1, position + 2 * size + 1


@compiled
def read_code(words: WordArray, position: int, code: int, k: int) -> tuple[int, int]:
    """Read a number in the given code; `k` is the parameter of ζ."""
    if code == GAMMA:
        return read_gamma(words, position)
    if code == UNARY:
        return read_unary(words, position)
    if code == DELTA:
        size, position = read_gamma(words, position)
        return (1 << size) + read_bits(words, position, size) - 1, position + size
    blocks, position = read_unary(words, position)
    left = 1 << (blocks * k)
    size = blocks * k + k - 1
    value = read_bits(words, position, size)
    if value < left:
        return value + left - 1, position + size
    return read_bits(words, position, size + 1) - 1, position + size + 1


# ---------------------------------------------------------------- writing


@compiled
def write_bits(words: WordArray, position: int, value: int, count: int) -> int:
    """Write the low `count` bits of a number, at most 63, to bits that are zero; return the position after them."""
    if count == 0:
        return position
    word = position >> 6
    room = 64 - (position & 63)
    bits = np.uint64(value) & ((np.uint64(1) << np.uint64(count)) - np.uint64(1))
    if count <= room:
        words[word] |= bits << np.uint64(room - count)
    else:
        words[word] |= bits >> np.uint64(count - room)
        words[word + 1] |= bits << np.uint64(64 - (count - room))
    return position + count


@compiled
def _write_one(words: WordArray, position: int) -> int:
    words[position >> 6] |= np.uint64(1) << np.uint64(63 - (position & 63))
    return position + 1


@compiled
def _write_gamma(words: WordArray, position: int, value: int) -> int:
    size = most_significant_bit(value + 1)
    return write_bits(words, position + size, value + 1, size + 1)


@compiled
def write_code(words: WordArray, position: int, value: int, code: int, k: int) -> int:
    """Write a number in the given code, and return the position after it.

    The code for δ contains a number in γ. It is written here without a recursive call, because recursive functions
    crash when numba loads them from its cache (in 0.68).
    """
    if code == UNARY:
        return _write_one(words, position + value)
    if code == GAMMA:
        return _write_gamma(words, position, value)
    number = value + 1
    size = most_significant_bit(number)
    if code == DELTA:
        position = _write_gamma(words, position, size)
        return write_bits(words, position, number, size)
    blocks = size // k
    left = 1 << (blocks * k)
    position = _write_one(words, position + blocks)
    if number - left < left:
        return write_bits(words, position, number - left, blocks * k + k - 1)
    return write_bits(words, position, number, blocks * k + k)


@compiled
def code_length(value: int, code: int, k: int) -> int:
    """Return the length of a number in the given code, in bits."""
    if code == UNARY:
        return value + 1
    size = most_significant_bit(value + 1)
    if code == GAMMA:
        return 2 * size + 1
    if code == DELTA:
        return 2 * most_significant_bit(size + 1) + 1 + size
    blocks = size // k
    is_short = value + 1 - (1 << (blocks * k)) < 1 << (blocks * k)
    return blocks + 1 + blocks * k + k - int(is_short)
