"""The notes on the examples that a topic is trained on."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.page_words import word_counts
from hinterland.crawler.features.topics.model.training_notes import notes_on_examples, notes_on_judgement
from tests.support.topics import background, examples

EMPTY = [Example(word_counts("", [], ""), False, "http://e.test", f"http://e.test/{number}") for number in range(4)]


def test_enough_examples_and_a_large_store_need_no_word() -> None:
    assert notes_on_examples(examples(), background()) == []


@pytest.mark.parametrize(
    "empty, told",
    [
        (1, "http://e.test/0"),
        (2, "http://e.test/0 and http://e.test/1"),
        (4, "http://e.test/0 and http://e.test/1 and 2 more"),
    ],
)
def test_examples_without_words_are_named(empty: int, told: str) -> None:
    [note] = notes_on_examples([*examples(), *EMPTY[:empty]], background())
    assert note == f"no words were found on {told}, so nothing is learnt there"


def test_examples_of_one_site_may_teach_the_site_and_not_the_topic() -> None:
    [note] = notes_on_examples(examples(hosts=1), background())
    assert note.startswith("all examples of the topic come from http://garden0.test")


def test_a_small_store_is_noted_with_its_size() -> None:
    [note] = notes_on_examples(examples(), background(49))
    assert note.startswith("the store has only 49 pages to sample")
    [note] = notes_on_examples(examples(), Background())
    assert note.startswith("no store was given")


def judged(share: float) -> list[str]:
    """The notes on three examples of each kind, told apart, and a store of which a share looks like the topic."""
    held_out = np.array([1.0] * 3 + [0.0] * 3)
    return notes_on_judgement(examples(3, 3), held_out, np.where(np.arange(100) < 100 * share, 0.9, 0.1))


def test_a_topic_that_no_page_or_nearly_every_page_of_the_store_is_about_is_noted() -> None:
    assert judged(0.5) == []
    [none] = judged(0.0)
    assert none.startswith("none of the 100 pages sampled from the store looks like the topic")
    [all_] = judged(0.9)
    assert all_.startswith("90% of the pages sampled from the store look like the topic: they cannot be distinguished;")
