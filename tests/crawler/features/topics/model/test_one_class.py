"""A topic of examples alone."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hinterland.crawler.features.topics.model.common_words import COUNT, RARITY_OF_OTHERS, common_words
from hinterland.crawler.features.topics.model.one_class import one_class_model
from hinterland.crawler.features.topics.model.page_words import BUCKETS, bucket_of
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from tests.support.topics import GARDEN, SEA, examples, page_about


def model_of(count: int) -> TopicModel:
    pages = [each.page for each in examples(about=count, other=0)]
    return one_class_model(pages, common_words(), 0.05)[0]


def judged(model: TopicModel, words: list[str]) -> list[float]:
    rng = random.Random(3)
    return [model.log_odds(page_about(words, rng)) for _ in range(40)]


@pytest.mark.parametrize("count", [2, 10])
def test_pages_like_the_examples_are_about_the_topic_and_others_are_not(count: int) -> None:
    model = model_of(count)
    assert np.median(judged(model, GARDEN)) > 0 > np.median(judged(model, SEA))


def test_of_one_example_at_least_the_order_is_known() -> None:
    model = model_of(1)
    about, others = judged(model, GARDEN), judged(model, SEA)
    assert np.mean([each > np.median(others) for each in about]) > 0.95


def test_each_example_is_judged_by_the_others() -> None:
    pages = [*(each.page for each in examples(other=0)), page_about(SEA, random.Random(5))]
    _, log_odds = one_class_model(pages, common_words(), 0.05)
    assert int(np.argmin(log_odds)) == len(pages) - 1


def test_words_of_any_page_are_known_as_common() -> None:
    common = common_words()
    assert common.rarity.shape == common.mean_row.shape == (BUCKETS,)
    assert (common.mean_row > 0).sum() == COUNT
    assert common.rarity[bucket_of(b"the")] < 1.5 < common.rarity[bucket_of(b"example")] < RARITY_OF_OTHERS
    assert common.rarity[bucket_of(b"spinnaker")] == RARITY_OF_OTHERS == common.rarity.max()
