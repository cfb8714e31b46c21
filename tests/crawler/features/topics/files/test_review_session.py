"""Questions about pages of a store, and what is learnt from the answers."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from hinterland.crawler.features.topics.files.review_session import ReviewSession
from hinterland.crawler.features.topics.files.stored_pages import StoredPage
from hinterland.crawler.features.topics.files.topic_files import read_topic, write_topic
from hinterland.crawler.features.topics.model.describing import describe
from hinterland.crawler.features.topics.model.examples import Background, Example
from tests.support.topics import GARDEN, SEA, examples, page_about

pytestmark = pytest.mark.slow


def drawn(words: list[str], name: str, pages: int = 3) -> list[StoredPage]:
    rng = random.Random(3)
    return [
        StoredPage(f"http://{name}.test/{place}", f"http://{name}.test", name, [], "", page_about(words, rng))
        for place in range(pages)
    ]


@pytest.fixture
def topic_file(tmp_path: Path) -> Path:
    """A topic made without a store."""
    path = tmp_path / "g.topic"
    write_topic(describe("g", "", examples(4, 4), Background()).topic, path)
    return path


def test_a_topic_made_without_a_store_takes_the_pages_asked_about_for_its_background(topic_file: Path) -> None:
    pages = [*drawn(GARDEN, "a"), *drawn(SEA, "b")]
    session = ReviewSession(topic_file, pages)
    session.answer("http://a.test/0", True)
    assert list(read_topic(topic_file).background.hosts) == ["http://a.test"] * 3 + ["http://b.test"] * 3


def test_an_answer_that_contradicts_an_example_is_not_learnt_and_not_asked_for_again(topic_file: Path) -> None:
    known: Example = read_topic(topic_file).examples[0]
    copy = StoredPage("http://copy.test/", "http://copy.test", "", [], "", known.page)
    session = ReviewSession(topic_file, [copy])
    question = session.question()
    assert question is not None
    assert question.page is copy
    assert "contradict each other" in session.answer(copy.url, False)
    assert (session.answers, session.question()) == (0, None)
    assert len(read_topic(topic_file).examples) == 8


def test_only_pages_of_the_session_can_be_answered(topic_file: Path) -> None:
    with pytest.raises(KeyError):
        ReviewSession(topic_file, []).answer("http://nobody.test/", True)
