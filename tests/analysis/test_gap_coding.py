"""Links and numbers in few bytes, and back."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from hinterland.analysis.gap_coding import coded, coded_rows, decoded, decoded_rows

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("numbers", [[], [0], [7, 7, 3, 2**31 - 1, 0, 128, 127, -1]])
def test_numbers_come_back_as_they_were(numbers: list[int]) -> None:
    assert decoded(coded(np.array(numbers, np.int32)), len(numbers)).tolist() == numbers


def test_rows_come_back_in_the_order_of_their_pages() -> None:
    rows = [(5, [2, 9, 2**31 - 1]), (0, []), (3, [0]), (2**31 - 1, [0, 500, 501])]
    pages = np.array([page for page, _ in rows], np.int32)
    ends = np.cumsum([len(targets) for _, targets in rows])
    targets = np.array([target for _, row in rows for target in row], np.int32)
    found = decoded_rows(coded_rows(pages, ends, targets), len(rows), len(targets))
    assert found[0].tolist() == pages.tolist()
    assert found[1].tolist() == ends.tolist()
    assert found[2].tolist() == [target for _, row in rows for target in row]


def test_links_to_neighbours_take_a_byte_before_they_are_deflated() -> None:
    pages = np.arange(1000, dtype=np.int32)
    targets = (pages[:, None] + np.array([1, 3, 60])).ravel().astype(np.int32)
    assert len(zlib.decompress(coded_rows(pages, np.arange(3, 3001, 3), targets))) == 5 * 1000


@pytest.mark.parametrize(
    "code", [b"not deflated", zlib.compress(b"\x02"), zlib.compress(b"\x02\x02\x02"), zlib.compress(b"\x02\x82")]
)
def test_what_does_not_hold_as_many_numbers_as_it_should_is_refused(code: bytes) -> None:
    with pytest.raises(ValueError, match=r"bytes are not deflated|should hold 2 rows or numbers"):
        decoded(code, 2)


@pytest.mark.parametrize("count, links", [(2, 2), (1, 1), (1, 3)])
def test_rows_that_are_not_as_many_as_they_should_be_are_refused(count: int, links: int) -> None:
    code = coded_rows(np.array([4], np.int32), np.array([2]), np.array([1, 2], np.int32))
    with pytest.raises(ValueError, match="should hold"):
        decoded_rows(code, count, links)
