"""Words are counted as if memory had no end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search import document_frequencies
from hinterland.search.document_frequencies import DocumentFrequencies, arrange_words
from hinterland.search.vocabulary import Vocabulary
from tests.support.arrays import Rows, arrays_of, vocabulary


def counted(
    documents: Sequence[tuple[str, str]], known: dict[str, int] | None = None, most: int = 100
) -> dict[str, int]:
    counts = DocumentFrequencies(Rows(), (known or {}).items(), most=most)
    for names, text in documents:
        counts.add(names, text)
    return {word: count for _, word, count in counts}


def test_a_word_counts_once_for_each_document_and_what_one_text_alone_has_is_left_out() -> None:
    documents = [("Ferry", "the ferry, the boat, a typpo"), ("Winter", "the boat")]
    assert counted(documents) == {"ferry": 1, "winter": 1, "the": 2, "boat": 2}


def test_counts_go_on_from_those_of_a_vocabulary() -> None:
    known = dict(vocabulary({"boat": 3, "rare": 1}).counts())
    assert counted([("", "boat")], known) == {"boat": 4, "rare": 1}


word = st.sampled_from(["abc", "abd", "xyz", "äbc", "long word"])


@given(st.lists(st.tuples(word, st.lists(word).map(" ".join))), st.integers(1, 4))
def test_counts_are_the_same_however_few_are_in_memory(documents: list[tuple[str, str]], most: int) -> None:
    assert counted(documents, most=most) == counted(documents)


def test_no_more_words_are_in_memory_than_are_asked_for_and_those_of_one_document() -> None:
    rows = Rows()
    counts = DocumentFrequencies(rows, most=10)
    kept = Counter[int]()
    for letter in "abcdefghijklmnopqrstuvwxyz":
        before = len(list(rows))
        counts.add("keeper", f"boat once{letter} twice{letter}")
        kept[len(list(rows)) - before] += 1
    assert max(kept) <= 10 + 4
    assert {word for _, word, _ in counts} == {"keeper", "boat"}


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
def test_words_come_to_the_same_vocabulary_in_parts_of_any_size(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"boat": 5, "fähren": 6, "fahren": 2, "über": 3, "zulu": 1, "abc": 1, "äbc": 1}
    at_a_time = vocabulary(counts)
    monkeypatch.setattr(document_frequencies, "_AT_ONCE", at_once)
    in_parts = vocabulary(counts)
    assert {name: each.tolist() for name, each in in_parts.arrays.items()} == {
        name: each.tolist() for name, each in at_a_time.arrays.items()
    }
    assert dict(in_parts.counts()) == {"boat": 5, "fähren": 8, "über": 3, "zulu": 1, "äbc": 2}


@pytest.mark.parametrize("most, kept", [(9, "abcd"), (4, "abcd"), (3, "ab"), (2, "ab"), (1, "a"), (0, "")])
def test_of_too_many_words_those_of_the_most_documents_are_kept(most: int, kept: str) -> None:
    words = [("aaa", "aaa", 9), ("bbb", "bbb", 5), ("ccc", "ccc", 2), ("ddd", "ddd", 2)]
    found = Vocabulary(arrays_of(lambda put: arrange_words(words, put, most)))
    assert [word for word, _ in found.counts()] == [3 * letter for letter in kept]
