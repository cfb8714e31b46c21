"""Numbers processed in chunks come out as if all were in memory."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hinterland.analysis import chunked
from hinterland.analysis.chunked import Allocator, gathered, places_where
from hinterland.analysis.mmap_graph import zeros_in
from hinterland.analysis.ordering import distinct, in_order, neighbours_alike, numbered, sorted_pairs

DRAWN = [
    np.random.default_rng(seed).integers(0, most, size).astype(kind)
    for seed, (most, size, kind) in enumerate(
        ((5, 40, np.uint64), (1 << 40, 40, np.uint64), (1 << 31, 40, np.uint32), (1, 9, np.uint64), (9, 0, np.uint32))
    )
]
"""Keys, many of them alike or none, all of them, and no keys at all."""


@pytest.fixture(params=[1, 3, 7, 1000])
def zeros(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Allocator:
    """An allocator in files, and chunks of this many numbers."""
    monkeypatch.setattr(chunked, "CHUNK", request.param)
    return partial(zeros_in, tmp_path)


@pytest.mark.parametrize("keys", DRAWN)
def test_keys_are_put_in_order_as_a_stable_sort_puts_them(keys: NDArray[np.uint64], zeros: Allocator) -> None:
    assert in_order(keys, zeros).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("keys", DRAWN)
def test_equal_keys_have_one_number(keys: NDArray[np.uint64], zeros: Allocator) -> None:
    numbers, count = numbered(keys, zeros)
    different, expected = np.unique(keys, return_inverse=True)
    assert (numbers.tolist(), count) == (expected.tolist(), len(different))


@pytest.mark.parametrize("keys", DRAWN)
def test_keys_that_are_alike_are_paired_with_the_one_before_and_the_first(
    keys: NDArray[np.uint64], zeros: Allocator
) -> None:
    expected = []
    for key in np.unique(keys):
        places = np.flatnonzero(keys == key).tolist()
        expected += [(before, later, places[0]) for before, later in pairwise(places)]
    found = [np.stack(each, axis=1) for each in neighbours_alike(keys, zeros)]
    assert [tuple(row) for rows in found for row in rows.tolist()] == expected


@pytest.mark.parametrize("keys", DRAWN)
def test_repeats_are_left_out(keys: NDArray[np.uint64], zeros: Allocator) -> None:
    assert distinct(keys.astype(np.int64)).tolist() == np.unique(keys).tolist()


def test_pairs_are_sorted_by_both_numbers(zeros: Allocator) -> None:
    drawn = np.random.default_rng(1)
    first, second = drawn.integers(0, 6, 40), drawn.integers(0, 1 << 31, 40)
    found = zip(*(each.tolist() for each in sorted_pairs(first, second, zeros)), strict=True)
    assert list(found) == sorted(zip(first.tolist(), second.tolist(), strict=True))


def test_the_places_that_are_chosen_ascend_and_their_values_are_gathered(zeros: Allocator) -> None:
    values = np.random.default_rng(1).integers(0, 9, 40)
    places = places_where(40, lambda part: values[part] > 4, zeros)
    assert places.tolist() == np.flatnonzero(values > 4).tolist()
    assert gathered(values, places, zeros).tolist() == values[values > 4].tolist()
