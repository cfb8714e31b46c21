"""Random samples that are drawn by number, and recognised by it."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.sampling import is_sampled, sampling_numbers

PAGES = np.arange(5000, dtype=np.int32)


def smallest_numbers(pages: np.ndarray, count: int) -> np.ndarray:
    return pages[np.argsort(sampling_numbers(pages))[:count]]


@pytest.mark.parametrize("seed", range(5))
def test_a_sample_is_distinguished_from_chosen_pages(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chosen = rng.choice(PAGES, 700, replace=False).astype(np.int32)
    sample = smallest_numbers(np.setdiff1d(PAGES, chosen), 300)
    taken = rng.permutation(np.concatenate([chosen, sample]))
    told = taken[is_sampled(taken)]
    assert len(np.intersect1d(told, sample)) > 0.9 * len(sample)
    assert len(np.intersect1d(told, chosen)) < 0.15 * len(chosen)  # those whose numbers happen to be as small


def test_where_no_sample_was_drawn_none_is_seen_but_by_chance() -> None:
    rng = np.random.default_rng(1)
    misled = sum(is_sampled(rng.choice(PAGES, 200, replace=False).astype(np.int32)).any() for _ in range(300))
    assert 0.05 < misled / 300 < 0.25  # e to the -2 is 0.135


def test_a_sample_alone_is_seen_as_a_whole() -> None:
    assert is_sampled(smallest_numbers(PAGES, 50)).all()


@pytest.mark.parametrize("count", [0, 1])
def test_no_page_or_a_single_one_is_no_sample(count: int) -> None:
    assert is_sampled(PAGES[:count]).tolist() == [False] * count


def test_the_order_of_the_pages_does_not_matter() -> None:
    taken = np.concatenate([smallest_numbers(PAGES, 40), PAGES[4000:4100]])
    told = is_sampled(taken)
    np.testing.assert_array_equal(is_sampled(taken[::-1]), told[::-1])
