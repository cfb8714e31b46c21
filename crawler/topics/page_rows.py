"""Pages as rows of numbers for a learner, in few dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from crawler.topics.page_words import BUCKETS, FloatArray, WordCounts
from crawler.topics.topic_model import row_values

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

HEAD_WEIGHT: Final = 0.3
DIMENSIONS: Final = 100
_LEAST_BACKGROUND: Final = 50
"""So many pages have to be there before what occurs together in them means anything."""


@dataclass(frozen=True, slots=True, eq=False)
class PageRows:
    """values: shape (n, d), the examples first. basis: shape (columns, d): what each of the buckets `columns` adds to
    a row. rarity, head_weight: see TopicModel."""

    values: NDArray[np.float64]
    basis: NDArray[np.float64]
    columns: NDArray[np.int64]
    rarity: FloatArray
    head_weight: float

    def weights_of(self, direction: NDArray[np.float64]) -> FloatArray:
        """A direction among rows as weights of buckets, shape (BUCKETS,): since a row is a sum over buckets, a page is
        judged without the basis."""
        weights = np.zeros(BUCKETS, np.float32)
        weights[self.columns] = self.basis @ direction
        return weights


def page_rows(examples: Sequence[WordCounts], background: Sequence[WordCounts]) -> PageRows:
    """The rows of all pages, those of the examples first.

    Words that occur together in the background share dimensions (latent semantic indexing, Deerwester, Dumais, Furnas,
    Landauer & Harshman 1990): what the examples teach of a word holds for its company, too. Without enough background
    the examples themselves span the rows.
    """
    rarity = rarity_of(background or examples)
    rows = matrix([*examples, *background], rarity, HEAD_WEIGHT)
    columns = np.unique(rows.indices).astype(np.int64)
    rows = rows[:, columns]
    spanning = rows[len(examples) :] if len(background) >= _LEAST_BACKGROUND else rows
    basis = _principal_directions(spanning, min(DIMENSIONS, spanning.shape[0]))
    values = np.asarray(rows @ basis)
    scale = 1 / max(float(np.sqrt(np.mean(np.sum(values**2, 1)))), 1e-9)
    return PageRows(values * scale, basis * scale, columns, rarity, HEAD_WEIGHT)


def _principal_directions(rows: csr_matrix, dimensions: int) -> NDArray[np.float64]:
    """The right singular vectors of the largest singular values, shape (columns, dimensions), by a random projection
    with power iterations (Halko, Martinsson & Tropp 2011); always the same for the same rows."""
    lot = np.random.default_rng(0)
    sample = rows @ lot.standard_normal((rows.shape[1], dimensions + 10)).astype(np.float32)
    for _ in range(2):
        sample, _ = np.linalg.qr(sample)
        sample = rows @ (rows.T @ sample)
    span, _ = np.linalg.qr(sample)
    _, _, right = np.linalg.svd((rows.T @ span).T, full_matrices=False)
    return np.asarray(right[:dimensions].T, np.float64)


def rarity_of(pages: Sequence[WordCounts]) -> FloatArray:
    """By bucket, 1 + ln of how many times rarer than on every page it is (smoothed inverse document frequency)."""
    on_pages = np.zeros(BUCKETS)
    for page in pages:
        on_pages[page.buckets] += 1
    # as it is stored, so that a model read from a file judges as the one that was trained
    return (1 + np.log((1 + len(pages)) / (1 + on_pages))).astype(np.float16).astype(np.float32)


def matrix(pages: Sequence[WordCounts], rarity: FloatArray, head_weight: float) -> csr_matrix:
    """One row a page, shape (n, BUCKETS)."""
    from scipy.sparse import csr_matrix

    ends = np.cumsum([0, *(len(page.buckets) for page in pages)])
    values = [row_values(page, rarity, head_weight) for page in pages]
    none: list[Any] = [np.empty(0, np.float32)]
    buckets: list[Any] = [page.buckets for page in pages]
    return csr_matrix(
        (np.concatenate(values or none), np.concatenate(buckets or none), ends), shape=(len(pages), BUCKETS)
    )
