"""Which pages are asked about."""

from __future__ import annotations

import numpy as np

from hinterland.crawler.features.topics.model.page_words import BUCKETS, bucket_of, word_counts
from hinterland.crawler.features.topics.model.reviewing import most_informative
from hinterland.crawler.features.topics.model.topic_model import TopicModel


def model() -> TopicModel:
    """ "garden" speaks for the topic, "boat" against, "shed" neither."""
    weights = np.zeros(BUCKETS, np.float32)
    weights[bucket_of(b"garden")], weights[bucket_of(b"boat")] = 5, -5
    return TopicModel(weights, np.ones(BUCKETS, np.float32), 0.0, 0.5)


PAGES = [word_counts("", [], text) for text in ("garden", "boat", "shed", "shed garden shed", "")]
HOSTS = ["http://a.test", "http://b.test", "http://c.test", "http://c.test", "http://d.test"]
ADDRESSES = [f"{host}/{place}" for place, host in enumerate(HOSTS)]


def test_the_page_that_the_model_is_least_certain_about_is_first() -> None:
    assert most_informative(model(), PAGES, HOSTS, ADDRESSES) == [2]


def test_pages_without_words_and_those_asked_about_are_left_out() -> None:
    found = most_informative(model(), PAGES, HOSTS, ADDRESSES, asked={ADDRESSES[2]}, most=10)
    assert sorted(found) == [0, 1, 3]


def test_a_host_that_was_not_asked_about_yet_is_preferred() -> None:
    hosts = ["http://a.test", "http://a.test", "http://b.test"]
    pages = [word_counts("", [], "shed"), word_counts("", [], "shed hut"), word_counts("", [], "shed hut garden tree")]
    near = TopicModel(model().weights * np.float32(0.1), model().rarity, 0.0, 0.5)
    assert most_informative(near, pages, hosts, ["1", "2", "3"], most=2) == [0, 2]
    assert most_informative(near, pages, hosts, ["1", "2", "3"], hosts_asked=["http://a.test"]) == [2]
