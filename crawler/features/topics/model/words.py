"""Makes topics from words alone: finds pages that match the words, or makes a model if there are no pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.page_rows import HEAD_WEIGHT
from hinterland.crawler.features.topics.model.page_words import (
    BUCKETS,
    FIELD_BUCKETS,
    MAX_HEAD_CHARACTERS,
    FloatArray,
    bucket_of,
    head_buckets,
    words_of,
)
from hinterland.crawler.features.topics.model.topic_model import TopicModel, row_values

MOST_CHOSEN: Final = 20
_MOST_OF_A_HOST: Final = 4
_TEXT_WEIGHT: Final = 14.0
_HEAD_WORD_WEIGHT: Final = 12.0
_LEAST_LOG_ODDS: Final = -4.5


def word_buckets(words: str) -> list[list[int]]:
    """Return the buckets of each word of a query: of the word itself, and of its plural or singular."""
    found = []
    for word in dict.fromkeys(words_of(words, MAX_HEAD_CHARACTERS)):
        forms = [word, word[:-1] if word.endswith(b"s") and len(word) > 3 else word + b"s"]
        buckets = [bucket for bucket in map(bucket_of, forms) if bucket >= 0]
        if bucket_of(word) >= 0:
            found.append(buckets)
    return found


def plain_words(words: str) -> list[str]:
    """Return the words of a query, in lower case."""
    found = dict.fromkeys(words_of(words, MAX_HEAD_CHARACTERS))
    return [word.decode("utf-8", "replace").lower() for word in found if bucket_of(word) >= 0]


def pages_that_answer(words: str, candidates: Sequence[Example], rarity: FloatArray) -> list[Example]:
    """Return the pages that match the words best, at most four of a host, as examples that nobody has judged.

    This is pseudo-relevance feedback (Rocchio 1971). A page must have at least half of the words. `rarity` is the
    rarity of buckets in a random sample of pages.
    """
    wanted = word_buckets(words)
    scores = np.zeros(len(candidates))
    for place, candidate in enumerate(candidates):
        page = candidate.page
        values = dict(zip(page.buckets.tolist(), row_values(page, rarity, HEAD_WEIGHT).tolist(), strict=True))
        each = []
        for forms in wanted:
            in_head = sum(values.get(head_buckets([bucket])[0], 0.0) for bucket in forms)
            each.append(sum(values.get(bucket, 0.0) for bucket in forms) + in_head)
        present = sum(value > 0 for value in each)
        if 2 * present >= len(wanted):
            scores[place] = sum(np.sqrt(each)) * (present / len(wanted)) ** 2
    chosen: list[Example] = []
    of_host: Counter[str] = Counter()
    for place in np.argsort(-scores, kind="stable").tolist():
        if scores[place] <= 0 or len(chosen) >= MOST_CHOSEN:
            break
        candidate = candidates[place]
        if of_host[candidate.host] < _MOST_OF_A_HOST:
            of_host[candidate.host] += 1
            chosen.append(replace(candidate, is_about=True, is_given=False))
    return chosen


def word_model(words: str, *, prior: float = 0.05) -> TopicModel:
    """Return a model made from words alone, if there is no page to learn from.

    The probability is higher for pages that have more of the words, have them more often, or have them in the title.
    All probabilities are guesses.
    """
    weights = np.zeros(BUCKETS, np.float32)
    wanted = word_buckets(words)
    for forms in wanted:
        for bucket in forms:
            weights[bucket] = _TEXT_WEIGHT / np.sqrt(len(wanted))
            weights[head_buckets([bucket])[0]] = _HEAD_WORD_WEIGHT / np.sqrt(len(wanted))
    rarity = np.ones(BUCKETS, np.float32)
    rarity[FIELD_BUCKETS:] = 1.0
    return TopicModel(weights, rarity, _LEAST_LOG_ODDS + float(np.log(prior / (1 - prior))) + 3.0, prior, HEAD_WEIGHT)
