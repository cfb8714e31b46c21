"""What a code writes it reads, as long as it says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.lab.connectivity.bit_codes import DELTA, GAMMA, UNARY, ZETA, code_length, read_code, write_code
from hinterland.lab.connectivity.elias_fano import elias_fano, number_at

pytestmark = pytest.mark.slow

CODES = {UNARY: 300, GAMMA: 2**31 - 2, DELTA: 2**31 - 2, ZETA: 2**31 - 2}
"""The largest number that each is tried with."""


@pytest.mark.parametrize("code", CODES)
@given(st.data())
def test_numbers_are_read_as_they_were_written_one_after_the_other(code: int, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, CODES[code]), max_size=20))
    k = data.draw(st.integers(1, 5))
    words = np.zeros(2 + sum(code_length(number, code, k) for number in numbers) // 64, np.uint64)
    position = 0
    for number in numbers:
        end = write_code(words, position, number, code, k)
        assert end - position == code_length(number, code, k)
        position = end
    position = 0
    for number in numbers:
        found, position = read_code(words, position, code, k)
        assert found == number


def bits_of(number: int, code: int, k: int = 0) -> str:
    words = np.zeros(3, np.uint64)
    end = write_code(words, 0, number, code, k)
    return "".join(f"{word:064b}" for word in words.tolist())[:end]


def test_the_codes_are_those_of_the_literature() -> None:
    assert [bits_of(number, UNARY) for number in range(3)] == ["1", "01", "001"]
    assert [bits_of(number, GAMMA) for number in range(4)] == ["1", "010", "011", "00100"]
    assert [bits_of(number, DELTA) for number in range(4)] == ["1", "0100", "0101", "01100"]
    # Table 1 of "Codes for the World Wide Web", whose numbers begin with 1: ζ₃ of 1, 2, 3 and 8.
    assert [bits_of(number, ZETA, 3) for number in (0, 1, 2, 7)] == ["100", "1010", "1011", "0100000"]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=700))
def test_an_ascending_sequence_is_read_at_any_place(numbers: list[int]) -> None:
    ascending = np.sort(np.array(numbers, np.int64))
    packed = elias_fano(ascending)
    assert [number_at(packed, place) for place in range(len(ascending))] == ascending.tolist()
