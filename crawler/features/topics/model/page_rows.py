"""Turns pages into short rows of numbers, from which a classifier is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.model.embeddings import Embeddings
from hinterland.crawler.features.topics.model.page_words import BUCKETS, FloatArray, PageWordCounts
from hinterland.crawler.features.topics.model.topic_model import row_values

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

HEAD_WEIGHT: Final = 0.3
DIMENSIONS: Final = 200
_LEAST_PAGES: Final = 50
"""The fewest pages from which to learn which words occur together."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RowSpace:
    """Turns pages into rows, each of which is a sum over the buckets of the page's words.

    `basis`, shape (len(columns), d), holds the vector that each bucket of `columns` adds. For `rarity` and
    `head_weight` see TopicModel.
    """

    basis: Matrix
    columns: NDArray[np.int64]
    rarity: FloatArray
    head_weight: float

    def rows(self, pages: Sequence[PageWordCounts]) -> Matrix:
        """Return the rows of pages, shape (n, d)."""
        return np.asarray(matrix(pages, self.rarity, self.head_weight)[:, self.columns] @ self.basis, np.float64)

    def weights_of(self, direction: Matrix) -> FloatArray:
        """Return the weights of buckets, shape (BUCKETS,), that are equivalent to a direction in the row space."""
        weights = np.zeros(BUCKETS, np.float32)
        weights[self.columns] = self.basis @ direction
        return weights


def row_space(pages: Sequence[PageWordCounts], embeddings: Embeddings | None = None) -> RowSpace:
    """Return the space that a random sample of pages spans, or that embeddings span.

    Words that occur together share dimensions (latent semantic indexing, Deerwester, Dumais, Furnas, Landauer &
    Harshman 1990). So what is learnt from examples about a word also applies to words that accompany it. Embeddings,
    trained on other texts, have the same effect even for words that occur on none of these pages.
    """
    rarity = rarity_of(pages)
    rows = matrix(pages, rarity, HEAD_WEIGHT)
    columns = np.unique(rows.indices).astype(np.int64)
    rows = rows[:, columns]
    basis = _principal_directions(rows, min(DIMENSIONS, *rows.shape)) if rows.nnz else np.zeros((0, 1))
    basis = _of_unit_rows(basis, rows)
    if embeddings is not None:
        everything = np.union1d(columns, embeddings.buckets).astype(np.int64)
        whole = np.zeros((len(everything), basis.shape[1]))
        whole[np.searchsorted(everything, columns)] = basis
        of_words = np.zeros((len(everything), embeddings.vectors.shape[1]))
        of_words[np.searchsorted(everything, embeddings.buckets)] = embeddings.vectors
        seen = matrix(pages, rarity, HEAD_WEIGHT)[:, everything]
        basis, columns = np.hstack((whole, _of_unit_rows(of_words, seen))), everything
    return RowSpace(basis, columns, rarity, HEAD_WEIGHT)


def is_enough(pages: Sequence[PageWordCounts]) -> bool:
    """Return whether a sample of pages is large enough to tell which words occur together."""
    return len(pages) >= _LEAST_PAGES


def _of_unit_rows(basis: Matrix, rows: csr_matrix) -> Matrix:
    """Return the basis, scaled so that the mean square length of the rows of these pages is 1."""
    values = np.asarray(rows @ basis)
    return basis / max(float(np.sqrt(np.mean(np.sum(values**2, 1)))), 1e-9) if len(values) else basis


def _principal_directions(rows: csr_matrix, dimensions: int) -> Matrix:
    """Return the right singular vectors of the largest singular values, shape (columns, dimensions).

    They are computed by a random projection with power iterations (Halko, Martinsson & Tropp 2011). The same rows
    always give the same result.
    """
    rng = np.random.default_rng(0)
    sample = np.asarray(rows @ rng.standard_normal((rows.shape[1], dimensions + 10)).astype(np.float32))
    for _ in range(2):
        sample, _ = np.linalg.qr(sample)
        sample = np.asarray(rows @ (rows.T @ sample))
    span, _ = np.linalg.qr(sample)
    projected = np.asarray(rows.T @ span, np.float64)
    # of the small Gram matrix: decomposing `projected` itself takes ten times as long as all the rest
    squares, turned = np.linalg.eigh(projected.T @ projected)
    largest = np.argsort(-squares)[:dimensions]
    return np.asarray(projected @ turned[:, largest] / np.sqrt(np.maximum(squares[largest], 1e-12)))


def rarity_of(pages: Sequence[PageWordCounts]) -> FloatArray:
    """Return 1 + ln((1 + n)/(1 + pages with the bucket)) of each bucket, shape (BUCKETS,); n is the number of pages."""
    on_pages = np.zeros(BUCKETS)
    for page in pages:
        on_pages[page.buckets] += 1
    # as it is stored, so that a model read from a file judges as the one that was trained
    return (1 + np.log((1 + len(pages)) / (1 + on_pages))).astype(np.float16).astype(np.float32)


def matrix(pages: Sequence[PageWordCounts], rarity: FloatArray, head_weight: float) -> csr_matrix:
    """Return a sparse matrix with one row per page, shape (n, BUCKETS)."""
    from scipy.sparse import csr_matrix

    ends = np.cumsum([0, *(len(page.buckets) for page in pages)])
    values = [row_values(page, rarity, head_weight) for page in pages]
    none: list[Any] = [np.empty(0, np.float32)]
    buckets: list[Any] = [page.buckets for page in pages]
    return csr_matrix(
        (np.concatenate(values or none), np.concatenate(buckets or none), ends), shape=(len(pages), BUCKETS)
    )
