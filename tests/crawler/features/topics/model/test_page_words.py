"""Pages as counts of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.topics.model import page_words
from hinterland.crawler.features.topics.model.page_words import (
    FIELD_BUCKETS,
    HEAD_WORDS_COUNT,
    MAX_TEXT_CHARACTERS,
    PageWordCounts,
    bucket_of,
    word_counts,
    words_of,
    words_of_each,
)


def count_of(page: PageWordCounts, word: str) -> float:
    """How often a word occurs, in the half of the text."""
    counts = dict(zip(page.buckets.tolist(), page.counts.tolist(), strict=True))
    return float(counts.get(bucket_of(word.encode()), 0))


def test_words_are_separated_from_punctuation_and_case() -> None:
    page = word_counts("", [], "Soil, soil; (SOIL) “soil” soil¶ über Über ÜBER")
    assert count_of(page, "soil") == 5
    assert count_of(page, "über") == 3


def test_numbers_and_single_letters_are_no_words() -> None:
    assert len(word_counts("", [], "1 22 333 a b c _ ___ x2").buckets) == 1


def test_text_may_be_given_as_the_parser_has_it() -> None:
    one, other = word_counts("", [], "Grüße aus dem Garten"), word_counts("", [], "Grüße aus dem Garten".encode())
    assert one.buckets.tolist() == other.buckets.tolist()


def test_a_word_of_the_title_counts_in_the_text_and_in_the_head() -> None:
    page = word_counts("garden soil", [], "soil")
    assert count_of(page, "soil") == 1 + HEAD_WORDS_COUNT
    assert page.text_words == 2
    head = page.buckets[page.text_words :]
    assert len(head) == 3  # two words and the pair of them
    assert (head >= FIELD_BUCKETS).all()


def test_what_stands_in_links_can_be_left_out() -> None:
    page = word_counts("", [], "home soil news soil", ["home", "news"])
    assert (count_of(page, "home"), count_of(page, "soil"), count_of(page, "news")) == (0, 2, 0)


def test_scripts_without_spaces_are_read_in_pairs() -> None:
    page = word_counts("", [], "園芸入門")
    assert [count_of(page, pair) for pair in ("園芸", "芸入", "入門")] == [1, 1, 1]


def test_a_page_without_words_is_an_empty_row() -> None:
    page = word_counts("", [], "")
    assert (len(page.buckets), page.text_words) == (0, 0)


def test_of_a_long_text_only_the_beginning_is_read() -> None:
    assert count_of(word_counts("", [], "x " * MAX_TEXT_CHARACTERS + "soil"), "soil") == 0


@pytest.mark.parametrize("text", ["\ud800 lone surrogate", "\x00\x01", "a" * 100_000, b"\xff\xfe broken"])
def test_no_text_makes_it_raise(text: str | bytes) -> None:
    word_counts("", [], text)


def test_a_word_is_the_same_word_after_all_that_was_remembered_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_words, "_bucket_of", page_words._Memory())
    monkeypatch.setattr(page_words, "_MAX_REMEMBERED", 3)
    before = bucket_of(b"compost")
    for word in (b"mulch", b"soil", b"weeds", b"tomato"):
        bucket_of(word)
    assert len(page_words._bucket_of) <= 3
    assert bucket_of(b"compost") == before


@given(st.lists(st.text(), max_size=5))
def test_the_words_of_many_texts_at_once_are_those_of_each(texts: list[str]) -> None:
    assert words_of_each(texts) == [words_of(text, len(text)) for text in texts]
