"""Compounds are split into words that are known, and found by all of their parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hinterland.search.word_forms.compounds import (
    MOST_OF_PART,
    arrange_compounds,
    compounds_by_language,
    compounds_in,
)
from hinterland.search.word_forms.splitting import LEAST_PART, Splitter

WORDS = st.dictionaries(st.text("abst", min_size=1, max_size=14), st.integers(1, 50), max_size=40)


def stem(word: str) -> str:
    """A stemmer that removes the s at the end of words with five letters or more."""
    return word[:-1] if len(word) > 4 and word.endswith("s") else word


def splitter(words: Mapping[str, int]) -> Splitter:
    return Splitter(stem, lambda term: words.get(term, 0), lambda word: word == "unter")


def parts(words: Mapping[str, int], word: str) -> tuple[str, ...]:
    return splitter(words).parts(word, stem(word))


def test_the_letters_between_parts_are_left_to_the_stemmer() -> None:
    words = {"arbeit": 9, "platz": 4, "arbeitsplatz": 2}
    assert parts(words, "arbeitsplatz") == ("arbeit", "platz")


def test_of_several_splits_the_one_with_the_most_frequent_parts_is_chosen() -> None:
    words = {"staub": 5, "ecken": 1, "stau": 3, "becken": 40}
    assert parts(words, "staubecken") == ("stau", "becken")
    assert parts({**words, "ecken": 90}, "staubecken") == ("staub", "ecken")


def test_a_compound_that_is_far_more_frequent_than_its_parts_stays_whole() -> None:
    assert parts({"hand": 3, "schuh": 3, "handschuh": 6}, "handschuh") == ("hand", "schuh")
    assert parts({"hand": 3, "schuh": 3, "handschuh": 7}, "handschuh") == ()


def test_function_words_short_words_and_unknown_words_are_no_parts() -> None:
    words = {"unter": 90, "nehmen": 9, "ein": 90, "fach": 9, "haus": 9}
    assert not any(parts(words, word) for word in ("unternehmen", "einfach", "hausmeister", "haushaus"[:7]))


def test_a_beginning_that_no_page_has_is_split_itself() -> None:
    words = {"daten": 9, "satz": 9, "länge": 9}
    assert parts(words, "datensatzlänge") == ("daten", "satz", "länge")


def test_compounds_are_found_by_the_parts_of_their_parts() -> None:
    words = {"daten": 9, "satz": 9, "datensatz": 5, "länge": 9, "datensatzlänge": 1}
    found = compounds_in(words, splitter(words))
    assert found == {
        "daten": ["datensatz", "datensatzlänge"],
        "satz": ["datensatz", "datensatzlänge"],
        "datensatz": ["datensatzlänge"],
        "länge": ["datensatzlänge"],
    }


def test_the_end_of_a_long_word_may_be_stemmed_more_or_less() -> None:
    def shortening(word: str) -> str:
        return word.removesuffix("ung") if len(word) > 8 else stem(word)

    words = {"tage": 9, "zeitung": 5, "tagezeit": 1, "arbeit": 9, "plat": 9, "arbeitplats": 1}
    found = compounds_in(words, Splitter(shortening, lambda term: words.get(term, 0), lambda _: False))
    assert found["zeitung"] == ["tagezeit"]
    assert found["plat"] == ["arbeitplats"]


def test_only_the_most_frequent_compounds_of_a_part_are_kept() -> None:
    ends = {f"{first}{second}abc": 1 for first in "abcdefghijkl" for second in "abcdefghijkl"}
    words = {"haus": 9, **ends, **{f"haus{end}": place for place, end in enumerate(ends)}}
    words = {word: count or 1 for word, count in words.items()}
    kept = compounds_in(words, Splitter(lambda word: word, lambda term: min(words.get(term, 0), 2), lambda _: False))
    assert len(kept["haus"]) == MOST_OF_PART
    assert kept["haus"][0] == "hausllabc"


@given(WORDS)
def test_parts_are_known_words_with_the_letters_of_the_compound(words: dict[str, int]) -> None:
    for word in words:
        found = parts(words, word)
        assert all(part in words and part != stem(word) for part in found)
        assert len(found) != 1
        if found:
            assert len(word) >= LEAST_PART * len(found)
            assert word.startswith(found[0])


@given(WORDS, WORDS)
def test_arrays_give_the_same_compounds(german: dict[str, int], dutch: dict[str, int]) -> None:
    found = {"de": compounds_in(german, splitter(german)), "nl": compounds_in(dutch, splitter(dutch))}
    arrays = dict[str, NDArray[Any]]()
    for language, by_part in found.items():
        arrange_compounds(language, by_part, arrays.__setitem__)
    read = compounds_by_language(arrays)
    assert read.keys() == found.keys()
    for language, words in (("de", german), ("nl", dutch)):
        for word in (*words, "", "z"):
            assert list(read[language].with_part(word)) == list(found[language].get(word, ()))
