"""A classifier that is not ours, as a parser process asks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from hinterland.crawler.features.topics.reading.topic_reader import TopicReader
from hinterland.crawler.parsing.page_readers import PageUnreadable
from tests.support.page_parsing import readable

PAGE = readable(b"<title>title</title><h1>heading</h1><a href=/1>anchor</a>")


class Judge:
    """Says always the same, or raises it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[object, ...]] = []

    def relevance(
        self, title: str, headings: Sequence[str], text: str | bytes, link_texts: Sequence[str] = ()
    ) -> float:
        self.asked.append((title, headings, text, link_texts))
        if isinstance(self.answer, Exception):
            raise self.answer
        return cast("float", self.answer)


@pytest.mark.parametrize("answer", [0, 1, 0.25, True])
def test_what_it_says_is_the_relevance(answer: float) -> None:
    judge = Judge(answer)
    assert TopicReader(b"plug-in:mine", reads_links=False, judge=judge).reading(PAGE).relevance == float(answer)
    assert judge.asked == [("title", ["heading"], b"heading\n\nanchor", ["anchor"])]


@pytest.mark.parametrize(
    "answer, complaint",
    [
        (ValueError("no words"), "the topic classifier raised ValueError: no words"),
        (1.5, "the topic classifier returned 1.5, which is not a probability"),
        (float("nan"), "the topic classifier returned nan, which is not a probability"),
        (None, "the topic classifier returned None, which is not a probability"),
        ("often", "the topic classifier returned 'often', which is not a probability"),
    ],
)
def test_what_is_not_a_probability_fails_the_page_with_a_message(answer: object, complaint: str) -> None:
    with pytest.raises(PageUnreadable) as caught:
        TopicReader(b"", reads_links=False, judge=Judge(answer)).reading(PAGE)
    assert str(caught.value) == complaint


def test_that_memory_is_short_is_for_the_parser_to_tell() -> None:
    with pytest.raises(MemoryError):
        TopicReader(b"", reads_links=False, judge=Judge(MemoryError())).reading(PAGE)


def test_links_are_read_without_its_words() -> None:
    reading = TopicReader(b"", reads_links=True, judge=Judge(0.5)).reading(PAGE)
    assert (reading.relevance, len(reading.sizes)) == (0.5, 1)
