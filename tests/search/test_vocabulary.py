"""The words near a misspelt one are exactly those within the given number of edits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search.vocabulary import distinct_words_in, words_in
from tests.support.arrays import vocabulary


def alignment_distance(first: str, second: str) -> int:
    """Optimal string alignment, by its recursion."""
    table = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) + 1):
        for j in range(len(second) + 1):
            choices = [i + j] if not i or not j else []
            if i and j:
                choices += [table[i - 1][j] + 1, table[i][j - 1] + 1]
                choices.append(table[i - 1][j - 1] + (first[i - 1] != second[j - 1]))
            if i > 1 and j > 1 and first[i - 2 : i] == second[j - 2 : j][::-1]:
                choices.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(choices)
    return table[-1][-1]


short_words = st.text("abcž", min_size=1, max_size=7)


@given(st.sets(short_words, max_size=30), short_words, st.integers(1, 3))
def test_near_words_are_those_within_so_many_edits(words: set[str], asked: str, most: int) -> None:
    plain = {word.replace("ž", "z") for word in words}
    found = vocabulary(dict.fromkeys(words, 2)).near(asked, most)
    distances = {word: alignment_distance(asked.replace("ž", "z"), word) for word in plain}
    assert {each.word.replace("ž", "z"): each.edits for each in found} == {
        word: edits for word, edits in distances.items() if 0 < edits <= most
    }


@given(st.text(st.sampled_from("abcΣσςée\u0301 \n\u00a0\u2028-_1.漢ßİ'\u00ad\ud800"), max_size=60))
def test_the_distinct_words_are_those_of_the_text(text: str) -> None:
    assert distinct_words_in(text) == set(words_in(text))


def test_of_words_as_near_those_that_most_documents_have_come_first() -> None:
    found = vocabulary({"cart": 5, "cast": 9, "cat": 7, "carts": 1}).near("caxt", 2)
    assert [(each.word, each.edits, each.documents) for each in found] == [
        ("cast", 1, 9), ("cat", 1, 7), ("cart", 1, 5), ("carts", 2, 1),
    ]  # fmt: skip


def test_words_of_too_few_documents_may_be_left_out() -> None:
    words = vocabulary({"cart": 5, "cast": 9, "cat": 7, "carts": 1})
    assert [each.word for each in words.near("caxt", 2, 7)] == ["cast", "cat"]


def test_words_that_differ_in_accents_are_one_and_shown_as_most_documents_write_it() -> None:
    words = vocabulary({"fähren": 6, "fahren": 2, "fuhr": 1})
    assert [(each.word, each.documents) for each in words.near("faehren", 1)] == [("fähren", 8)]
    assert words.near("fähren", 1) == []
    assert dict(words.counts()) == {"fähren": 8, "fuhr": 1}


def test_an_empty_vocabulary_has_no_words() -> None:
    assert vocabulary({}).near("word", 2) == []


@pytest.mark.parametrize(
    "text, words",
    [
        ("The Ferry's timetable, 2nd part", ["the", "ferry", "timetable", "part"]),
        ("asyncio.gather and os_path and x86", ["asyncio", "gather", "and", "and"]),
        ("Fähren 我爱北京 nach Übersee", ["fähren", "nach", "übersee"]),
        ("a bc " + "x" * 31, []),
    ],
)
def test_words_are_of_letters_alone_and_of_a_usual_length(text: str, words: list[str]) -> None:
    assert words_in(text) == words
