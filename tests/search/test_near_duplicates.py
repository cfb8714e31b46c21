"""Signatures estimate the resemblance of texts, and near pairs are found without comparing all with all."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hinterland.search.near_duplicates import (
    BINS,
    EMPTY,
    LEAST_SHINGLES,
    BandsInMemory,
    Signatures,
    near_pairs,
    resemblances,
    signature,
)

_VOCABULARY = 5000


def words(count: int, seed: int) -> list[str]:
    dice = random.Random(seed)
    return [f"word{dice.randrange(_VOCABULARY)}" for _ in range(count)]


def edited(text: list[str], edits: int, seed: int) -> list[str]:
    dice = random.Random(seed)
    changed = list(text)
    for number in range(edits):
        changed[dice.randrange(len(changed))] = f"edit{seed}x{number}"
    return changed


def shingles(text: list[str]) -> set[tuple[str, ...]]:
    return {tuple(text[start : start + 4]) for start in range(len(text) - 3)}


def jaccard(a: list[str], b: list[str]) -> float:
    return len(shingles(a) & shingles(b)) / len(shingles(a) | shingles(b))


def signature_of(text: list[str]) -> Signatures:
    return signature(" ".join(text))


def estimate(a: Signatures, b: Signatures) -> float:
    return float(resemblances(BandsInMemory(np.stack((a, b))), np.array([0]), np.array([1]))[0])


def pairs_of(
    signatures: Signatures, threshold: float, labels: NDArray[np.uint64] | None = None
) -> list[tuple[int, int]]:
    parts = near_pairs(BandsInMemory(signatures), threshold, labels)
    return [pair for first, second in parts for pair in zip(first.tolist(), second.tolist(), strict=True)]


def components(size: int, pairs: list[tuple[int, int]]) -> list[int]:
    """The smallest row that each is connected with."""
    smallest = list(range(size))
    for _ in range(size):
        for a, b in pairs:
            smallest[a] = smallest[b] = min(smallest[a], smallest[b])
    return smallest


# --- signatures -----------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(80, 1500), st.floats(0, 0.3))
def test_the_estimate_is_within_five_standard_errors_of_the_true_resemblance(
    seed: int, length: int, share: float
) -> None:
    text = words(length, seed)
    other = edited(text, int(share * length), seed + 1)
    true = jaccard(text, other)
    filled = BINS * (1 - (1 - 1 / BINS) ** len(shingles(text) | shingles(other)))
    band = 5 * np.sqrt(true * (1 - true) / filled) + 2 / filled
    assert abs(estimate(signature_of(text), signature_of(other)) - true) <= band


@pytest.mark.slow
def test_over_many_texts_the_estimate_errs_to_neither_side() -> None:
    errors = []
    for seed in range(200):
        text = words(400, seed)
        other = edited(text, 10, seed + 1000)
        errors.append(estimate(signature_of(text), signature_of(other)) - jaccard(text, other))
    assert abs(np.mean(errors)) < 0.01
    assert np.std(errors) < 0.04


@given(st.integers(0, 10**6))
def test_case_punctuation_and_space_do_not_matter(seed: int) -> None:
    text = words(200, seed)
    dice = random.Random(seed)
    signs = [" ", "\n\n", ", ", " - ", "\t(", ") "]
    written = "".join((word.upper() if dice.random() < 0.5 else word) + dice.choice(signs) for word in text)
    assert np.array_equal(signature(written), signature_of(text))


@pytest.mark.slow
@given(st.integers(0, 10**6))
def test_the_order_of_paragraphs_hardly_matters(seed: int) -> None:
    paragraphs = [words(60, seed + number) for number in range(10)]
    turned = list(reversed(paragraphs))
    a, b = (sum(order, list[str]()) for order in (paragraphs, turned))
    assert jaccard(a, b) > 0.85
    assert estimate(signature_of(a), signature_of(b)) > 0.7


def test_the_order_of_words_matters() -> None:
    text = words(500, 1)
    assert estimate(signature_of(text), signature_of(text[::-1])) < 0.05


def test_a_text_of_too_few_shingles_has_an_empty_signature_and_resembles_nothing() -> None:
    short = signature_of(words(LEAST_SHINGLES + 2, 1))
    enough = signature_of(words(LEAST_SHINGLES + 3, 1))
    assert (short == EMPTY).all()
    assert (enough != EMPTY).any()
    assert estimate(short, short) == 0
    assert estimate(enough, enough) == 1
    assert (signature("") == EMPTY).all()


def test_texts_in_other_scripts_are_told_apart() -> None:
    greek = [[f"λέξη{word[4:]}" for word in words(300, seed)] for seed in (1, 2)]
    assert estimate(signature_of(greek[0]), signature_of(greek[1])) < 0.05
    assert estimate(signature_of(greek[0]), signature_of(greek[0])) == 1


def test_lone_surrogates_do_no_harm() -> None:
    assert signature("\udc80 " * 200).shape == (BINS,)


# --- near pairs -----------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(1, 5), st.integers(70, 500)), min_size=1, max_size=5))
def test_near_pairs_connect_what_comparing_all_with_all_connects(seed: int, clusters: list[tuple[int, int]]) -> None:
    rows = []
    for number, (size, length) in enumerate(clusters):
        text = words(length, seed + number)
        rows += [signature_of(edited(text, copy % 2, seed + copy)) for copy in range(size)]
    random.Random(seed).shuffle(rows)
    signatures = np.array(rows)
    found = pairs_of(signatures, 0.9)
    wanted = [(a, b) for a, b in combinations(range(len(rows)), 2) if estimate(signatures[a], signatures[b]) >= 0.9]
    assert set(found) <= set(wanted)
    assert components(len(rows), found) == components(len(rows), wanted)


def test_many_copies_of_one_text_are_connected_by_few_pairs() -> None:
    signatures = np.repeat(signature_of(words(200, 1))[None], 500, axis=0)
    found = pairs_of(signatures, 0.95)
    assert all(first < second for first, second in found)
    assert len(found) < 1000
    assert set(components(500, found)) == {0}


def test_empty_signatures_pair_with_nothing() -> None:
    nothing = np.full((3, BINS), EMPTY, np.uint16)
    for signatures in (nothing, nothing[:0]):
        assert pairs_of(signatures, 0.9) == []


def test_no_pairs_are_found_among_unrelated_texts() -> None:
    signatures = np.array([signature_of(words(100, seed)) for seed in range(50)])
    assert pairs_of(signatures, 0.5) == []


def test_rows_of_another_label_neither_pair_nor_stand_between_a_pair() -> None:
    signatures = np.repeat(signature_of(words(200, 1))[None], 6, axis=0)
    labels = np.array([1, 2, 1, 2, 2, 1], np.uint64)
    assert components(6, pairs_of(signatures, 0.95, labels)) == [0, 1, 0, 1, 1, 0]
