"""Korean nouns and the particles that are written together with them: `데이터베이스를`, `파이썬에서`. Pure.

Many words merely end like a noun with a particle: `고양이` (cat) is not `고양` with the particle `이`. So this
module only says what is possible; the caller decides by whether the index has the noun.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_FIRST_SYLLABLE, _LAST_SYLLABLE = "가", "힣"
_FINALS: Final = 28
"""Consonants, or none, that a syllable may end with; syllables are numbered by them."""
_L: Final = 8
"""The number of ㄹ among them."""

_INNER_LIST: Final = """
에 에서 에게 에게서 한테 한테서 께 께서 까지 부터 처럼 보다 만 들 하고 조차 마저 대로 만큼 뿐 밖에 같이
과 와 으로 로 으로서 로서 으로써 로써 이랑 랑
"""
_LAST_LIST: Final = """
은 는 이 가 을 를 의 도 마다 이나 나 이란 란 이라는 라는 이라고 라고 이라도 라도 이라면 라면 이며 이고 이다 입니다 인
"""
_INNER: Final = frozenset(_INNER_LIST.split())
"""Particles that others may follow."""
_LAST: Final = frozenset(_LAST_LIST.split())
_CONSONANT_LIST: Final = "은 이 을 과 으로 으로서 으로써 이랑 이나 이란 이라는 이라고 이라도 이라면"
_VOWEL_LIST: Final = "는 가 를 와 로 로서 로써 랑 나 란 라는 라고 라도 라면"
_AFTER_CONSONANT: Final = frozenset(_CONSONANT_LIST.split())
_AFTER_VOWEL: Final = frozenset(_VOWEL_LIST.split())
_TO: Final = ("로", "으로")
"""How the particles begin for which ㄹ counts as a vowel."""
_LONGEST: Final = 4
_MOST_INNER: Final = 2
_LEAST_NOUN: Final = 2
"""Syllables, or other letters, of a noun after which any particle is possible."""
_SURE: Final = ("을", "를")


def is_korean(letters: str) -> bool:
    """Return whether letters are composed Korean syllables."""
    return bool(letters) and min(letters) >= _FIRST_SYLLABLE and max(letters) <= _LAST_SYLLABLE


def nouns_of(word: str) -> Iterator[str]:
    """Yield the nouns that a word may consist of besides its particles, the shortest first.

    Nouns have at least two syllables or, as in `CSS는`, at least two letters of another script.
    """
    for end in range(_LEAST_NOUN, len(word)):
        if may_have_particles(word[:end], word[end:]):
            yield word[:end]


def may_have_particles(noun: str, end: str, *, is_known: bool = True) -> bool:
    """Return whether the end of a word after a noun may consist of one to three particles.

    `is_known` says whether the noun is known from elsewhere. If it is not, or if the noun has only one syllable, a
    single particle of one syllable has to be `을` or `를`. The other particles are too often part of a longer word:
    `고양이`, `도로`, `회의`.
    """
    if not noun or not is_korean(end):
        return False
    is_sure = len(end) > 1 or end in _SURE
    return (is_sure or (is_known and len(noun) >= _LEAST_NOUN)) and _are_particles(noun[-1], end, _MOST_INNER)


def _are_particles(before: str, end: str, most_inner: int) -> bool:
    if end in _LAST or end in _INNER:
        return _fits(before, end)
    for length in range(1, min(_LONGEST, len(end))) if most_inner else ():
        inner, others = end[:length], end[length:]
        if inner in _INNER and _fits(before, inner) and _are_particles(inner[-1], others, most_inner - 1):
            return True
    return False


def _fits(syllable: str, particle: str) -> bool:
    """Return whether a particle has the form that it takes after a syllable: `은` after consonants, `는` after vowels.

    After letters of other scripts it may have either form.
    """
    if not is_korean(syllable):
        return True
    final = (ord(syllable) - ord(_FIRST_SYLLABLE)) % _FINALS
    is_vowel = not final or (final == _L and particle.startswith(_TO))
    return particle not in (_AFTER_CONSONANT if is_vowel else _AFTER_VOWEL)
