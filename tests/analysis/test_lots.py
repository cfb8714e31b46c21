"""Lots that are drawn by number, and recognised by it."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.lots import drawn_by_lot, lot_numbers

PAGES = np.arange(5000, dtype=np.int32)


def smallest_numbers(pages: np.ndarray, count: int) -> np.ndarray:
    return pages[np.argsort(lot_numbers(pages))[:count]]


@pytest.mark.parametrize("seed", range(5))
def test_lots_are_told_from_pages_that_were_chosen(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chosen = rng.choice(PAGES, 700, replace=False).astype(np.int32)
    lots = smallest_numbers(np.setdiff1d(PAGES, chosen), 300)
    taken = rng.permutation(np.concatenate([chosen, lots]))
    told = taken[drawn_by_lot(taken)]
    assert len(np.intersect1d(told, lots)) > 0.9 * len(lots)
    assert len(np.intersect1d(told, chosen)) < 0.15 * len(chosen)  # those whose numbers happen to be as small


def test_where_no_lots_were_drawn_none_are_seen_but_by_chance() -> None:
    rng = np.random.default_rng(1)
    misled = sum(drawn_by_lot(rng.choice(PAGES, 200, replace=False).astype(np.int32)).any() for _ in range(300))
    assert 0.05 < misled / 300 < 0.25  # e to the -2 is 0.135


def test_lots_alone_are_all_lots() -> None:
    assert drawn_by_lot(smallest_numbers(PAGES, 50)).all()


@pytest.mark.parametrize("count", [0, 1])
def test_of_no_page_or_one_nothing_can_be_told(count: int) -> None:
    assert drawn_by_lot(PAGES[:count]).tolist() == [False] * count


def test_the_order_of_the_pages_does_not_matter() -> None:
    taken = np.concatenate([smallest_numbers(PAGES, 40), PAGES[4000:4100]])
    told = drawn_by_lot(taken)
    np.testing.assert_array_equal(drawn_by_lot(taken[::-1]), told[::-1])
