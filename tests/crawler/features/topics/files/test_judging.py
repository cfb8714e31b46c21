"""What the judging of a store learns."""

from __future__ import annotations

import random

from hinterland.crawler.features.topics.files.judging import learnt_again
from hinterland.crawler.features.topics.files.stored_pages import StoredPage
from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.topic_file import Topic
from hinterland.crawler.features.topics.model.words import word_model
from tests.support.topics import GARDEN, SEA, examples, page_about

TOPIC = Topic("gardening", "", examples(3, 3), Background(), word_model("garden"))


def drawn(pages: int) -> list[StoredPage]:
    """Return pages of a store, one in ten about gardening, as a sample."""
    lot = random.Random(3)
    found = []
    for number in range(pages):
        words = page_about(GARDEN if number % 10 == 0 else SEA, lot)
        host = f"http://h{number % 7}.test"
        found.append(StoredPage(f"{host}/{number}", host, "", [], "", words))
    return found


def test_answers_are_learnt_as_the_last_examples() -> None:
    pages = drawn(120)
    answered = [page.as_example(is_about=number % 10 == 0) for number, page in enumerate(pages[:20])]
    without, trained = learnt_again(TOPIC, pages), learnt_again(TOPIC, pages, answered)
    assert without is not None
    assert trained is not None
    assert len(without.held_out) == 6
    assert len(trained.held_out) == 26
    assert not len(without.left_out)
    assert trained.left_out.shape == (20,)
    assert trained.left_out[0] > trained.left_out[1:10].max()


def test_an_answer_about_an_example_replaces_it() -> None:
    example = TOPIC.examples[0]
    answer = Example(example.page, False, example.host, example.address)
    trained = learnt_again(TOPIC, drawn(120), [answer])
    assert trained is not None
    assert len(trained.held_out) == 6


def test_too_few_pages_of_a_store_teach_nothing() -> None:
    assert learnt_again(TOPIC, drawn(50)) is None
