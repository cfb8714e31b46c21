"""Korean particles: which ends of words may be particles, by the last consonant before them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search.word_forms.particles import is_korean, may_have_particles, nouns_of

SYLLABLES = st.text(alphabet=st.characters(min_codepoint=ord("가"), max_codepoint=ord("힣")), min_size=1, max_size=6)


@pytest.mark.parametrize(
    "noun, end",
    [
        ("데이터베이스", "를"),
        ("데이터베이스", "에서는"),
        ("데이터베이스", "로부터"),
        ("파이썬", "으로"),
        ("파이썬", "은"),
        ("파이썬", "이라는"),
        ("파일", "로"),
        ("파일", "들을"),
        ("파일", "들에서도"),
        ("서버", "와의"),
        ("값", "을"),
        ("값", "에는"),
        ("css", "는"),
        ("css", "은"),
        ("python3", "에서"),
    ],
)
def test_particles_follow_nouns(noun: str, end: str) -> None:
    assert may_have_particles(noun, end)
    assert len(noun) == 1 or noun in nouns_of(noun + end)


@pytest.mark.parametrize(
    "noun, end",
    [
        ("데이터베이스", "을"),
        ("데이터베이스", "으로"),
        ("파이썬", "는"),
        ("파이썬", "로"),
        ("파일", "으로"),
        ("파일", "가"),
        ("도", "로"),
        ("회", "의"),
        ("나", "이"),
        ("전문", "가"),
        ("파일", "이가"),
        ("파일", "시스템"),
        ("파일", ""),
        ("", "을"),
        ("file", "s"),
    ],
)
def test_other_ends_are_no_particles(noun: str, end: str) -> None:
    assert not may_have_particles(noun, end)


def test_a_noun_that_is_not_known_has_only_particles_that_are_sure() -> None:
    assert may_have_particles("고양", "이")
    assert not may_have_particles("고양", "이", is_known=False)
    assert may_have_particles("고양", "에서", is_known=False)
    assert may_have_particles("고양", "을", is_known=False)


def test_a_word_may_have_several_nouns_the_shortest_first() -> None:
    assert list(nouns_of("데이터베이스에서는")) == ["데이터베이스", "데이터베이스에서"]
    assert list(nouns_of("고양이를")) == ["고양이"]
    assert list(nouns_of("나이")) == []
    assert list(nouns_of("파일")) == []


@given(SYLLABLES)
def test_a_syllable_takes_one_of_two_forms(noun: str) -> None:
    for after_consonant, after_vowel in (("을", "를"), ("과의", "와의"), ("으로도", "로도"), ("이라는", "라는")):
        assert may_have_particles(noun, after_consonant) != may_have_particles(noun, after_vowel)


@given(st.text(max_size=12))
def test_nouns_begin_the_word_and_have_two_letters(word: str) -> None:
    for noun in nouns_of(word):
        assert word.startswith(noun)
        assert 2 <= len(noun) < len(word)
        assert is_korean(word[len(noun) :])
