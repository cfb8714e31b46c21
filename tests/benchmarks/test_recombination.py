"""Synthesised documents keep the shape of the real ones."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.recombination import Recombination, chance_of, heaps_exponent, words_of
from benchmarks.search_queries import KINDS, drawn
from hinterland.search.store.indexed_text import IndexedText

DOCUMENT = IndexedText(0, 0, "en", 0.0, "http://a.example/", "http://a.example", "a.example", [])


def documents(count: int, seed: int = 0) -> list[str]:
    """Texts by Zipf's law."""
    generator = random.Random(seed)
    return [" ".join(f"w{int(1 / (1 - generator.random()))}" for _ in range(30)) for _ in range(count)]


def text(words: str) -> IndexedText:
    return replace(DOCUMENT, texts=[("body", words, 1)])


def test_the_first_copy_is_the_document_itself() -> None:
    assert Recombination((), 1.0).copy(text("one two"), 0, 7) == replace(text("one two"), page=7)


def test_common_words_keep_their_name_and_all_others_lose_it_at_chance_one() -> None:
    copy = Recombination({"the"}, 1.0).copy(text("the rare word"), 3, 9)
    words = copy.texts[0][1].split()
    assert words[0] == "the"
    assert not {"rare", "word"} & set(words)


def test_a_word_has_one_name_within_a_copy_and_another_in_the_next() -> None:
    recombination = Recombination((), 1.0)
    names = {recombination.copy(text("rare"), 1, page).texts[0][1] for page in range(5)}
    others = {recombination.copy(text("rare"), 2, page).texts[0][1] for page in range(5)}
    assert len(names) == len(others) == 1
    assert names != others


@pytest.mark.slow
def test_the_vocabulary_grows_as_heaps_law_says() -> None:
    texts = documents(2000)
    frequencies = Counter(word for each in texts for word in set(words_of(each)))
    common = {word for word, count in frequencies.items() if count > 20}
    exponent, copies = 0.6, 6
    chance = chance_of(exponent, copies, len(frequencies) - len(common), len(frequencies))
    recombination = Recombination(common, chance)
    everything = set[str]()
    for number in range(copies):
        for page, each in enumerate(texts):
            everything |= set(words_of(recombination.copy(text(each), number, page).texts[0][1]))
    assert len(everything) / len(frequencies) == pytest.approx(copies**exponent, rel=0.05)


def test_the_exponent_is_one_if_all_words_are_new_and_falls_with_repeats() -> None:
    assert heaps_exponent(f"a{number} b{number}" for number in range(300)) == pytest.approx(1)
    assert heaps_exponent(documents(2000)) < 0.9
    with pytest.raises(ValueError, match="fewer than 128"):
        heaps_exponent(["one"] * 10)


def test_queries_of_every_kind_have_words_of_that_kind() -> None:
    bodies = [f"the and of number {name} stands alone here" for name in ("alpha", "beta", "gamma", "delta")] * 20
    texts = [("Numbers that stand alone", body) for body in bodies]
    frequencies = Counter(dict.fromkeys(["the", "and", "number", "stands", "alone", "here"], 80) | {"alpha": 1})
    queries = drawn(texts, frequencies, 100, 3, seed=0)
    by_kind = Counter(query.kind for query in queries)
    assert set(by_kind) <= set(KINDS)
    assert by_kind["common word"] == 3
    for query in queries:
        if query.kind == "rare word":
            assert all(frequencies[word] <= 1 for word in query.words)
        if query.is_phrase:
            assert any(" ".join(query.words) in body for _, body in texts)
            assert query.text.startswith('"')
