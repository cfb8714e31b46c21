"""The classifier of a topic: a logistic model over hashed words, in read-only arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from hinterland.crawler.features.topics.model.array_file import ArrayKind, DamagedFile, from_npz, to_npz
from hinterland.crawler.features.topics.model.function_words import says_nothing
from hinterland.crawler.features.topics.model.page_words import (
    BUCKETS,
    MAX_HEAD_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    FloatArray,
    PageWordCounts,
    bucket_of,
    head_buckets,
    head_of,
    word_counts,
    words_of,
)

MODEL_VERSION: Final = 1
"""The version of the format, to be raised when rows or models are computed differently."""
MOST_LOG_ODDS: Final = 30.0

_KINDS: Final = {
    "model_weights": ArrayKind("<f4", BUCKETS),
    "model_rarity": ArrayKind("<f2", BUCKETS),
    "model_constants": ArrayKind("<f8", 4),
}


class PageClassifier(Protocol):
    """Judges pages. Each parser process creates its own from bytes."""

    def relevance(
        self, title: str, headings: Sequence[str], text: str | bytes, link_texts: Sequence[str] = ()
    ) -> float:
        """Return P(topic | page), from 0 to 1. Of the pages with 0.7, seven in ten should be about the topic."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A word, or a pair of words of title and headings, with the log-odds that it adds."""

    words: str
    log_odds: float


@dataclass(frozen=True, slots=True, eq=False)
class TopicModel:
    """The model of a topic.

    `weights`, float32, shape (BUCKETS,), are the log-odds per unit of a row, after calibration. `rarity`, float32,
    shape (BUCKETS,), is the factor of each bucket in rows, see `row_values`. `intercept` is the log-odds of a page
    without words. `prior` is the assumed share of the topic in the web that is crawled; the intercept already includes
    it. `head_weight` is the Euclidean length of the part of a row for title and headings; the part for the text has
    length 1. `leaves_out_links` says whether the text of links is ignored.
    """

    weights: FloatArray
    rarity: FloatArray
    intercept: float
    prior: float
    head_weight: float = 1.0
    leaves_out_links: bool = False

    def relevance(
        self, title: str, headings: Sequence[str], text: str | bytes, link_texts: Sequence[str] = ()
    ) -> float:
        """Return P(topic | page), from 0 to 1, given what a parser process reads from a page."""
        return probability(self.log_odds(self.words_of(title, headings, text, link_texts)))

    def words_of(
        self, title: str, headings: Sequence[str], text: str | bytes, link_texts: Sequence[str] = ()
    ) -> PageWordCounts:
        """Return the words of a page that count for this model."""
        return word_counts(title, headings, text, self._left_out(link_texts))

    def log_odds(self, page: PageWordCounts) -> float:
        """Return ln(P/(1-P)), from -30 to 30."""
        values = row_values(page, self.rarity, self.head_weight)
        score = self.intercept + float(values @ self.weights[page.buckets])
        return min(max(score, -MOST_LOG_ODDS), MOST_LOG_ODDS)

    def reasons(
        self, title: str, headings: Sequence[str], text: str | bytes, link_texts: Sequence[str] = (), *, most: int = 8
    ) -> tuple[list[Reason], list[Reason]]:
        """Return the reasons for and against the topic, at most `most` of each, the strongest first.

        Function words are left out. If several words share a bucket, the reason is the word that occurs on the page.
        """
        page = self.words_of(title, headings, text, link_texts)
        shares = row_values(page, self.rarity, self.head_weight) * self.weights[page.buckets]
        names = _names(title, headings, text)
        added = [
            Reason(names[bucket], float(share))
            for bucket, share in zip(page.buckets.tolist(), shares, strict=True)
            if bucket in names and not says_nothing(names[bucket])
        ]
        added.sort(key=lambda reason: (reason.log_odds, reason.words))
        speaking_for = [reason for reason in reversed(added) if reason.log_odds > 0]
        return speaking_for[:most], [reason for reason in added if reason.log_odds < 0][:most]

    def to_bytes(self) -> bytes:
        """Return the model as an npz file of at most a megabyte."""
        return to_npz(self.arrays())

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the file by name."""
        constants = [self.intercept, self.prior, self.head_weight, MODEL_VERSION + self.leaves_out_links / 2]
        return {
            "model_weights": self.weights.astype("<f4"),
            "model_rarity": self.rarity.astype("<f2"),
            "model_constants": np.array(constants, "<f8"),
        }

    @classmethod
    def from_bytes(cls, data: bytes) -> TopicModel:
        """Return the model from the result of `to_bytes`, or from a whole topic file. Raises DamagedFile."""
        arrays = from_npz(data, _KINDS)
        weights, rarity = arrays["model_weights"], arrays["model_rarity"].astype(np.float32)
        intercept, prior, head_weight, version = arrays["model_constants"].tolist()
        if version // 1 != MODEL_VERSION:
            raise DamagedFile(f"its model has version {version:g}, but this program reads version {MODEL_VERSION}")
        if not (np.isfinite(weights).all() and np.isfinite(rarity).all() and math.isfinite(intercept)):
            raise DamagedFile("its model has numbers that are not finite")
        if not (0 <= prior <= 1 and 0 <= head_weight <= 100 and (rarity >= 0).all()):
            raise DamagedFile("its model has numbers out of their bounds")
        return cls(weights, rarity, intercept, prior, head_weight, leaves_out_links=version % 1 > 0)

    def _left_out(self, link_texts: Sequence[str]) -> Sequence[str]:
        return link_texts if self.leaves_out_links else ()


def probability(log_odds: float) -> float:
    """Return the probability of log-odds."""
    return 1.0 / (1.0 + math.exp(-log_odds))


def row_values(page: PageWordCounts, rarity: FloatArray, head_weight: float) -> FloatArray:
    """Return (1 + ln count) · rarity for each bucket of a page.

    The part for the text is scaled to Euclidean length 1, the part for title and headings to length `head_weight`.
    """
    values: FloatArray = (np.float32(1) + np.log(page.counts)) * rarity[page.buckets]
    split = page.text_words
    text, head = values[:split], values[split:]
    length = math.sqrt(float(text @ text))
    if length > 0:
        text /= length
    length = math.sqrt(float(head @ head))
    if length > 0:
        head *= head_weight / length
    return values


def _names(title: str, headings: Sequence[str], text: str | bytes) -> dict[int, str]:
    """Return the word or pair of words on the page that belongs to each bucket of the page's row."""
    head = [word for word in words_of(head_of(title, headings), MAX_HEAD_CHARACTERS) if bucket_of(word) >= 0]
    names = {bucket_of(word): _shown(word) for word in (*words_of(text, MAX_TEXT_CHARACTERS), *head)}
    shown = [_shown(word) for word in head]
    pairs = [f"{first} {second}" for first, second in pairwise(shown)]
    names |= zip(
        head_buckets([bucket_of(word) for word in head]), [f"{word} (title)" for word in [*shown, *pairs]], strict=True
    )
    return names


def _shown(word: bytes) -> str:
    return word.decode("utf-8", "replace").strip("_")
