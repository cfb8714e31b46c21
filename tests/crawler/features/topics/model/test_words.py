"""A topic named by words alone."""

from __future__ import annotations

from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.page_rows import rarity_of
from hinterland.crawler.features.topics.model.page_words import word_counts
from hinterland.crawler.features.topics.model.words import pages_that_answer, plain_words, word_buckets, word_model

TEXTS = {
    "http://a.test/1": ("Compost", "how to make compost and mulch of leaves"),
    "http://a.test/2": ("Boats", "compost was mentioned once in this long text about boats and tides and harbours"),
    "http://b.test/3": ("Boats", "tides and harbours"),
    "http://c.test/4": ("Composts and mulches", "composts, mulches"),
}


def answering(words: str, texts: dict[str, tuple[str, str]] = TEXTS) -> list[Example]:
    pages = [word_counts(title, [], text) for title, text in texts.values()]
    pool = [Example(page, True, address[:13], address) for page, address in zip(pages, texts, strict=True)]
    return pages_that_answer(words, pool, rarity_of(pages))


def test_the_pages_that_answer_best_come_first_and_others_not_at_all() -> None:
    found = [example.address for example in answering("compost mulch")]
    assert found[0] in ("http://a.test/1", "http://c.test/4")
    assert found[-1] == "http://a.test/2"
    assert "http://b.test/3" not in found


def test_plurals_count_as_their_singulars() -> None:
    assert "http://c.test/4" in [example.address for example in answering("compost mulch")]
    assert word_buckets("harbours")[0][1] == word_buckets("harbour")[0][0]


def test_a_page_with_too_few_of_the_words_does_not_answer() -> None:
    found = [example.address for example in answering("compost pruning trellis")]
    assert found == []


def test_few_pages_of_one_host_are_taken() -> None:
    crowd = {f"http://a.test/{number}": ("Compost", f"compost {number}") for number in range(30)}
    assert 0 < len(answering("compost", crowd)) < 10


def test_examples_chosen_by_words_are_marked_as_judged_by_nobody() -> None:
    assert not any(example.is_given for example in answering("compost"))


def test_a_model_of_words_wants_them_often_and_in_the_title() -> None:
    model = word_model("compost mulch")
    none, once, often = (
        model.relevance(title, [], text)
        for title, text in (
            ("Boats", "tide and harbour and anchor and keel"),
            ("Boats", "tide and harbour and compost and keel"),
            ("Compost", "compost and mulch, mulch and compost"),
        )
    )
    assert none < once < often
    assert none < 0.05
    assert often > 0.5


def test_the_words_of_a_query_are_given_as_titles_may_have_them() -> None:
    assert plain_words("Compost, mulch & a 2026 Gärten compost") == ["compost", "mulch", "gärten"]
