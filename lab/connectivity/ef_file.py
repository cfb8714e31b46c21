"""Writes NAME.ef, the start of each page in NAME.graph, for the Rust tools of WebGraph and their Python package.

It is the Elias-Fano sequence of sux 0.15 (`EliasFano` with `SelectAdaptConst` of 2^11 ones and 2^3 words, and
`BitFieldVecU`) as ε-serde 2.0 writes it on 64-bit machines, little-endian. The Python package lacks the command
`webgraph build ef`, which would build the file from NAME.offsets. Tools with another version of these types reject the
file; their own `webgraph build ef` builds it again.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.graph import OffsetArray

_TYPE: Final = (
    "sux::dict::elias_fano::EliasFano<u64, sux::rank_sel::select_adapt_const::SelectAdaptConst<"
    "sux::bits::bit_vec::BitVec<alloc::boxed::Box<[usize]>>, alloc::boxed::Box<[usize]>, 11, 3>,"
    " sux::bits::bit_field_vec::BitFieldVecU<alloc::boxed::Box<[u64]>>>"
)
_TYPE_HASH: Final = bytes.fromhex("2104224edfab29a9b7f197f9bc1e1f0893fe9a213877443ffefcdd3047a04395")
_ALIGN_HASH: Final = bytes.fromhex("ffb987f6d9bb2fd34b4936c9086e280208ec2ab94322eb39081763e18788cd18")
_ONES: Final = 1 << 11
"""The number of 1-bits between two positions in the inventory."""
_WORDS: Final = 1 << 3
"""How many words of the inventory hold positions between two such positions."""
_ONES_PER_U16: Final = _ONES // (4 * _WORDS)
_FAR: Final = 1 << 16
"""If the 1-bits from one position in the inventory to the next span more bits than this, positions between take 32
bits.
"""
_IS_FAR: Final = 1 << 63

_Words = NDArray[np.uint64]


def ef_file(starts: OffsetArray, size_bits: int) -> bytes:
    """Return the file's content.

    `starts` ascend, shape (n + 1,); `size_bits` is the size of NAME.graph in bits, rounded up to whole bytes.
    """
    count = len(starts)
    low = (size_bits // count).bit_length() - 1 if size_bits >= count else 0
    places = (starts >> low) + np.arange(count)
    high_bits = count + (size_bits >> low) + 1
    file = _File()
    file.write(b"epserde ", struct.pack("<HHB", 2, 0, 8), _TYPE_HASH, _ALIGN_HASH)
    file.numbers(len(_TYPE))
    file.write(_TYPE.encode())
    file.numbers(count, size_bits, low, int(starts[0]), int(starts[-1]))
    file.words(_low_bits(starts, low))
    file.numbers(low, (1 << low) - 1, count)
    is_one = np.zeros(high_bits, np.bool_)
    is_one[places] = True
    file.words(_packed(is_one))
    file.numbers(high_bits)
    for words in _inventory(places, high_bits):
        file.words(words)
    return bytes(file.content)


class _File:
    """A file that is being built, in the format of ε-serde: numbers, and aligned arrays of words after their length."""

    def __init__(self) -> None:
        """Start with no content."""
        self.content = bytearray()

    def write(self, *parts: bytes) -> None:
        """Append bytes."""
        for part in parts:
            self.content += part

    def numbers(self, *numbers: int) -> None:
        """Append numbers of 64 bits."""
        self.write(struct.pack(f"<{len(numbers)}Q", *numbers))

    def words(self, words: _Words) -> None:
        """Append an array: its length, padding to 8 bytes, and its words."""
        self.numbers(len(words))
        self.write(bytes(-len(self.content) % 8), words.astype("<u8").tobytes())


def _low_bits(starts: OffsetArray, low: int) -> _Words:
    """Return the low bits of all numbers, packed from the lowest bits up, followed by one more word."""
    bits = (starts[:, None] >> np.arange(low)) & 1
    return np.append(_packed(bits.reshape(-1).astype(np.bool_)), np.uint64(0)) if low else np.zeros(2, np.uint64)


def _packed(bits: NDArray[np.bool_]) -> _Words:
    content = np.packbits(bits, bitorder="little").tobytes()
    return np.frombuffer(content + bytes(-len(content) % 8), "<u8").astype(np.uint64)


def _inventory(places: OffsetArray, bits: int) -> tuple[_Words, _Words]:
    """Return the position of every 2^11th 1-bit, each with the positions of some of the 1-bits that follow.

    There is limited space after each position in the first array, and the rest of the positions is in the second array.
    The first array ends with the number of bits.
    """
    inventory, spilled = list[_Words](), list[_Words]()
    for first in range(0, len(places), _ONES):
        ones = places[first : first + _ONES]
        start = int(ones[0])
        span = (int(places[first + _ONES]) if first + _ONES < len(places) else bits) - start
        words = np.zeros(1 + _WORDS, np.uint64)
        if span <= _FAR:
            words[0] = start
            named = ones[::_ONES_PER_U16] - start
            words[1:].view(np.uint16)[: len(named)] = named
        else:
            words[0] = start | _IS_FAR
            words[1] = sum(map(len, spilled))
            named = ones[:: max(1, _ONES_PER_U16 >> (span >> 15).bit_length())] - start
            room = words[2:].view(np.uint32)
            here, rest = named[: len(room)], named[len(room) :]
            room[: len(here)] = here
            spill = np.zeros((len(rest) + 1) // 2, np.uint64)
            spill.view(np.uint32)[: len(rest)] = rest
            spilled.append(spill)
        inventory.append(words)
    return np.concatenate([*inventory, np.array([bits], np.uint64)]), np.concatenate([np.zeros(0, np.uint64), *spilled])
